import { describe, expect, it } from 'vitest';
import { graphson, typed } from './graphson';
import { Scene } from './scene';

describe('GraphSON', () => {
    it('has the types of the schema, and every digit', () => {
        expect(typed(1, 'INT')).toEqual({ '@type': 'g:Int32', '@value': 1 });
        expect(typed(1, 'DOUBLE')).toEqual({ '@type': 'g:Double', '@value': 1 });
        expect(typed(9223372036854775807n, 'LONG')).toEqual({ '@type': 'g:Int64', '@value': 9223372036854775807n });
        expect(typed(['a'], 'TEXT')).toEqual({ '@type': 'g:List', '@value': ['a'] });
        expect([typed(true), typed('a')]).toEqual([true, 'a']);
    });

    it('is a line for each visible vertex, with its visible edges at both ends', () => {
        const scene = new Scene();
        const vertex = (key: string, label: string, properties = {}) => ({ key, label, properties });
        scene.add(
            {
                vertices: [
                    vertex('9223372036854775807', 'person', { name: 'Ada', age: 36 }),
                    vertex('"1:b"', 'person'),
                    vertex('U"0b2a"', 'secret'),
                ],
                edges: [
                    {
                        key: 'S1',
                        label: 'knows',
                        source: '9223372036854775807',
                        target: '"1:b"',
                        properties: { w: 0.5 },
                    },
                    { key: 'S2', label: 'has', source: '"1:b"', target: 'U"0b2a"', properties: {} },
                ],
            },
            '',
        );
        scene.hide(['U"0b2a"'], '');
        const lines = graphson(scene, (name) => ({ age: 'INT', w: 'DOUBLE' })[name])
            .trimEnd()
            .split('\n');
        expect(lines).toHaveLength(2);
        expect(lines[0]).toContain('"id":{"@type":"g:Int64","@value":9223372036854775807},"label":"person"');
        expect(lines[0]).toContain(
            '"outE":{"knows":[{"id":"S1","inV":"1:b","properties":{"w":{"@type":"g:Double","@value":0.5}}}]},"inE":{}',
        );
        expect(lines[0]).toContain(
            '"age":[{"id":{"@type":"g:Int64","@value":1},"value":{"@type":"g:Int32","@value":36}}]',
        );
        expect(lines[1]).toContain(
            '"outE":{},"inE":{"knows":[{"id":"S1","outV":{"@type":"g:Int64","@value":9223372036854775807}',
        );
    });
});
