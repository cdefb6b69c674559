// What draws a scene: sigma where there is WebGL2, else a plain canvas. The page knows only this.
import type { EdgeLook, NodeLook, Palette } from './look';
import type { Plain } from './pace';
import type { Key, Scene, SceneEdge, SceneNode } from './scene';

/** What is shown: the scene and how its parts look at the moment. */
export interface View {
    readonly scene: Scene;
    readonly palette: Palette;
    node(node: SceneNode): NodeLook;
    edge(edge: SceneEdge): EdgeLook;
    /** Whether something else is in the foreground; null: nothing is. */
    dimmed: ((key: Key) => boolean) | null;
    /** What is left out because drawing is slow here. */
    plain: Plain;
}

export interface Point {
    x: number;
    y: number;
}

/** The part of the plane that is seen: its middle and pixels per unit. */
export interface Camera extends Point {
    zoom: number;
}

/** What a hand does. Places are in pixels from the stage's upper left corner. */
export interface Handlers {
    /** `key` is null on the ground. `many`: with Shift or Ctrl. */
    click(key: Key | null, many: boolean): void;
    doubleClick(key: Key | null): void;
    menu(key: Key | null, at: Point): void;
    hover(key: Key | null): void;
    dragStart(keys: readonly Key[]): void;
    drag(): void;
    dragEnd(): void;
    /** The camera moved; `byHand` if not by `fit` or `setCamera`. */
    camera(byHand: boolean): void;
    /** Which vertices move with the one that is dragged. */
    dragged(key: Key): Key[];
}

export interface Stage {
    readonly kind: 'webgl' | 'canvas';
    /** Edges are left out while the view moves: there are too many of them. */
    readonly hidesEdges: boolean;
    /** Vertices or edges came or went. */
    structure(view: View): void;
    /** Colours, sizes and what is dimmed. */
    looks(view: View): void;
    /** Places, as the scene has them. */
    positions(view: View): void;
    camera(): Camera;
    setCamera(camera: Camera, animate: boolean): void;
    /** Shows these vertices, all if none are given. */
    fit(keys: Iterable<Key> | null, animate: boolean): void;
    /** Where a place of the plane is on the stage. */
    screen(place: Point): Point;
    plane(at: Point): Point;
    /** Radius on the stage. */
    radius(size: number): number;
    /** Bend of an edge between others with the same ends: distance of the control point by length. */
    bend(edge: Key): number;
    /** Radius of a loop by that of its vertex. */
    loop(edge: Key): number;
    size(): { width: number; height: number };
    /** Draws what is on screen to a canvas, in its pixels. */
    paint(target: CanvasRenderingContext2D, width: number, height: number): void;
    redraw(): void;
    destroy(): void;
}

/** Growth of sizes with the zoom: less than proportional, so that near views do not fill with one vertex. */
export function sizeFactor(zoom: number): number {
    return Math.min(1.5, Math.max(0.55, Math.sqrt(zoom)));
}

/** Room for a label right of what is outermost, in pixels. */
const LABEL = 90;

/** The camera that shows a rectangle of the plane. */
export function framing(
    places: Iterable<Point>,
    stage: { width: number; height: number },
    margin: number,
): Camera | null {
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of places) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        bottom = Math.min(bottom, y);
        top = Math.max(top, y);
    }
    if (left > right) return null;
    const width = Math.max(40, stage.width - 2 * margin - LABEL);
    const height = Math.max(40, stage.height - 2 * margin);
    const zoom = Math.min(width / Math.max(1, right - left), height / Math.max(1, top - bottom), 1.4);
    return { x: (left + right + LABEL / zoom) / 2, y: (bottom + top) / 2, zoom };
}
