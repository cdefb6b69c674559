// Where vertices go. Pure functions over arrays, which the worker runs and the tests call.
import * as dagre from '@dagrejs/dagre';
import iterateForce from 'graphology-layout-forceatlas2/iterate.js';
import iterateNoverlap from 'graphology-layout-noverlap/iterate.js';
import type { LayoutName } from './layoutNames';

/** The visible part of a scene in arrays: vertex i is at (xy[2 i], xy[2 i + 1]). */
export interface LayoutInput {
    readonly n: number;
    readonly xy: Float64Array;
    /** 1: stays where it is. */
    readonly fixed: Uint8Array;
    /** Radius on screen, in pixels. */
    readonly sizes: Float32Array;
    /** A number for each vertex label, for layouts that group by it. */
    readonly groups: Int32Array;
    /** Source and target of each edge in turn, as numbers of vertices. */
    readonly ends: Uint32Array;
    /** The vertex in the middle of the radial layout and on top of the hierarchy; -1: the one with most edges. */
    readonly root: number;
}

/** Columns of a vertex and of an edge in the matrices of ForceAtlas2, and of a vertex in those of noverlap. */
const NODE = 10;
const EDGE = 3;
const OVER = 3;

/** ForceAtlas2, one iteration at a time. */
export class Force {
    readonly #input: LayoutInput;
    readonly #nodes: Float32Array;
    readonly #edges: Float32Array;
    readonly #settings;

    constructor(input: LayoutInput) {
        this.#input = input;
        const { n, xy, fixed, sizes, ends } = input;
        this.#nodes = new Float32Array(n * NODE);
        this.#edges = new Float32Array((ends.length / 2) * EDGE);
        for (let i = 0; i < n; i += 1) {
            const at = i * NODE;
            this.#nodes[at] = xy[2 * i]!;
            this.#nodes[at + 1] = xy[2 * i + 1]!;
            this.#nodes[at + 6] = 1;
            this.#nodes[at + 7] = 1;
            this.#nodes[at + 8] = sizes[i]!;
            this.#nodes[at + 9] = fixed[i]!;
        }
        let m = 0;
        for (let e = 0; e < ends.length; e += 2) {
            const [source, target] = [ends[e]!, ends[e + 1]!];
            this.#nodes[source * NODE + 6]! += 1;
            this.#nodes[target * NODE + 6]! += 1;
            if (source === target) continue;
            this.#edges[m] = source * NODE;
            this.#edges[m + 1] = target * NODE;
            this.#edges[m + 2] = 1;
            m += EDGE;
        }
        this.#edges = this.#edges.subarray(0, m);
        // Distances grow with its root: some 100 between two vertices, 200 around one of 50, less where there are many.
        const scalingRatio = 6000 / Math.max(2, n) ** 0.8;
        this.#settings = {
            linLogMode: false,
            outboundAttractionDistribution: false,
            adjustSizes: false,
            edgeWeightInfluence: 0,
            scalingRatio,
            // Holds vertices without edges together, some 50 apart.
            strongGravityMode: true,
            gravity: scalingRatio / (2500 + 40_000 / Math.max(1, n)),
            slowDown: 1 + Math.log1p(n) / 2,
            barnesHutOptimize: n > 500,
            barnesHutTheta: 0.8,
        };
    }

    /** Runs one iteration; the mean distance the vertices moved, in pixels at zoom 1. */
    step(): number {
        const { n } = this.#input;
        const before = new Float32Array(2 * n);
        for (let i = 0; i < n; i += 1) {
            before[2 * i] = this.#nodes[i * NODE]!;
            before[2 * i + 1] = this.#nodes[i * NODE + 1]!;
        }
        iterateForce(this.#settings, this.#nodes, this.#edges);
        let moved = 0;
        for (let i = 0; i < n; i += 1) {
            moved += Math.hypot(
                this.#nodes[i * NODE]! - before[2 * i]!,
                this.#nodes[i * NODE + 1]! - before[2 * i + 1]!,
            );
        }
        return moved / Math.max(1, n);
    }

    positions(): Float64Array {
        const { n } = this.#input;
        const xy = new Float64Array(2 * n);
        for (let i = 0; i < n; i += 1) {
            xy[2 * i] = this.#nodes[i * NODE]!;
            xy[2 * i + 1] = this.#nodes[i * NODE + 1]!;
        }
        return xy;
    }
}

/** Vertices beyond which they are left as they lie: on screen they are dots. */
const SEPARATE_MAX = 6000;

