import { describe, expect, it } from 'vitest';
import { favouritesIn, foldersOf, NAME_MAX } from './kept.svelte';

describe('favourites', () => {
    it('are read from lists that know neither names nor folders', () => {
        expect(favouritesIn([{ language: 'cypher', text: 'RETURN 1' }])).toEqual([
            { language: 'cypher', text: 'RETURN 1', name: '', folder: '' },
        ]);
        expect(favouritesIn({})).toBeNull();
    });

    it('keep names as long as they may be, and nothing that is no text', () => {
        const [long, odd] = favouritesIn([
            { language: 'gremlin', text: 'g', name: ` ${'n'.repeat(500)}`, folder: 'f' },
            { language: 'gremlin', text: 'h', name: 7, folder: null },
            { language: 'sql', text: 'SELECT 1' },
        ])!;
        expect(long!.name).toHaveLength(NAME_MAX);
        expect([odd!.name, odd!.folder]).toEqual(['', '']);
    });

    it('lie in folders by name, those without one first', () => {
        const of = (text: string, folder: string) => ({ language: 'cypher' as const, text, name: '', folder });
        const folders = foldersOf([of('a', 'z'), of('b', ''), of('c', 'y'), of('d', 'z')]);
        expect(folders.map(({ name, favourites }) => [name, favourites.map(({ text }) => text).join('')])).toEqual([
            ['', 'b'],
            ['y', 'c'],
            ['z', 'ad'],
        ]);
    });
});
