// Where the labels of a schema are drawn: layers by dagre.
import { Graph, layout } from '@dagrejs/dagre';
import { stringify } from '../../api/json';
import type { Schema } from '../../api/types';

export interface Box {
    name: string;
    lines: string[];
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Line {
    key: string;
    /** Edge labels with the same ends are one line. */
    names: string[];
    path: string;
    x: number;
    y: number;
}

export interface Drawing {
    boxes: Box[];
    lines: Line[];
    width: number;
    height: number;
}

const PROPERTIES_MAX = 6;
const LINE = 16;
const SIGN = 7;
const SHOWN_NAMES = 3;
/** Room below a box for the loop of edge labels that lead back to it. */
const LOOP = 56;

/** The width of a text of a drawing, as estimated: Chinese signs are twice as wide. */
function widthOf(text: string): number {
    return [...text].reduce((sum, sign) => sum + (sign.charCodeAt(0) > 0x2e80 ? 2 * SIGN : SIGN), 0);
}

/** A long name, cut in the middle of the drawing's limits. */
export function cut(text: string, max = 28): string {
    return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

interface Point {
    x: number;
    y: number;
}

/** The line from a box back to it, below. */
function loop(box: Box, names: number): { path: string; x: number; y: number } {
    const [x, y] = [box.x + box.width / 2, box.y + box.height];
    const shown = Math.min(names, SHOWN_NAMES + 1);
    const path = `M${x - 24} ${y}C${x - 40} ${y + 44} ${x + 40} ${y + 44} ${x + 24} ${y}`;
    return { path, x, y: y + LOOP - 8 - ((shown - 1) * LINE) / 2 };
}

/** Places all labels. */
export function draw(schema: Schema): Drawing {
    const graph = new Graph({ multigraph: true });
    graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 90, edgesep: 16, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    const lines = new Map<string, { from: string; to: string; names: string[] }>();
    for (const { name, source_label: from, target_label: to } of schema.edgelabels) {
        const key = stringify([from, to]);
        const line = lines.get(key) ?? { from, to, names: [] };
        line.names.push(name);
        lines.set(key, line);
    }
    const loopRoom = (name: string): number => (lines.has(stringify([name, name])) ? LOOP : 0);
    for (const label of schema.vertexlabels) {
        const shown = label.properties.slice(0, PROPERTIES_MAX).map((name) => cut(name));
        if (label.properties.length > PROPERTIES_MAX) shown.push(`+ ${label.properties.length - PROPERTIES_MAX}`);
        const width = Math.max(80, ...[cut(label.name), ...shown].map((text) => widthOf(text) + 24));
        const height = 28 + shown.length * LINE + loopRoom(label.name);
        graph.setNode(label.name, { lines: shown, width, height });
    }
    for (const [key, { from, to, names }] of lines) {
        if (!graph.hasNode(from) || !graph.hasNode(to)) lines.delete(key);
        else if (from !== to) {
            const shown = names.slice(0, SHOWN_NAMES);
            const width = Math.max(...shown.map((name) => widthOf(cut(name)))) * 0.92;
            const height = Math.min(names.length, SHOWN_NAMES + 1) * LINE;
            graph.setEdge(from, to, { width, height, labelpos: 'c' }, key);
        }
    }
    layout(graph);
    const boxes = schema.vertexlabels.map((label) => {
        const { x, y, width, height, lines } = graph.node(label.name) as Box;
        const own = height - loopRoom(label.name);
        return { name: label.name, lines, x: x - width / 2, y: y - height / 2, width, height: own };
    });
    const drawn = [...lines].map(([key, { from, to, names }]) => {
        const box = from === to ? boxes.find((one) => one.name === from) : undefined;
        if (box) return { key, names, ...loop(box, names.length) };
        const edge = graph.edge({ v: from, w: to, name: key }) as { points: Point[]; x?: number; y?: number };
        const path = edge.points
            .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
            .join('');
        const middle = edge.points[Math.floor(edge.points.length / 2)] ?? { x: 0, y: 0 };
        return { key, names, path, x: edge.x ?? middle.x, y: edge.y ?? middle.y };
    });
    const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
    return { boxes, lines: drawn, width: Math.max(1, width), height: Math.max(1, height) };
}

export { SHOWN_NAMES, LINE };