/** Pushes vertices apart that lie upon each other; at most `ms` milliseconds. Fixed ones are put back. */
export function separate(input: LayoutInput, xy: Float64Array, ms: number): Float64Array {
    const { n, sizes, fixed } = input;
    if (n > SEPARATE_MAX) return xy;
    const nodes = new Float32Array(n * OVER);
    for (let i = 0; i < n; i += 1) {
        nodes[i * OVER] = xy[2 * i]!;
        nodes[i * OVER + 1] = xy[2 * i + 1]!;
        nodes[i * OVER + 2] = sizes[i]!;
    }
    const grid = {
        margin: 6,
        ratio: 1.4,
        expansion: 1.1,
        gridSize: Math.min(150, Math.max(20, Math.ceil(Math.sqrt(n)))),
        speed: 3,
    };
    const end = now() + ms;
    for (let round = 1; now() < end; round += 1) {
        if (iterateNoverlap(grid, nodes).converged) break;
        // In a crowd they would swing to and fro for ever: give them more room.
        if (round % 25 === 0) for (let at = 0; at < nodes.length; at += 1) if (at % OVER < 2) nodes[at]! *= 1.2;
    }
    const out = new Float64Array(2 * n);
    for (let i = 0; i < n; i += 1) {
        out[2 * i] = fixed[i] ? xy[2 * i]! : nodes[i * OVER]!;
        out[2 * i + 1] = fixed[i] ? xy[2 * i + 1]! : nodes[i * OVER + 1]!;
    }
    return out;
}

/** Gives vertices that share a place different ones: forces between them would have no direction. */
export function scatter(xy: Float64Array): Float64Array {
    const taken = new Set<string>();
    const out = xy.slice();
    for (let i = 0; i < out.length; i += 2) {
        for (let turn = 0; ; turn += 1) {
            const place = `${Math.round(out[i]!)} ${Math.round(out[i + 1]!)}`;
            if (!taken.has(place)) {
                taken.add(place);
                break;
            }
            const angle = (i + turn) * 2.399963;
            out[i]! += 9 * (1 + turn) * Math.cos(angle);
            out[i + 1]! += 9 * (1 + turn) * Math.sin(angle);
        }
    }
    return out;
}

/** The layouts that are computed at once. */
export function arrange(name: Exclude<LayoutName, 'force'>, input: LayoutInput): Float64Array {
    const xy = { hierarchy, radial, circle, grid }[name](input);
    for (let i = 0; i < input.n; i += 1) {
        if (!input.fixed[i]) continue;
        xy[2 * i] = input.xy[2 * i]!;
        xy[2 * i + 1] = input.xy[2 * i + 1]!;
    }
    return xy;
}

/** Vertices beyond which the hierarchy is made of distances from the root: dagre's time grows faster than its input. */
const DAGRE_MAX = 1500;

function hierarchy(input: LayoutInput): Float64Array {
    if (input.n > DAGRE_MAX || input.ends.length / 2 > 2 * DAGRE_MAX) return byRanks(input);
    const down = layered(input, 'TB');
    // Wide and flat ones are drawn from left to right, where labels have room.
    return down.width > 2 * down.height ? layered(input, 'LR').xy : down.xy;
}

/** Layers by dagre. With a root edges lead away from it, otherwise as they are. */
function layered(input: LayoutInput, rankdir: 'TB' | 'LR'): { xy: Float64Array; width: number; height: number } {
    const { n, ends, sizes, root } = input;
    const isDown = rankdir === 'TB';
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({
        rankdir,
        nodesep: isDown ? 26 : 6,
        ranksep: isDown ? 70 : 160,
        edgesep: 8,
        ranker: n > 300 ? 'longest-path' : 'network-simplex',
    });
    graph.setDefaultEdgeLabel(() => ({}));
    for (let i = 0; i < n; i += 1) {
        graph.setNode(String(i), {
            width: 2 * sizes[i]! + (isDown ? 44 : 60),
            height: 2 * sizes[i]! + (isDown ? 22 : 4),
        });
    }
    const rank = root >= 0 ? ranks(input).rank : null;
    for (let e = 0; e < ends.length; e += 2) {
        const [source, target] = [ends[e]!, ends[e + 1]!];
        if (source === target) continue;
        const isBack = rank !== null && rank[source]! > rank[target]!;
        graph.setEdge(String(isBack ? target : source), String(isBack ? source : target), {}, String(e));
    }
    dagre.layout(graph);
    const xy = new Float64Array(2 * n);
    let [width, height] = [0, 0];
    for (let i = 0; i < n; i += 1) {
        const node = graph.node(String(i)) as { x: number; y: number };
        xy[2 * i] = node.x;
        xy[2 * i + 1] = -node.y;
        width = Math.max(width, node.x);
        height = Math.max(height, node.y);
    }
    return { xy, width, height };
}

