import { describe, expect, it } from 'vitest';
import { changesOf } from './edit';
import type { PropertyKeys } from './edit.types';

const keys: PropertyKeys = {
    name: { data_type: 'TEXT', cardinality: 'SINGLE' },
    age: { data_type: 'LONG', cardinality: 'SINGLE' },
    mail: { data_type: 'TEXT', cardinality: 'SET' },
};

describe('an edit', () => {
    it('sends only what was changed', () => {
        const old = { name: 'a', age: 9223372036854775807n, mail: ['x', 'y'] };
        const typed = { name: 'a', age: '9223372036854775807', mail: '["y","z"]' };
        expect(changesOf(old, typed, keys)).toEqual({ append: { mail: ['z'] }, eliminate: { mail: ['x'] } });
        expect(changesOf(old, { ...typed, mail: '["x","y"]', age: '9223372036854775806' }, keys)).toEqual({
            append: { age: 9223372036854775806n },
            eliminate: {},
        });
    });

    it('takes away what was emptied', () => {
        expect(changesOf({ age: 3 }, { age: '', name: '' }, keys)).toEqual({ append: {}, eliminate: { age: 3 } });
    });

    it('names what has no value of its type', () => {
        expect(changesOf({}, { age: 'old' }, keys)).toBe('age');
        expect(changesOf({}, { mail: 'x' }, keys)).toBe('mail');
    });
});
