import { describe, expect, it } from 'vitest';
import { fragment, graphPath, placeOf, serverPath } from './router.svelte';

describe('addresses', () => {
    it('say which place is shown', () => {
        expect(placeOf('/ui/')).toEqual({ page: 'start', graph: null, rest: [] });
        expect(placeOf('/ui/g/hugegraph')).toEqual({ page: 'overview', graph: 'hugegraph', rest: [] });
        expect(placeOf('/ui/metrics')).toEqual({ page: 'metrics', graph: null, rest: [] });
        for (const path of ['/ui/nothing', '/ui/g/a/nothing', '/ui/g', '/ui/g/%zz/data']) {
            expect(placeOf(path).page).toBe('unknown');
        }
    });

    it('lead back to where they were made', () => {
        const label = 'a/b %"<script>中文';
        expect(placeOf(graphPath('g', 'data', 'vertices', label))).toEqual({
            page: 'data',
            graph: 'g',
            rest: ['vertices', label],
        });
        expect(placeOf(serverPath('graphs')).page).toBe('graphs');
    });

    it('keep the state behind the #', () => {
        const state = fragment({ q: 'g.V("a&b=c#d")', empty: '', none: undefined });
        expect(Object.fromEntries(new URLSearchParams(state.slice(1)))).toEqual({ q: 'g.V("a&b=c#d")' });
        expect(fragment({})).toBe('');
    });
});