/** Distances from the root, then from the busiest vertex of each further component, in which they follow each other. */
export function ranks(input: LayoutInput): { rank: Int32Array; order: number[] } {
    const { n, ends, root } = input;
    const next: number[][] = Array.from({ length: n }, () => []);
    for (let e = 0; e < ends.length; e += 2) {
        next[ends[e]!]!.push(ends[e + 1]!);
        next[ends[e + 1]!]!.push(ends[e]!);
    }
    const busiest = Array.from({ length: n }, (_, i) => i).sort((a, b) => next[b]!.length - next[a]!.length);
    const rank = new Int32Array(n).fill(-1);
    const order: number[] = [];
    for (const start of root >= 0 ? [root, ...busiest] : busiest) {
        if (rank[start]! >= 0) continue;
        rank[start] = 0;
        order.push(start);
        for (let at = order.length - 1; at < order.length; at += 1) {
            for (const other of next[order[at]!]!) {
                if (rank[other]! >= 0) continue;
                rank[other] = rank[order[at]!]! + 1;
                order.push(other);
            }
        }
    }
    return { rank, order };
}

function byRanks(input: LayoutInput): Float64Array {
    const { rank, order } = ranks(input);
    const width = Math.max(40, Math.ceil(Math.sqrt(input.n) * 2));
    const rows: number[][] = [];
    for (const i of order) (rows[rank[i]!] ??= []).push(i);
    const xy = new Float64Array(2 * input.n);
    let y = 0;
    for (const row of rows) {
        row.forEach((i, at) => {
            const line = Math.floor(at / width);
            const inLine = Math.min(width, row.length - line * width);
            xy[2 * i] = ((at % width) - (inLine - 1) / 2) * 30;
            xy[2 * i + 1] = y - line * 30;
        });
        y -= Math.ceil(row.length / width) * 30 + 70;
    }
    return xy;
}

/** Rings by distance. On each, neighbours of the same vertex lie side by side. */
function radial(input: LayoutInput): Float64Array {
    const { rank, order } = ranks(input);
    const rings: number[][] = [];
    for (const i of order) (rings[rank[i]!] ??= []).push(i);
    const xy = new Float64Array(2 * input.n);
    let radius = 0;
    rings.forEach((ring, at) => {
        const needed = (ring.length * 34) / (2 * Math.PI);
        radius = at === 0 ? (ring.length > 1 ? Math.max(60, needed) : 0) : Math.max(radius + 110, needed);
        ring.forEach((i, k) => {
            const angle = (2 * Math.PI * k) / ring.length + at * 0.35;
            xy[2 * i] = radius * Math.cos(angle);
            xy[2 * i + 1] = radius * Math.sin(angle);
        });
    });
    return xy;
}

/** Vertices by label, then as they were. */
function byGroup(input: LayoutInput): number[] {
    return Array.from({ length: input.n }, (_, i) => i).sort((a, b) => input.groups[a]! - input.groups[b]! || a - b);
}

function circle(input: LayoutInput): Float64Array {
    const xy = new Float64Array(2 * input.n);
    const radius = Math.max(80, (input.n * 30) / (2 * Math.PI));
    byGroup(input).forEach((i, k) => {
        const angle = Math.PI / 2 - (2 * Math.PI * k) / input.n;
        xy[2 * i] = radius * Math.cos(angle);
        xy[2 * i + 1] = radius * Math.sin(angle);
    });
    return xy;
}

/** A block for each label, largest first, side by side in rows. */
function grid(input: LayoutInput): Float64Array {
    const blocks = new Map<number, number[]>();
    for (const i of byGroup(input)) {
        const block = blocks.get(input.groups[i]!);
        if (block) block.push(i);
        else blocks.set(input.groups[i]!, [i]);
    }
    const cell = 56;
    const total = Math.ceil(Math.sqrt(input.n)) * cell * 1.7;
    const xy = new Float64Array(2 * input.n);
    let [left, top, tallest] = [0, 0, 0];
    for (const block of [...blocks.values()].sort((a, b) => b.length - a.length)) {
        const columns = Math.ceil(Math.sqrt(block.length * 1.4));
        const [width, height] = [columns * cell, Math.ceil(block.length / columns) * cell];
        if (left > 0 && left + width > total) {
            left = 0;
            top -= tallest + cell;
            tallest = 0;
        }
        block.forEach((i, k) => {
            xy[2 * i] = left + (k % columns) * cell;
            xy[2 * i + 1] = top - Math.floor(k / columns) * cell;
        });
        left += width + cell;
        tallest = Math.max(tallest, height);
    }
    return xy;
}

function now(): number {
    return performance.now();
}
