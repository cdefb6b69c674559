import { describe, expect, it } from 'vitest';
import { Scene, type Edge, type Found, type Vertex } from './scene';

const vertex = (n: number, label = 'person'): Vertex => ({ key: `"${n}"`, label, properties: { n } });
const edge = (from: number, to: number, label = 'knows', number = 0): Edge => ({
    key: `S${from}>${label}>${number}>S${to}`,
    label,
    source: `"${from}"`,
    target: `"${to}"`,
    properties: {},
});
const star = (middle: number, ...around: number[]): Found => ({
    vertices: around.map((n) => vertex(n)),
    edges: around.map((n) => edge(middle, n)),
});
const ALL = { direction: 'BOTH', label: null } as const;

/** Everything that undo has to restore. */
function state(scene: Scene) {
    const saved = scene.save();
    return {
        nodes: [...saved.nodes].sort((a, b) => (a.vertex.key < b.vertex.key ? -1 : 1)),
        edges: [...saved.edges].sort((a, b) => (a.edge.key < b.edge.key ? -1 : 1)),
        expansions: [...saved.expansions].sort((a, b) => (a.id < b.id ? -1 : 1)),
        selection: saved.selection,
        filter: saved.filter,
    };
}

function started(): Scene {
    const scene = new Scene();
    scene.add({ vertices: [vertex(1)], edges: [] }, '1');
    return scene;
}

