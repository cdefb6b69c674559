// What lies above the drawing: labels (at most 200, chosen so that they do not overlap), rings around what is selected,
// marks of pinned vertices, and highlighted paths. A 2D canvas: the browser's own text, for all scripts.
import { arrowHead, edgeCurve, loopCurve, pointAt, trace, traceShape, type Curve } from './geometry';
import type { Key, SceneNode } from './scene';
import type { Point, Stage, View } from './stage';

/** What is in the foreground. */
export interface Foreground {
    readonly selection: ReadonlySet<Key>;
    readonly hovered: Key | null;
    /** Vertices and edges of the path that is shown. */
    readonly path: ReadonlySet<Key>;
    /** More text after a vertex's label, as "(+347)". */
    note(key: Key): string;
}

const LABELS_MAX = 200;
/** Fewer where vertices are dots: labels would hide them. */
const LABELS_FAR = 40;
const NEAR_PX = 4;
const FONT_PX = 12;
/** Edges up to which each has its label. */
const EDGE_LABELS_MAX = 40;

interface Label {
    readonly text: string;
    readonly x: number;
    readonly y: number;
}

interface Box {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
}

/** Rectangles on the stage, found by a grid. */
class Places {
    readonly #cells = new Map<number, { box: Box; owner: SceneNode | null }[]>();

    #of({ left, right, top, bottom }: Box): number[] {
        const found: number[] = [];
        for (let row = Math.floor(top / 32); row <= Math.floor(bottom / 32); row += 1) {
            for (let column = Math.floor(left / 96); column <= Math.floor(right / 96); column += 1)
                found.push(row * 4096 + column);
        }
        return found;
    }

    add(box: Box, owner: SceneNode | null): void {
        for (const cell of this.#of(box)) {
            const there = this.#cells.get(cell);
            if (there) there.push({ box, owner });
            else this.#cells.set(cell, [{ box, owner }]);
        }
    }

    /** Whether nothing but what belongs to `owner` is there. */
    isFree(box: Box, owner: SceneNode | null): boolean {
        for (const cell of this.#of(box)) {
            for (const other of this.#cells.get(cell) ?? []) {
                if (owner !== null && other.owner === owner) continue;
                const { left, right, top, bottom } = other.box;
                if (left < box.right && box.left < right && top < box.bottom && box.top < bottom) return false;
            }
        }
        return true;
    }
}

export interface Overlay {
    /** Draws over what the stage shows now. `at`: milliseconds, for the dashes that move. */
    draw(view: View, front: Foreground, at: number): void;
    /** Labels on screen. */
    readonly shown: number;
    paint(target: CanvasRenderingContext2D, view: View, front: Foreground, at: number): void;
}

