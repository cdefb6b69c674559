import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Value } from '../../api/json';
import { elementText, placeIn, run, tableOf, verticesIn } from './run';

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

    it('name the vertices in them once', () => {
        const path: Value[] = [
            { elementId: '1:a', labels: ['x'], properties: {} },
            { elementId: 'S', startNodeElementId: '1:a', endNodeElementId: '1:b', type: 't', properties: {} },
        ];
        expect(verticesIn([path, { elementId: '9223372036854775807', labels: [], properties: {} }])).toEqual([
            '1:a',
            '1:b',
            9223372036854775807n,
        ]);
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
