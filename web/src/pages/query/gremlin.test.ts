import { describe, expect, it } from 'vitest';
import { singleTraversal } from './gremlin';

describe('one traversal', () => {
    it('is recognized over several lines, with comments and texts', () => {
        expect(singleTraversal('g.V()\n  .has("name", "a;b\\"\n")\n  // all\n  .out();\n')).toBe(
            'g.V()\n  .has("name", "a;b\\"\n")\n  \n  .out()',
        );
        expect(singleTraversal('g.V().where(__.out(\n"x"))')).toBe('g.V().where(__.out(\n"x"))');
        expect(singleTraversal('// a note\ng.V()')).toBe('g.V()');
    });

    it('is not what would run something before it is explained', () => {
        for (const script of [
            'g.V().drop().iterate(); g.V()',
            'g.V().drop()\ng.V()',
            'g.V().drop().iterate()',
            'g.V().next()',
            'x = g.V()',
            '',
            'g.V(',
            'g.V().drop(); g.V()',
        ]) {
            expect(singleTraversal(script), script).toBeNull();
        }
    });
});
