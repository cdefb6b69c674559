import { describe, expect, it } from 'vitest';
import { network, PEOPLE } from './demo';

describe('the demo', () => {
    const { vertices, edges } = network();

    it('is the same each time, and small enough for one batch of vertices', () => {
        expect(network()).toEqual({ vertices, edges });
        expect(vertices.filter(({ label }) => label === 'person')).toHaveLength(PEOPLE);
        expect(vertices.length).toBeLessThanOrEqual(500);
    });

    it('has edges between vertices that are there, each once, and friends for everybody', () => {
        const keys = edges.map(({ label, from, to }) => `${label} ${from} ${to}`);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { from, to } of edges) {
            expect(from).not.toBe(to);
            expect(vertices[from] && vertices[to]).toBeTruthy();
        }
        const knows = edges.filter(({ label }) => label === 'person_knows_person');
        expect(knows.length).toBeGreaterThan(2 * PEOPLE);
        const known = new Set(knows.flatMap(({ from, to }) => [from, to]));
        expect(known.size).toBeGreaterThan(0.95 * PEOPLE);
    });
});
