import { describe, expect, it } from 'vitest';
import { fit, found } from './palette';

const offers = [
    { kind: 'page', name: 'Overview', to: '/1' },
    { kind: 'page', name: 'Data', to: '/2' },
    { kind: 'data', name: 'person', to: '/3' },
    { kind: 'explore', name: 'person', to: '/4' },
    { kind: 'data', name: 'person_knows_person', to: '/5' },
];
const to = (typed: string): string[] => found(offers, typed, 10).map((offer) => offer.to);

describe('what is found by a part of its name', () => {
    it('is the whole name first, then its beginning, then a word of it', () => {
        expect(fit('person', 'person')).toBeGreaterThan(fit('personal', 'person'));
        expect(fit('personal', 'person')).toBeGreaterThan(fit('a person', 'person'));
        expect(fit('a person', 'person')).toBeGreaterThan(fit('superperson', 'person'));
        expect(fit('Overview', 'ovw')).toBe(1);
        expect(fit('Overview', 'x')).toBe(0);
    });

    it('fits in every word, by name or by what it is', () => {
        expect(to('person explore')).toEqual(['/4']);
        expect(to('knows')).toEqual(['/5']);
        expect(to('data')[0]).toBe('/2');
        expect(to('zzz')).toEqual([]);
        expect(to('')).toHaveLength(offers.length);
    });
});
