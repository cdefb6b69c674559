import { describe, expect, it } from 'vitest';
import { rightsIn } from './requests';

describe('roles', () => {
    it('become one line for each right', () => {
        const person = { type: 'VERTEX', label: 'person', properties: null };
        const all = { type: 'ALL', label: '*', properties: null };
        const roles = { DEFAULT: { g: { READ: { 'VERTEX#person': [person], ALL: [all] }, WRITE: { ALL: [all] } } } };
        expect(rightsIn(roles)).toEqual([
            { graph: 'g', permission: 'READ', resource: person },
            { graph: 'g', permission: 'READ', resource: all },
            { graph: 'g', permission: 'WRITE', resource: all },
        ]);
        expect(rightsIn({})).toEqual([]);
    });
});
