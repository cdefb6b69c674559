// Drawing on a plain canvas, for browsers without WebGL2: up to 500 vertices; above that the page shows the table.
import { arrowHead, bendOf, edgeCurve, loopCurve, loopOf, pointAt, trace, traceShape, type Curve } from './geometry';
import type { Key } from './scene';
import { framing, sizeFactor, type Camera, type Handlers, type Point, type Stage, type View } from './stage';

/** Vertices that a plain canvas draws. */
export const CANVAS_NODES_MAX = 500;

/** Starts drawing into `container`; `after` is called after each frame. */
export function createCanvasStage(container: HTMLElement, handlers: Handlers, after: () => void): Stage {
    const canvas = document.createElement('canvas');
    canvas.className = 'stage';
    container.append(canvas);
    let view: View | null = null;
    let camera: Camera = { x: 0, y: 0, zoom: 1 };
    let frame = 0;
    let bends = new Map<Key, { bend: number; loop: number }>();
    const resized = new ResizeObserver(() => redraw());
    resized.observe(container);

    const size = () => ({ width: container.clientWidth, height: container.clientHeight });
    const screen = ({ x, y }: Point): Point => {
        const { width, height } = size();
        return { x: width / 2 + (x - camera.x) * camera.zoom, y: height / 2 - (y - camera.y) * camera.zoom };
    };
    const plane = ({ x, y }: Point): Point => {
        const { width, height } = size();
        return { x: camera.x + (x - width / 2) / camera.zoom, y: camera.y - (y - height / 2) / camera.zoom };
    };
    const radius = (own: number): number => own * sizeFactor(camera.zoom);

    function curveOf(key: Key): Curve | null {
        const drawn = view?.scene.edges.get(key);
        if (!view || !drawn) return null;
        const source = view.scene.nodes.get(drawn.edge.source)!;
        const target = view.scene.nodes.get(drawn.edge.target)!;
        const { bend, loop } = bends.get(key) ?? { bend: 0, loop: loopOf(0) };
        if (source === target) return loopCurve(screen(source), radius(view.node(source).size), loop);
        return edgeCurve(
            screen(source),
            screen(target),
            radius(view.node(source).size),
            radius(view.node(target).size),
            bend,
        );
    }

    function paint(context: CanvasRenderingContext2D): void {
        if (!view) return;
        const { scene } = view;
        for (const edge of scene.edges.values()) {
            if (!scene.edgeVisible(edge)) continue;
            const curve = curveOf(edge.key);
            if (!curve) continue;
            const { color, width, opacity } = view.edge(edge);
            context.globalAlpha = view.dimmed?.(edge.key) ? 0.1 : opacity;
            context.beginPath();
            trace(context, curve);
            context.strokeStyle = color;
            context.lineWidth = width;
            context.stroke();
            context.beginPath();
            arrowHead(curve, 5 + 2 * width).forEach((p, i) =>
                i === 0 ? context.moveTo(p.x, p.y) : context.lineTo(p.x, p.y),
            );
            context.fillStyle = color;
            context.fill();
        }
        for (const node of scene.nodes.values()) {
            if (!scene.nodeVisible(node)) continue;
            const look = view.node(node);
            context.globalAlpha = view.dimmed?.(node.key) ? 0.18 : 1;
            context.beginPath();
            traceShape(context, look.shape, screen(node), radius(look.size));
            context.fillStyle = look.color;
            context.fill();
        }
        context.globalAlpha = 1;
    }

    function redraw(): void {
        if (frame) return;
        frame = requestAnimationFrame(() => {
            frame = 0;
            const context = canvas.getContext('2d');
            if (!context) return;
            const { width, height } = size();
            const ratio = devicePixelRatio || 1;
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
            context.setTransform(ratio, 0, 0, ratio, 0, 0);
            paint(context);
            after();
        });
    }

    function pick(at: Point): Key | null {
        if (!view) return null;
        let best: { key: Key; distance: number } | null = null;
        for (const node of view.scene.nodes.values()) {
            if (!view.scene.nodeVisible(node)) continue;
            const place = screen(node);
            const distance = Math.hypot(place.x - at.x, place.y - at.y) - radius(view.node(node).size);
            if (distance <= 3 && (!best || distance < best.distance)) best = { key: node.key, distance };
        }
        if (best) return best.key;
        for (const edge of view.scene.edges.values()) {
            if (!view.scene.edgeVisible(edge)) continue;
            const curve = curveOf(edge.key);
            if (!curve) continue;
            for (let t = 0; t <= 16; t += 1) {
                const p = pointAt(curve, t / 16);
                if (Math.hypot(p.x - at.x, p.y - at.y) < 5) return edge.key;
            }
        }
        return null;
    }

    const at = (event: MouseEvent): Point => {
        const box = canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    let down: { at: Point; camera: Camera; keys: Key[]; from: Map<Key, Point>; moved: boolean } | null = null;

    canvas.addEventListener('pointerdown', (event) => {
        if (event.button !== 0) return;
        const key = pick(at(event));
        const keys = key !== null && view?.scene.nodes.has(key) ? handlers.dragged(key) : [];
        const from = new Map(keys.map((one) => [one, { ...view!.scene.nodes.get(one)! }]));
        down = { at: at(event), camera: { ...camera }, keys, from, moved: false };
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
        const now = at(event);
        if (!down) {
            handlers.hover(pick(now));
            return;
        }
        const [dx, dy] = [now.x - down.at.x, now.y - down.at.y];
        if (!down.moved && Math.hypot(dx, dy) < 3) return;
        if (!down.moved && down.keys.length > 0) handlers.dragStart(down.keys);
        down.moved = true;
        if (down.keys.length === 0) {
            camera = { ...down.camera, x: down.camera.x - dx / camera.zoom, y: down.camera.y + dy / camera.zoom };
            handlers.camera(true);
        } else {
            for (const [key, place] of down.from) {
                const node = view?.scene.nodes.get(key);
                if (node) Object.assign(node, { x: place.x + dx / camera.zoom, y: place.y - dy / camera.zoom });
            }
            handlers.drag();
        }
        redraw();
    });
    canvas.addEventListener('pointerup', (event) => {
        if (!down) return;
        const { moved, keys } = down;
        down = null;
        if (moved && keys.length > 0) handlers.dragEnd();
        if (!moved) handlers.click(pick(at(event)), event.shiftKey || event.ctrlKey || event.metaKey);
    });
    canvas.addEventListener('dblclick', (event) => handlers.doubleClick(pick(at(event))));
    canvas.addEventListener('contextmenu', (event) => {
        event.preventDefault();
        handlers.menu(pick(at(event)), at(event));
    });
    canvas.addEventListener(
        'wheel',
        (event) => {
            event.preventDefault();
            const before = plane(at(event));
            camera = { ...camera, zoom: Math.min(8, Math.max(0.02, camera.zoom * 1.2 ** (event.deltaY < 0 ? 1 : -1))) };
            const now = plane(at(event));
            camera = { ...camera, x: camera.x + before.x - now.x, y: camera.y + before.y - now.y };
            handlers.camera(true);
            redraw();
        },
        { passive: false },
    );

    const stage: Stage = {
        kind: 'canvas',
        hidesEdges: false,
        structure(next) {
            bends = new Map();
            const groups = new Map<string, Key[]>();
            for (const { key, edge } of next.scene.edges.values()) {
                const pair = [edge.source, edge.target].sort().join(' ');
                const group = groups.get(pair);
                if (group) group.push(key);
                else groups.set(pair, [key]);
            }
            for (const group of groups.values()) {
                group.forEach((key, i) => {
                    const { source, target } = next.scene.edges.get(key)!.edge;
                    bends.set(key, { bend: bendOf(i, group.length, source <= target), loop: loopOf(i) });
                });
            }
            stage.looks(next);
        },
        looks(next) {
            view = next;
            redraw();
        },
        positions: redraw,
        camera: () => camera,
        setCamera(to) {
            camera = to;
            handlers.camera(false);
            redraw();
        },
        fit(keys) {
            if (!view) return;
            const { scene } = view;
            const chosen = keys ? [...keys].flatMap((key) => scene.nodes.get(key) ?? []) : [...scene.nodes.values()];
            const to = framing(
                chosen.filter((node) => scene.nodeVisible(node)),
                size(),
                56,
            );
            if (to) stage.setCamera(to, false);
        },
        screen,
        plane,
        radius,
        bend: (edge) => bends.get(edge)?.bend ?? 0,
        loop: (edge) => bends.get(edge)?.loop ?? loopOf(0),
        size,
        paint: (target) => paint(target),
        redraw,
        destroy() {
            resized.disconnect();
            cancelAnimationFrame(frame);
            canvas.remove();
        },
    };
    return stage;
}
