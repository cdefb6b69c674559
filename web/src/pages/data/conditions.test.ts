import { describe, expect, it } from 'vitest';
import type { PropertyKey, Schema } from '../../api/types';
import { missingIndex, propertiesOf, readConditions, valueFromText, writeConditions } from './conditions';

const key = (name: string, data_type: PropertyKey['data_type']): PropertyKey => ({
    id: 1,
    name,
    data_type,
    cardinality: 'SINGLE',
});
const schema: Schema = {
    propertykeys: [key('name', 'TEXT'), key('age', 'LONG'), key('born', 'DATE'), key('ok', 'BOOLEAN')],
    vertexlabels: [],
    edgelabels: [],
    indexlabels: [],
};

describe('conditions', () => {
    it('are written as the API reads them', () => {
        const conditions = [
            { property: 'name', operator: 'contains' as const, text: 'a "b"' },
            { property: 'age', operator: '>' as const, text: '9223372036854775806' },
            { property: 'ok', operator: '=' as const, text: 'true' },
        ];
        expect(propertiesOf(conditions, schema)).toEqual({
            name: 'P.textcontains("a \\"b\\"")',
            age: 'P.gt(9223372036854775806)',
            ok: true,
        });
        expect(propertiesOf([{ property: 'age', operator: '=', text: 'x' }], schema)).toBeUndefined();
    });

    it('survive an address, and what is none is left out', () => {
        const conditions = [{ property: '中"&#', operator: '<=' as const, text: '%' }];
        expect(readConditions(writeConditions(conditions) ?? '')).toEqual(conditions);
        for (const text of ['', '{', '{}', '[["a","drop","b"]]', '[[1,"=","b"]]', '7'])
            expect(readConditions(text)).toEqual([]);
    });

    it('have values of their type', () => {
        expect(valueFromText('9223372036854775807', 'LONG')).toBe(9223372036854775807n);
        expect(valueFromText(' 7 ', 'TEXT')).toBe(' 7 ');
        expect(valueFromText('"7"', 'INT')).toBeNull();
        expect(valueFromText('yes', 'BOOLEAN')).toBeNull();
    });

    it('name the index that they lack', () => {
        const conditions = [
            { property: 'name', operator: '=' as const, text: 'a' },
            { property: 'age', operator: '>' as const, text: '1' },
        ];
        expect(missingIndex('person', false, conditions, ['name'])).toMatchObject({
            base_type: 'VERTEX_LABEL',
            index_type: 'RANGE',
            fields: ['age'],
            name: 'personByage_range',
        });
        expect(missingIndex('a b', true, conditions, [])).toMatchObject({
            index_type: 'SECONDARY',
            name: 'a_bByname_secondary',
        });
    });
});
