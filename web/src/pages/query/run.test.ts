import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Value } from '../../api/json';
import { DRAWN_MAX, elementsIn, elementText, placeIn, planOfText, run, tableOf } from './run';

afterEach(() => vi.unstubAllGlobals());

const ask = { graph: 'g', text: 'RETURN 1', valueTitle: 'value', notOne: 'one statement' };

describe('results', () => {
    it('of Gremlin are rows, of elements their properties', () => {
        expect(tableOf([1, 'a'], 'value')).toEqual({ columns: ['value'], rows: [[1], ['a']] });
        expect(
            tableOf(
                [
                    { id: 5n, label: 'a', type: 'vertex', properties: { x: 1 } },
                    { id: 6, label: 'b', type: 'vertex' },
                ],
                '',
            ),
        ).toEqual({
            columns: ['id', 'label', 'x'],
            rows: [
                [5n, 'a', 1],
                [6, 'b', null],
            ],
        });
    });

    it('show elements of Cypher as a short text', () => {
        const node = { elementId: '1:a', labels: ['x', 'y'], properties: { n: 9223372036854775807n } };
        const edge = { elementId: 'S', startNodeElementId: '1:a', endNodeElementId: '1:b', type: 't', properties: {} };
        expect(elementText(node)).toBe(':x:y 1:a {"n":9223372036854775807}');
        expect(elementText([node, edge])).toEqual([':x:y 1:a {"n":9223372036854775807}', ':t 1:a → 1:b {}']);
        expect(elementText([1, 'a'])).toEqual([1, 'a']);
        expect(elementText({ a: 1 })).toEqual({ a: 1 });
    });

    it('name the vertices and edges in them once', () => {
        const path: Value[] = [
            { elementId: '1:a', labels: ['x'], properties: {} },
            { elementId: 'S', startNodeElementId: '1:a', endNodeElementId: '1:b', type: 't', properties: {} },
        ];
        const number = { elementId: '9223372036854775807', labels: [], properties: {} };
        expect(elementsIn([path, path, number])).toEqual({
            vertices: ['1:a', '1:b', 9223372036854775807n],
            edges: ['S'],
            isPart: false,
        });
        const edge = { id: 'S1', type: 'edge', label: 'e', outV: 1, inV: '1', properties: {} };
        expect(elementsIn([{ a: [edge] }])).toEqual({ vertices: [1, '1'], edges: ['S1'], isPart: false });
    });

    it('say whether all that could be drawn is', () => {
        const rows = (n: number): Value[] => Array.from({ length: n }, (_, id) => ({ id, type: 'vertex', label: 'a' }));
        expect(elementsIn(rows(DRAWN_MAX)).isPart).toBe(false);
        const more = elementsIn(rows(DRAWN_MAX + 1));
        expect([more.vertices.length, more.isPart]).toEqual([DRAWN_MAX, true]);
    });

    it('of Cypher have their plan and what they changed', async () => {
        const answer =
            '{"data":{"fields":["n"],"values":[[9223372036854775807]]},"counters":{"nodesCreated":1},' +
            '"profiledQueryPlan":{"operatorType":"A","arguments":{"Details":"d"},"records":1,"dbHits":2,"children":' +
            '[{"operatorType":"B","arguments":{},"records":3,"dbHits":0,"children":[]}]}}';
        const fetched = vi.fn(() => Promise.resolve(new Response(answer)));
        vi.stubGlobal('fetch', fetched);
        const result = await run({ ...ask, language: 'cypher', mode: 'profile' }, new AbortController().signal);
        expect(result.rows).toEqual([[9223372036854775807n]]);
        expect(result.counters).toEqual({ nodesCreated: 1 });
        expect(result.plan).toMatchObject({
            name: 'A',
            details: 'd',
            rows: 1,
            hits: 2,
            children: [{ name: 'B', rows: 3 }],
        });
        const [, init] = fetched.mock.calls[0] as unknown as [string, RequestInit];
        expect(init.body).toContain('PROFILE RETURN 1');
    });

    it('of Gremlin are never run to be explained', async () => {
        const fetched = vi.fn();
        vi.stubGlobal('fetch', fetched);
        const wanted = { ...ask, language: 'gremlin' as const, mode: 'explain' as const, text: 'g.V().drop()\ng.V()' };
        await expect(run(wanted, new AbortController().signal)).rejects.toThrow('one statement');
        expect(fetched).not.toHaveBeenCalled();
    });

    it('say where a text is wrong', () => {
        expect(placeIn("Invalid input 'X' (line 2, column 11)")).toEqual({ line: 2, column: 11 });
        expect(placeIn('no')).toBeNull();
    });
});

describe('plans that are texts', () => {
    it('become trees by how far their lines stand to the right', () => {
        const text = [
            'Final Plan (paths: none, writes: false, rules: limit)',
            '  V: Vertices { label: ["person"] }',
            '  repeat: Repeat',
            '    out: Neighbours { labels: ["a: b"] }',
            '  limit: Limit(3)',
            '',
        ].join('\n');
        const plan = planOfText(text);
        expect(plan?.details).toBe('(paths: none, writes: false, rules: limit)');
        expect(plan?.children.map(({ name }) => name)).toEqual(['V', 'repeat', 'limit']);
        expect(plan?.children[1]?.children).toMatchObject([
            { name: 'out', details: 'Neighbours { labels: ["a: b"] }' },
        ]);
        expect(planOfText('something else')).toBeNull();
    });
});
