// Lines between vertices on the stage, for what is drawn above it, for pictures and for the plain canvas.
import type { Point } from './stage';

/** A curve as Bezier points: 2 for a line, 3 for a bend, 4 for a loop. */
export type Curve = readonly Point[];

/** Bend of the nth of several edges with the same ends, seen from its source; `forward`: source before target. */
export function bendOf(index: number, count: number, forward: boolean): number {
    if (count < 2) return 0;
    const bend = (index - (count - 1) / 2) * SPREAD;
    return forward ? bend : -bend;
}

/** Radius of the nth loop at a vertex, by that of the vertex. */
export function loopOf(index: number): number {
    return 3.5 + 1.25 * index;
}

/** Distance between two parallel edges by their length. */
export const SPREAD = 0.25;

/** The way from one vertex to another on the stage, whose y grows downwards, between the borders of both. */
export function edgeCurve(from: Point, to: Point, fromRadius: number, toRadius: number, bend: number): Curve {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const control = { x: (from.x + to.x) / 2 + dy * bend, y: (from.y + to.y) / 2 - dx * bend };
    const start = bend === 0 ? to : control;
    const end = bend === 0 ? from : control;
    const a = towards(from, start, fromRadius);
    const b = towards(to, end, toRadius);
    return bend === 0 ? [a, b] : [a, control, b];
}

/** A loop: `factor` is its radius by that of the vertex. */
export function loopCurve(at: Point, radius: number, factor: number): Curve {
    const half = (40 * Math.PI) / 180;
    const angle = -Math.PI / 4;
    const far = (radius * factor) / (0.75 * Math.cos(half));
    const control = (turn: number): Point => ({
        x: at.x + far * Math.cos(angle + turn),
        y: at.y + far * Math.sin(angle + turn),
    });
    const [first, last] = [control(half), control(-half)];
    return [towards(at, first, radius), first, last, towards(at, last, radius)];
}

function towards(from: Point, to: Point, distance: number): Point {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length <= distance || length === 0) return from;
    return { x: from.x + ((to.x - from.x) * distance) / length, y: from.y + ((to.y - from.y) * distance) / length };
}

/** The point at part `t` of a curve. */
export function pointAt(curve: Curve, t: number): Point {
    let points: Point[] = [...curve];
    while (points.length > 1) {
        points = points.slice(1).map((p, i) => ({
            x: points[i]!.x + (p.x - points[i]!.x) * t,
            y: points[i]!.y + (p.y - points[i]!.y) * t,
        }));
    }
    return points[0]!;
}

export function trace(context: CanvasRenderingContext2D, curve: Curve): void {
    const [a, b, c, d] = curve;
    context.moveTo(a!.x, a!.y);
    if (d) context.bezierCurveTo(b!.x, b!.y, c!.x, c!.y, d.x, d.y);
    else if (c) context.quadraticCurveTo(b!.x, b!.y, c.x, c.y);
    else context.lineTo(b!.x, b!.y);
}

/** Corners of the head of an arrow at the end of a curve. */
export function arrowHead(curve: Curve, length: number): [Point, Point, Point] {
    const tip = curve.at(-1)!;
    const before = curve.at(-2)!;
    const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
    const corner = (turn: number): Point => ({
        x: tip.x - length * Math.cos(angle + turn),
        y: tip.y - length * Math.sin(angle + turn),
    });
    return [tip, corner(0.42), corner(-0.42)];
}

/** Corners of a vertex's shape around its middle; null for a circle. Areas are about those of the circle. */
export function corners(shape: string, at: Point, radius: number): Point[] | null {
    const { x, y } = at;
    const r = radius;
    switch (shape) {
        case 'square':
            return [
                { x: x - r * 0.88, y: y - r * 0.88 },
                { x: x + r * 0.88, y: y - r * 0.88 },
                { x: x + r * 0.88, y: y + r * 0.88 },
                { x: x - r * 0.88, y: y + r * 0.88 },
            ];
        case 'diamond':
            return [
                { x, y: y - r * 1.2 },
                { x: x + r * 1.2, y },
                { x, y: y + r * 1.2 },
                { x: x - r * 1.2, y },
            ];
        case 'triangle':
            return [
                { x, y: y - r * 1.2 },
                { x: x + r * 1.12, y: y + r * 0.8 },
                { x: x - r * 1.12, y: y + r * 0.8 },
            ];
        default:
            return null;
    }
}

export function traceShape(context: CanvasRenderingContext2D, shape: string, at: Point, radius: number): void {
    const points = corners(shape, at, radius);
    if (!points) {
        context.moveTo(at.x + radius, at.y);
        context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
        return;
    }
    points.forEach((p, i) => (i === 0 ? context.moveTo(p.x, p.y) : context.lineTo(p.x, p.y)));
    context.closePath();
}
