// Drawing with sigma (WebGL2). The only file that knows sigma, so that another library could take its place.
// Nothing is bound to its `label` style: sigma makes an atlas of all glyphs, which costs seconds and hundreds of
// megabytes with Chinese names. Labels are drawn by labels.ts.
import { MultiDirectedGraph } from 'graphology';
import Sigma from 'sigma';
import {
    extremityArrow,
    layerFill,
    layerPlain,
    pathCurved,
    pathLine,
    pathLoop,
    sdfCircle,
    sdfDiamond,
    sdfSquare,
    sdfTriangle,
} from 'sigma/rendering';
import { SPREAD } from './geometry';
import type { Key } from './scene';
import { framing, sizeFactor, type Camera, type Handlers, type Point, type Stage, type View } from './stage';

type NodeAttributes = { x: number; y: number; size: number; color: string; shape: string; opacity: number };
type EdgeAttributes = { size: number; color: string; opacity: number; head: string };
type Drawing = MultiDirectedGraph<NodeAttributes, EdgeAttributes>;

/** Changes of the structure up to which the drawing is changed instead of made anew. */
const CHANGES_MAX = 800;
/** Edges above which they are hidden while the view moves, and are not looked at for the pointer. */
const EDGES_MANY = 5000;
/** Edges above which they have no arrows. */
const ARROWS_MAX = 12_000;
/** The plane is mapped to sigma's own square by this rectangle. It never changes, so nothing jumps. */
const BOX = { x: [-1000, 1000] as [number, number], y: [-1000, 1000] as [number, number] };

const DIM_NODE = 0.18;
const DIM_EDGE = 0.1;

/** Radius of the first loop at a vertex, in sigma's measure: half the vertex's radius. */
const LOOP = 7;

/** Sigma's loops, larger, so that they can be told from their vertex. */
function loops(): ReturnType<typeof pathLoop> {
    const path = pathLoop();
    return {
        ...path,
        variables: { ...path.variables, loopRadius: { type: 'number', default: LOOP } },
        spread: { variable: 'loopRadius', compute: (index) => LOOP + 2.5 * index },
    };
}

/** Whether this browser can draw with WebGL2. */
export function hasWebgl(): boolean {
    try {
        return !!document.createElement('canvas').getContext('webgl2');
    } catch {
        return false;
    }
}

interface Dragged {
    /** Where a vertex is while it is dragged. */
    place(key: Key): Point;
}