describe('adding', () => {
    it('keeps each element once and counts edges without an end', () => {
        const scene = started();
        const added = scene.add(
            { vertices: [vertex(2), vertex(2), vertex(1)], edges: [edge(1, 2), edge(1, 2), edge(2, 9)] },
            'x',
        );
        expect(added).toEqual({ nodes: ['"2"'], edges: ['S1>knows>0>S2'], dangling: 1 });
        expect(scene.nodes.size).toBe(2);
        expect(scene.edges.size).toBe(1);
    });

    it('gives new vertices places of their own', () => {
        const scene = started();
        scene.expand('"1"', ALL, star(1, ...Array.from({ length: 60 }, (_, i) => i + 2)), null, '1');
        const places = new Set([...scene.nodes.values()].map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`));
        expect(places.size).toBe(61);
    });

    it('tells parallel edges and loops apart', () => {
        const scene = started();
        scene.add({ vertices: [vertex(2)], edges: [edge(1, 2), edge(1, 2, 'knows', 1), edge(2, 1), edge(1, 1)] }, 'x');
        expect(scene.edges.size).toBe(4);
        expect(scene.neighbours('"1"')).toEqual(new Set(['"2"', '"1"']));
        expect(scene.edgesDrawn('"1"', 'OUT', 'knows')).toBe(3);
        expect(scene.edgesDrawn('"1"', 'IN', 'knows')).toBe(2);
    });
});

describe('expanding', () => {
    it('remembers where the next page begins and how much was read', () => {
        const scene = started();
        scene.expand('"1"', ALL, star(1, 2, 3), 'token', '1');
        expect(scene.expansion('"1"', ALL)).toEqual({ reach: ALL, read: 2, page: 'token' });
        scene.expand('"1"', ALL, star(1, 4), null, '1');
        expect(scene.expansion('"1"', ALL)).toEqual({ reach: ALL, read: 3, page: null });
        expect(scene.neighbours('"1"').size).toBe(3);
    });

    it('keeps expansions of one label apart from those of all', () => {
        const scene = started();
        scene.expand('"1"', { direction: 'OUT', label: 'knows' }, star(1, 2), 'a', '1');
        expect(scene.expansion('"1"', ALL)).toBeUndefined();
        expect(scene.expanded('"1"')).toBe(true);
        expect(scene.expanded('"2"')).toBe(false);
    });
});

describe('collapsing', () => {
    it('takes back what the expansion brought and restores the scene exactly', () => {
        const scene = started();
        const before = state(scene);
        scene.expand('"1"', ALL, star(1, 2, 3), 'token', '1');
        scene.collapse('"1"', '1');
        expect(state(scene)).toEqual(before);
    });

    it('leaves what something else holds', () => {
        const scene = started();
        scene.add({ vertices: [vertex(2)], edges: [] }, '2');
        scene.expand('"1"', ALL, star(1, 2, 3), null, '1');
        scene.collapse('"1"', '1');
        expect([...scene.nodes.keys()].sort()).toEqual(['"1"', '"2"']);
        expect(scene.edges.size).toBe(0);
    });

    it('takes what the vertices it removes had brought, too', () => {
        const scene = started();
        scene.expand('"1"', ALL, star(1, 2, 3), null, '1');
        scene.expand('"2"', ALL, star(2, 1, 4, 5), null, '2');
        scene.collapse('"1"', '1');
        expect([...scene.nodes.keys()]).toEqual(['"1"']);
        expect(scene.expanded('"2"')).toBe(false);
    });

    it('keeps a neighbour that a second expansion holds', () => {
        const scene = started();
        scene.add({ vertices: [vertex(9)], edges: [] }, '9');
        scene.expand('"1"', ALL, star(1, 2, 3), null, '1');
        scene.expand('"9"', ALL, star(9, 3), null, '9');
        scene.collapse('"1"', '1');
        expect([...scene.nodes.keys()].sort()).toEqual(['"1"', '"3"', '"9"']);
    });
});

describe('steps', () => {
    it('can be undone and redone one by one, each exactly', () => {
        const scene = started();
        const states = [state(scene)];
        const steps = [
            () => scene.expand('"1"', ALL, star(1, 2, 3, 4), 'token', '1'),
            () => scene.hide(['"2"'], '2'),
            () => scene.pin(['"3"'], true, '3'),
            () => scene.toggleFilter('edge', 'knows'),
            () => {
                const node = scene.nodes.get('"4"')!;
                const from = { x: node.x, y: node.y };
                Object.assign(node, { x: -7, y: 9 });
                scene.move(new Map([['"4"', from]]), '4');
            },
            () => scene.update({ vertices: [{ ...vertex(1), properties: { n: 5n } }], edges: [] }, '1'),
            () => scene.remove(['"3"', 'S1>knows>0>S4'], '2'),
            () => scene.expand('"1"', ALL, star(1, 7, 8), null, '1'),
            () => scene.collapse('"1"', '1'),
            () => scene.showAll(''),
            () => scene.clear(''),
        ];
        for (const step of steps) {
            step();
            states.push(state(scene));
        }
        for (let i = steps.length - 1; i >= 0; i -= 1) {
            expect(scene.undo()).toBe(true);
            expect(state(scene)).toEqual(states[i]);
        }
        for (let i = 1; i <= steps.length; i += 1) {
            expect(scene.redo()).toBe(true);
            expect(state(scene)).toEqual(states[i]);
        }
        expect(scene.redo()).toBe(false);
    });

    it('restores places that a layout changed', () => {
        const scene = started();
        const before = state(scene);
        scene.expand('"1"', ALL, star(1, 2), null, '1');
        scene.place(['"1"', '"2"'], [100, 100, 200, 200]);
        const after = state(scene);
        scene.undo();
        expect(state(scene)).toEqual(before);
        scene.redo();
        expect(state(scene)).toEqual(after);
    });

    it('forgets undone steps when something new is done, and does not record what changes nothing', () => {
        const scene = started();
        scene.hide(['"1"'], '1');
        scene.undo();
        scene.pin(['"1"'], true, '1');
        expect(scene.redo()).toBe(false);
        const { steps } = scene.history();
        scene.pin(['"1"'], true, '1');
        expect(scene.history().steps.length).toBe(steps.length);
    });

    it('are bounded', () => {
        const scene = started();
        for (let i = 0; i < 150; i += 1) scene.pin(['"1"'], i % 2 === 0, '1');
        expect(scene.history().steps.length).toBe(100);
    });
});

describe('selection and legend', () => {
    it('inverts among what is visible', () => {
        const scene = started();
        scene.expand('"1"', ALL, star(1, 2, 3, 4), null, '1');
        scene.hide(['"4"'], '4');
        scene.select(['"2"']);
        scene.invertSelection();
        expect(scene.selection).toEqual(new Set(['"1"', '"3"']));
    });

    it('counts what is drawn and what is visible', () => {
        const scene = started();
        scene.add({ vertices: [vertex(2, 'city'), vertex(3)], edges: [edge(1, 2, 'lives'), edge(1, 3)] }, 'x');
        scene.toggleFilter('vertex', 'city');
        expect(scene.legend()).toEqual([
            { kind: 'vertex', label: 'person', drawn: 2, visible: 2, filtered: false },
            { kind: 'vertex', label: 'city', drawn: 1, visible: 0, filtered: true },
            { kind: 'edge', label: 'knows', drawn: 1, visible: 1, filtered: false },
            { kind: 'edge', label: 'lives', drawn: 1, visible: 0, filtered: false },
        ]);
    });

    it('forgets the selection of what leaves, and gets it back by undo', () => {
        const scene = started();
        scene.expand('"1"', ALL, star(1, 2), null, '1');
        scene.select(['"2"']);
        scene.collapse('"1"', '1');
        expect(scene.selection.size).toBe(0);
        scene.undo();
        expect(scene.selection).toEqual(new Set(['"2"']));
    });
});

describe('saving', () => {
    it('loads what was saved, as one step', () => {
        const scene = started();
        scene.expand('"1"', ALL, star(1, 2, 3), 'token', '1');
        scene.pin(['"2"'], true, '2');
        scene.select(['"3"']);
        const saved = scene.save();
        const other = started();
        other.add({ vertices: [vertex(77)], edges: [] }, '77');
        const before = state(other);
        other.load(saved, 'saved');
        expect(state(other)).toEqual(state(scene));
        other.undo();
        expect(state(other)).toEqual(before);
    });

    it('leaves out edges whose ends are missing', () => {
        const scene = new Scene();
        const saved = {
            nodes: [],
            edges: [{ edge: edge(1, 2), origins: [] }],
            expansions: [],
            selection: ['x'],
            filter: [],
        };
        scene.load(saved, '');
        expect(scene.edges.size).toBe(0);
        expect(scene.selection.size).toBe(0);
    });

    // What grows faster than the scene does not end within the time a test has.
    it('takes 20,000 vertices and 40,000 edges', () => {
        const scene = new Scene();
        const vertices = Array.from({ length: 20_000 }, (_, i) => vertex(i));
        const edges = Array.from({ length: 40_000 }, (_, i) => edge(i % 20_000, (i * 7919 + 13) % 20_000, 'knows', i));
        scene.add({ vertices, edges }, 'many');
        scene.undo();
        scene.redo();
        expect([scene.nodes.size, scene.edges.size]).toEqual([20_000, 40_000]);
    });
});
