// Boxes in layers, by dagre: what the worker computes for the drawing of a schema.
import { Graph, layout } from '@dagrejs/dagre';

export interface LayersInput {
    readonly boxes: readonly { readonly name: string; readonly width: number; readonly height: number }[];
    /** Lines from box to box; `width` and `height` are those of the text in their middle. */
    readonly lines: readonly {
        readonly key: string;
        readonly from: string;
        readonly to: string;
        readonly width: number;
        readonly height: number;
    }[];
}

interface Point {
    readonly x: number;
    readonly y: number;
}

export interface LayersOutput {
    /** The middle of each box, in the order of the input. */
    readonly boxes: readonly Point[];
    /** Of each line, in the order of the input, its points and the middle of its text. */
    readonly lines: readonly { readonly points: readonly Point[]; readonly x: number; readonly y: number }[];
    readonly width: number;
    readonly height: number;
}

/** Places boxes from left to right. */
export function placeLayers({ boxes, lines }: LayersInput): LayersOutput {
    const graph = new Graph({ multigraph: true });
    graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 90, edgesep: 16, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    // By numbers: dagre keeps its nodes as properties of an object, where a name may be one that every object has.
    const at = new Map(boxes.map(({ name }, i) => [name, String(i)]));
    boxes.forEach(({ width, height }, i) => graph.setNode(String(i), { width, height }));
    const ends = lines.map(({ from, to }) => ({ v: at.get(from) ?? '', w: at.get(to) ?? '' }));
    lines.forEach(({ width, height }, i) => {
        graph.setEdge(ends[i]!.v, ends[i]!.w, { width, height, labelpos: 'c' }, String(i));
    });
    layout(graph);
    const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
    return {
        boxes: boxes.map((_, i) => {
            const { x, y } = graph.node(String(i)) as Point;
            return { x, y };
        }),
        lines: lines.map((_, i) => {
            const edge = graph.edge({ ...ends[i]!, name: String(i) }) as { points: Point[]; x?: number; y?: number };
            const points = edge.points.map(({ x, y }) => ({ x, y }));
            const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
            return { points, x: edge.x ?? middle.x, y: edge.y ?? middle.y };
        }),
        width: Math.max(1, width),
        height: Math.max(1, height),
    };
}
