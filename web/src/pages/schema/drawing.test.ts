import { describe, expect, it } from 'vitest';
import type { Schema } from '../../api/types';
import { placeLayers } from '../../graph/layers';
import { drawn, plan, type Drawing } from './drawing';

function draw(schema: Schema): Drawing {
    const planned = plan(schema);
    return drawn(planned, placeLayers(planned.input));
}

const vertex = (name: string): Schema['vertexlabels'][number] => ({
    id: 1,
    name,
    id_strategy: 'AUTOMATIC',
    primary_keys: [],
    nullable_keys: [],
    index_labels: [],
    properties: Array.from({ length: 9 }, (_, at) => `p${at}`),
});
const edge = (name: string, source_label: string, target_label: string): Schema['edgelabels'][number] => ({
    id: 1,
    name,
    source_label,
    target_label,
    frequency: 'SINGLE',
    sort_keys: [],
    nullable_keys: [],
    index_labels: [],
    properties: [],
});

describe('a schema as a drawing', () => {
    const names = Array.from({ length: 30 }, (_, at) => `标签 <${at}>`);
    const edgelabels = names.map((name, at) => edge(`e${at}`, name, names[(at * 7) % 30] ?? name));
    const drawing = draw({ propertykeys: [], vertexlabels: names.map(vertex), edgelabels, indexlabels: [] });

    it('shows every label, none over another', () => {
        expect(drawing.boxes.map((box) => box.name)).toEqual(names);
        for (const [at, a] of drawing.boxes.entries()) {
            expect(a.lines).toHaveLength(7);
            for (const b of drawing.boxes.slice(at + 1)) {
                const apart =
                    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
                expect(apart, `${a.name} and ${b.name}`).toBe(true);
            }
        }
    });

    it('shows every edge label, also loops and parallel ones', () => {
        expect(drawing.lines.flatMap((line) => line.names).sort()).toEqual(edgelabels.map((one) => one.name).sort());
        const parallel = draw({
            propertykeys: [],
            vertexlabels: [vertex('a')],
            edgelabels: [edge('x', 'a', 'a'), edge('y', 'a', 'a'), edge('lost', 'a', 'gone')],
            indexlabels: [],
        });
        expect(parallel.lines.map((line) => line.names)).toEqual([['x', 'y']]);
        // Its name has room, which is wider than the box.
        const name = 'a_loop_of_a_long_name';
        const wide = draw({
            propertykeys: [],
            vertexlabels: [vertex('a')],
            edgelabels: [edge(name, 'a', 'a')],
            indexlabels: [],
        });
        expect(wide.width).toBeGreaterThan((wide.lines[0]?.x ?? Infinity) + 3 * name.length);
    });

    it('takes names that every object has', () => {
        const drawing = draw({
            propertykeys: [],
            vertexlabels: [vertex('__proto__'), vertex('constructor')],
            edgelabels: [edge('toString', '__proto__', 'constructor')],
            indexlabels: [],
        });
        expect(drawing.boxes.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
        expect(drawing.lines.map(({ names }) => names)).toEqual([['toString']]);
        expect(drawing.width).toBeGreaterThan(200);
    });
});
