import { describe, expect, it } from 'vitest';
import type { Schema } from '../../api/types';
import { countingQuery } from './counts';

describe('the query that counts', () => {
    it('holds no name of the graph in its text', () => {
        const label = { id: 1, name: `x'); g.V().drop(); ('`, properties: [], nullable_keys: [], index_labels: [] };
        const schema: Schema = {
            propertykeys: [],
            vertexlabels: [{ ...label, id_strategy: 'AUTOMATIC', primary_keys: [] }],
            edgelabels: [{ ...label, source_label: 'x', target_label: 'x', frequency: 'SINGLE', sort_keys: [] }],
            indexlabels: [],
        };
        const { gremlin, bindings } = countingQuery(schema);
        expect(gremlin).toBe(
            "g.inject(0).project('c0', 'c1').by(__.V().hasLabel(n0).count()).by(__.E().hasLabel(n1).count())",
        );
        expect(bindings).toEqual({ n0: label.name, n1: label.name });
    });
});
