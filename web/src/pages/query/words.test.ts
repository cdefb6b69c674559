import { describe, expect, it } from 'vitest';
import { variablesIn, wordsFor } from './words';

describe('words that the editor offers', () => {
    it('are the variables of a Cypher text', () => {
        const text =
            'MATCH (alice:person {name: 1})-[met:knows]->(b)\n// (no)\n' +
            'WITH alice AS friend UNWIND [1] AS n RETURN friend';
        expect(variablesIn('cypher', text).sort()).toEqual(['alice', 'b', 'friend', 'met', 'n']);
        expect(variablesIn('cypher', 'RETURN count(*)')).toEqual([]);
    });

    it('are the labels of steps in Gremlin', () => {
        expect(variablesIn('gremlin', `g.V().as('a').out().as("b").select('a')`)).toEqual(['a', 'b']);
    });

    it('come once, and before words of the language', () => {
        const words = wordsFor('cypher', undefined, 'label', 'MATCH (count)-->(x) RETURN x').map(({ label }) => label);
        expect(words[0]).toBe('x');
        expect(words.filter((word) => word === 'count')).toHaveLength(1);
    });
});