/** Starts drawing into `container`; `after` is called after each frame. */
export function createRenderer(container: HTMLElement, handlers: Handlers, after: () => void): Stage {
    let graph: Drawing = new MultiDirectedGraph();
    let unit = 1;
    let dragging: Key[] = [];
    let moved = false;
    let byHand = true;
    let gone = false;

    const sigma = new Sigma<NodeAttributes, EdgeAttributes>(graph, container, {
        primitives: {
            nodes: {
                shapes: [sdfCircle(), sdfSquare(), sdfDiamond(), sdfTriangle()],
                layers: [layerFill()],
            },
            edges: {
                paths: [pathLine(), pathCurved(), loops()],
                extremities: [extremityArrow({ lengthRatio: 5.5, widthRatio: 4.5 })],
                layers: [layerPlain()],
            },
        },
        styles: {
            nodes: {
                x: { attribute: 'x' },
                y: { attribute: 'y' },
                size: { attribute: 'size' },
                color: { attribute: 'color' },
                shape: { attribute: 'shape' },
                opacity: { attribute: 'opacity' },
                labelVisibility: 'hidden',
                backdropVisibility: 'hidden',
                depth: 'nodes',
                cursor: 'pointer',
            },
            edges: {
                size: { attribute: 'size' },
                color: { attribute: 'color' },
                opacity: { attribute: 'opacity' },
                head: { attribute: 'head' },
                path: 'straight',
                parallelPath: 'curved',
                selfLoopPath: 'loop',
                parallelSpread: SPREAD,
                depth: 'edges',
                cursor: 'pointer',
            },
        },
        settings: {
            itemSizesReference: 'screen',
            zoomToSizeRatioFunction: (ratio) => 1 / sizeFactor(unit / ratio),
            renderLabels: false,
            renderEdgeLabels: false,
            enableEdgeEvents: true,
            enableNodeDrag: true,
            enableCameraRotation: false,
            getDraggedNodes: (key) => handlers.dragged(key).filter((other) => graph.hasNode(other)),
            minEdgeThickness: 0.6,
            stagePadding: 0,
            nodePickingPadding: 3,
            edgePickingPadding: 4,
            doubleClickZoomingDuration: 0,
            doubleClickZoomingRatio: 1,
            allowInvalidContainer: true,
        },
    });
    sigma.setCustomBBox(BOX);
    sigma.refresh();
    measure();

    /** Pixels per unit of the plane at sigma's camera ratio 1. */
    function measure(): void {
        const cameraState = { x: 0.5, y: 0.5, angle: 0, ratio: 1 };
        const [a, b] = [0, 1].map((x) => sigma.graphToViewport({ x, y: 0 }, { cameraState }));
        unit = Math.max(1e-6, b!.x - a!.x);
    }

    const many = (event: MouseEvent | TouchEvent): boolean => event.shiftKey || event.ctrlKey || event.metaKey;
    const camera = sigma.getCamera();
    sigma.on('clickNode', ({ node, event }) => handlers.click(node, many(event.original)));
    sigma.on('clickEdge', ({ edge, event }) => handlers.click(edge, many(event.original)));
    sigma.on('clickStage', ({ event }) => handlers.click(null, many(event.original)));
    // What two clicks are is the system's to say, by when the button went down: sigma's own clock of 300 ms runs out
    // while the first click is drawn, and takes two vertices clicked in turn for one. Only taps are left to it.
    let pressed: Key | null = null;
    sigma.on('downNode', ({ node }) => (pressed = node));
    sigma.on('downEdge', ({ edge }) => (pressed = edge));
    sigma.on('downStage', () => (pressed = null));
    const isTap = (event: Event): boolean =>
        'touches' in event || (event instanceof PointerEvent && event.pointerType === 'touch');
    const twice = (
        key: Key | null,
        payload: { event: { original: MouseEvent | TouchEvent }; preventSigmaDefault(): void },
    ): void => {
        payload.preventSigmaDefault();
        const { original } = payload.event;
        if (isTap(original)) handlers.doubleClick(key);
        else handlers.click(key, many(original));
    };
    sigma.on('doubleClickNode', (payload) => twice(payload.node, payload));
    sigma.on('doubleClickEdge', (payload) => twice(payload.edge, payload));
    sigma.on('doubleClickStage', (payload) => twice(null, payload));
    let tapped = false;
    const down = (event: PointerEvent): void => void (tapped = isTap(event));
    const doubleClicked = (): void => {
        if (!tapped) handlers.doubleClick(pressed);
    };
    container.addEventListener('pointerdown', down, { capture: true });
    container.addEventListener('dblclick', doubleClicked);
    const menu = (
        key: Key | null,
        payload: { event: { x: number; y: number; original: Event }; preventSigmaDefault(): void },
    ) => {
        payload.preventSigmaDefault();
        payload.event.original.preventDefault();
        handlers.menu(key, { x: payload.event.x, y: payload.event.y });
    };
    sigma.on('rightClickNode', (payload) => menu(payload.node, payload));
    sigma.on('rightClickEdge', (payload) => menu(payload.edge, payload));
    sigma.on('rightClickStage', (payload) => menu(null, payload));
    sigma.on('enterNode', ({ node }) => handlers.hover(node));
    sigma.on('leaveNode', () => handlers.hover(null));
    sigma.on('enterEdge', ({ edge }) => handlers.hover(edge));
    sigma.on('leaveEdge', () => handlers.hover(null));
    sigma.on('nodeDragStart', ({ allDraggedNodes }) => {
        dragging = allDraggedNodes;
        moved = false;
        handlers.dragStart(dragging);
    });
    sigma.on('nodeDrag', () => {
        moved = true;
        handlers.drag();
    });
    sigma.on('nodeDragEnd', () => {
        if (moved) handlers.dragEnd();
        dragging = [];
    });
    sigma.on('afterRender', after);
    sigma.on('resize', measure);
    camera.on('updated', () => handlers.camera(byHand));

    function nodeAttributes(view: View, key: Key): NodeAttributes {
        const node = view.scene.nodes.get(key)!;
        const { color, shape, size } = view.node(node);
        return { x: node.x, y: node.y, size, color, shape, opacity: view.dimmed?.(key) ? DIM_NODE : 1 };
    }

    function edgeAttributes(view: View, key: Key): EdgeAttributes {
        const { color, width, opacity } = view.edge(view.scene.edges.get(key)!);
        const head = view.plain > 0 || view.scene.edges.size > ARROWS_MAX ? 'none' : 'arrow';
        return { size: width, color, opacity: view.dimmed?.(key) ? DIM_EDGE * opacity : opacity, head };
    }

    const stage: Stage = {
        kind: 'webgl',
        get hidesEdges() {
            return sigma.getSetting('hideEdgesOnMove');
        },

        structure(view) {
            const { scene } = view;
            const nodes = [...scene.nodes.values()].filter((node) => scene.nodeVisible(node));
            const edges = [...scene.edges.values()].filter((edge) => scene.edgeVisible(edge));
            const isMany = edges.length > EDGES_MANY;
            if (sigma.getSetting('hideEdgesOnMove') !== isMany) {
                sigma.setSettings({ hideEdgesOnMove: isMany, enableEdgeEvents: !isMany });
                // Changed settings clear sigma's indices, which partial updates need.
                sigma.refresh();
            }
            const fresh = nodes.filter(({ key }) => !graph.hasNode(key));
            const freshEdges = edges.filter(({ key }) => !graph.hasEdge(key));
            const gone = graph.order - (nodes.length - fresh.length);
            const goneEdges = graph.size - (edges.length - freshEdges.length);
            if (fresh.length + freshEdges.length + gone + goneEdges > CHANGES_MAX) {
                const next: Drawing = new MultiDirectedGraph();
                for (const { key } of nodes) next.addNode(key, nodeAttributes(view, key));
                for (const { key, edge } of edges) {
                    next.addDirectedEdgeWithKey(key, edge.source, edge.target, edgeAttributes(view, key));
                }
                graph = next;
                sigma.setGraph(graph);
                return;
            }
            // First what stays: sigma updates only what it has already indexed.
            stage.looks(view);
            if (goneEdges > 0) {
                const kept = new Set(edges.map(({ key }) => key));
                for (const key of graph.edges()) if (!kept.has(key)) graph.dropEdge(key);
            }
            if (gone > 0) {
                const kept = new Set(nodes.map(({ key }) => key));
                for (const key of graph.nodes()) if (!kept.has(key)) graph.dropNode(key);
            }
            for (const { key } of fresh) graph.addNode(key, nodeAttributes(view, key));
            for (const { key, edge } of freshEdges) {
                graph.addDirectedEdgeWithKey(key, edge.source, edge.target, edgeAttributes(view, key));
            }
            sigma.refresh();
        },

        looks(view) {
            const { nodes, edges } = view.scene;
            graph.updateEachNodeAttributes((key, old) => (nodes.has(key) ? nodeAttributes(view, key) : old), {
                attributes: ['size', 'color', 'shape', 'opacity', 'x', 'y'],
            });
            graph.updateEachEdgeAttributes((key, old) => (edges.has(key) ? edgeAttributes(view, key) : old), {
                attributes: ['size', 'color', 'opacity', 'head'],
            });
        },

        positions({ scene }) {
            const held = new Set(dragging);
            graph.updateEachNodeAttributes(
                (key, attributes) => {
                    const node = scene.nodes.get(key);
                    if (!node || held.has(key)) return attributes;
                    attributes.x = node.x;
                    attributes.y = node.y;
                    return attributes;
                },
                { attributes: ['x', 'y'] },
            );
        },

        camera() {
            const state = camera.getState();
            const { x, y } = sigma.framedGraphToGraph(state);
            return { x, y, zoom: unit / state.ratio };
        },

        setCamera({ x, y, zoom }: Camera, animate) {
            const middle = sigma.graphToFramedGraph({ x, y });
            const state = { x: middle.x, y: middle.y, angle: 0, ratio: unit / Math.max(1e-4, zoom) };
            if (!animate) {
                byHand = false;
                camera.cancelAnimation();
                camera.setState(state);
                byHand = true;
                return;
            }
            byHand = false;
            void camera.animate(state, { duration: 160 }).finally(() => {
                byHand = true;
                // The last frame of a movement has no edges where there are many.
                if (!gone) sigma.scheduleRender();
            });
        },

        fit(keys, animate) {
            const places: Point[] = [];
            for (const key of keys ?? graph.nodes()) {
                if (graph.hasNode(key)) places.push(graph.getNodeAttributes(key));
            }
            const to = framing(places, stage.size(), 56);
            if (to) stage.setCamera(to, animate);
        },

        screen: (place) => sigma.graphToViewport(place),
        plane: (at) => sigma.viewportToGraph(at),
        radius: (size) => sigma.scaleSize(size),
        bend: (edge) => (sigma.getEdgeDisplayData(edge) as { curvature?: number } | undefined)?.curvature ?? 0,
        loop: (edge) =>
            ((sigma.getEdgeDisplayData(edge) as { loopRadius?: number } | undefined)?.loopRadius ?? LOOP) / 2,
        size: () => sigma.getDimensions(),

        paint(target, width, height) {
            // The drawing buffer is only there until this task ends.
            sigma.refresh();
            target.drawImage(sigma.getStageCanvas(), 0, 0, width, height);
        },

        redraw: () => void sigma.scheduleRender(),
        destroy() {
            gone = true;
            container.removeEventListener('pointerdown', down, { capture: true });
            container.removeEventListener('dblclick', doubleClicked);
            sigma.kill();
        },
    };

    const dragged: Dragged = { place: (key) => graph.getNodeAttributes(key) };
    return Object.assign(stage, dragged);
}