export function createOverlay(canvas: HTMLCanvasElement, stage: () => Stage | null): Overlay {
    let shown = 0;
    const widths = new Map<string, number>();
    /** Vertices, largest first; made anew with each change of the structure. */
    let sorted: { scene: unknown; n: number; view: View; nodes: SceneNode[] } | null = null;

    function inOrder(view: View): SceneNode[] {
        if (sorted?.view !== view || sorted.n !== view.scene.nodes.size) {
            const sizes = new Map<SceneNode, number>();
            for (const node of view.scene.nodes.values()) {
                if (view.scene.nodeVisible(node))
                    sizes.set(node, view.node(node).size * 1000 + view.scene.edgesOf(node.key).size);
            }
            const nodes = [...sizes.keys()].sort((a, b) => sizes.get(b)! - sizes.get(a)!);
            sorted = { scene: view.scene, n: view.scene.nodes.size, view, nodes };
        }
        return sorted.nodes;
    }

    function width(context: CanvasRenderingContext2D, text: string): number {
        let known = widths.get(text);
        if (known === undefined) {
            if (widths.size > 5000) widths.clear();
            widths.set(text, (known = context.measureText(text).width));
        }
        return known;
    }

    function paint(context: CanvasRenderingContext2D, view: View, front: Foreground, at: number): void {
        const on = stage();
        if (!on) return;
        const size = on.size();
        const { scene, palette } = view;
        // The plane is shown without turning, so two points tell where all others are.
        const [zero, far] = [on.screen({ x: 0, y: 0 }), on.screen({ x: 1000, y: 1000 })];
        const [scaleX, scaleY] = [(far.x - zero.x) / 1000, (far.y - zero.y) / 1000];
        const place = (node: SceneNode): Point => ({ x: zero.x + node.x * scaleX, y: zero.y + node.y * scaleY });
        const seen = ({ x, y }: Point, border: number): boolean =>
            x > -border && y > -border && x < size.width + border && y < size.height + border;
        context.lineJoin = 'round';
        context.lineCap = 'round';

        const curveOf = (key: Key): Curve | null => {
            const drawn = scene.edges.get(key);
            if (!drawn || !scene.edgeVisible(drawn)) return null;
            const [source, target] = [scene.nodes.get(drawn.edge.source)!, scene.nodes.get(drawn.edge.target)!];
            const radius = on.radius(view.node(source).size);
            if (source === target) return loopCurve(place(source), radius, on.loop(key));
            const end = on.radius(view.node(target).size);
            return edgeCurve(place(source), place(target), radius, end + 1, on.bend(key));
        };

        const strokeEdge = (key: Key, color: string, line: number): Curve | null => {
            const curve = curveOf(key);
            if (!curve) return null;
            context.beginPath();
            trace(context, curve);
            context.strokeStyle = color;
            context.lineWidth = line;
            context.stroke();
            const [tip, left, right] = arrowHead(curve, 5 + 2.2 * line);
            context.beginPath();
            context.moveTo(tip.x, tip.y);
            context.lineTo(left.x, left.y);
            context.lineTo(right.x, right.y);
            context.closePath();
            context.fillStyle = color;
            context.fill();
            return curve;
        };

        for (const key of front.path) {
            const curve = strokeEdge(key, palette.text, 4);
            if (!curve) continue;
            context.beginPath();
            trace(context, curve);
            context.setLineDash([5, 9]);
            context.lineDashOffset = -(at / 40) % 14;
            context.strokeStyle = palette.ground;
            context.lineWidth = 1.6;
            context.stroke();
            context.setLineDash([]);
        }
        for (const key of front.selection)
            if (scene.edges.has(key) && !front.path.has(key)) strokeEdge(key, palette.accent, 3);
        if (front.hovered !== null && scene.edges.has(front.hovered)) strokeEdge(front.hovered, palette.text, 2);

        // Rings, and marks of what is pinned.
        const ring = (node: SceneNode, gap: number, color: string, line: number): void => {
            const { size: own, shape } = view.node(node);
            context.beginPath();
            traceShape(context, shape, place(node), on.radius(own) + gap);
            context.strokeStyle = color;
            context.lineWidth = line;
            context.stroke();
        };
        const first: SceneNode[] = [];
        for (const key of front.path) {
            const node = scene.nodes.get(key);
            if (node && scene.nodeVisible(node)) {
                ring(node, 2, palette.text, 2);
                first.push(node);
            }
        }
        for (const key of front.selection) {
            const node = scene.nodes.get(key);
            if (node && scene.nodeVisible(node) && seen(place(node), 60)) {
                ring(node, 4.5, palette.accent, 2.5);
                first.push(node);
            }
        }
        const hovered = front.hovered === null ? undefined : scene.nodes.get(front.hovered);
        if (hovered) {
            ring(hovered, 2.5, palette.text, 1.5);
            first.unshift(hovered);
        }
        if (scene.nodes.size <= 5000) {
            for (const node of scene.nodes.values()) {
                if (!node.pinned || !scene.nodeVisible(node)) continue;
                const middle = place(node);
                if (!seen(middle, 20)) continue;
                context.beginPath();
                context.arc(middle.x, middle.y, Math.max(2, on.radius(view.node(node).size) * 0.3), 0, 2 * Math.PI);
                context.fillStyle = palette.ground;
                context.fill();
            }
        }

        // Labels: what is in the foreground always, then the largest, each where nothing is yet.
        context.font = `${FONT_PX}px ${palette.font}`;
        context.textBaseline = 'middle';
        const labels: Label[] = [];
        const taken = new Places();
        const tryLabel = (node: SceneNode, forced: boolean): void => {
            const middle = place(node);
            if (!seen(middle, forced ? 0 : -2)) return;
            const look = view.node(node);
            const radius = on.radius(look.size);
            if (!forced && radius < 1.5) return;
            const text = look.caption + front.note(node.key);
            const wide = width(context, text);
            const x = middle.x + radius + (forced ? 10 : 5);
            const box = { left: x - 2, right: x + wide + 2, top: middle.y - 8, bottom: middle.y + 8 };
            if (!forced && !taken.isFree(box, node)) return;
            taken.add(box, null);
            labels.push({ text, x, y: middle.y });
        };
        // Vertices themselves are no place for the labels of others, as long as there are few.
        const order = inOrder(view);
        if (order.length <= 500) {
            for (const node of order) {
                const { x, y } = place(node);
                const r = on.radius(view.node(node).size);
                if (seen({ x, y }, 0)) taken.add({ left: x - r, right: x + r, top: y - r, bottom: y + r }, node);
            }
        }
        const near = order.length > 0 && on.radius(view.node(order[0]!).size) >= NEAR_PX;
        const most = near || order.length < LABELS_MAX ? LABELS_MAX : LABELS_FAR;
        const done = new Set<SceneNode>();
        for (const node of first) {
            if (done.has(node) || labels.length >= LABELS_MAX) continue;
            done.add(node);
            tryLabel(node, true);
        }
        for (const node of order) {
            if (view.plain === 2 || labels.length >= most) break;
            if (done.has(node) || view.dimmed?.(node.key)) continue;
            tryLabel(node, false);
        }
        for (const { text, x, y } of labels) write(context, text, x, y, palette.text, palette.ground);
        shown = labels.length;

        // Labels of edges.
        const named: Key[] = [];
        if (view.plain < 2 && scene.edges.size <= EDGE_LABELS_MAX) named.push(...scene.edges.keys());
        else {
            for (const key of front.path) if (scene.edges.has(key)) named.push(key);
            for (const key of front.selection) if (scene.edges.has(key)) named.push(key);
            if (front.hovered !== null && scene.edges.has(front.hovered)) named.push(front.hovered);
        }
        context.textAlign = 'center';
        for (const key of new Set(named.slice(0, LABELS_MAX))) {
            if (view.dimmed?.(key)) continue;
            const curve = curveOf(key);
            if (!curve) continue;
            const [a, b] = [curve[0]!, curve.at(-1)!];
            const text = [...scene.edges.get(key)!.edge.label].slice(0, 32).join('');
            const wide = width(context, text);
            if (curve.length === 2 && Math.hypot(a.x - b.x, a.y - b.y) < wide + 12 && front.hovered !== key) continue;
            const middle = pointAt(curve, 0.5);
            const box = {
                left: middle.x - wide / 2,
                right: middle.x + wide / 2,
                top: middle.y - 7,
                bottom: middle.y + 7,
            };
            if (!taken.isFree(box, null) && front.hovered !== key) continue;
            taken.add(box, null);
            write(context, text, middle.x, middle.y, palette.muted, palette.ground);
        }
        context.textAlign = 'left';
    }

    return {
        get shown() {
            return shown;
        },
        paint,
        draw(view, front, at) {
            const on = stage();
            const context = canvas.getContext('2d');
            if (!on || !context) return;
            const { width: w, height: h } = on.size();
            const ratio = devicePixelRatio || 1;
            if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
                canvas.width = Math.round(w * ratio);
                canvas.height = Math.round(h * ratio);
            }
            context.setTransform(ratio, 0, 0, ratio, 0, 0);
            context.clearRect(0, 0, w, h);
            paint(context, view, front, at);
        },
    };
}

function write(
    context: CanvasRenderingContext2D,
    text: string,
    x: number,
    y: number,
    color: string,
    ground: string,
): void {
    context.strokeStyle = ground;
    context.lineWidth = 3;
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
}
