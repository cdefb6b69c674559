// What an algorithm over the whole graph says of each vertex, as far as it is drawn.
import type { Value } from '../api/json';
import { legendOf, type Legend } from './look';
import type { Key } from './scene';

export interface Figure {
    readonly name: string;
    /** A score has a least and a greatest value; a group is one of several, and its number means nothing. */
    readonly kind: 'score' | 'group';
    readonly values: ReadonlyMap<Key, number | string>;
    readonly legend: Legend;
}

/** The figure of drawn vertices, from the rows of a result. `keyOf` gives the key of an id, where it is drawn. */
export function figureOf(
    name: string,
    kind: Figure['kind'],
    column: string,
    rows: readonly Record<string, Value>[],
    keyOf: (id: Value) => Key | undefined,
): Figure {
    const values = new Map<Key, number | string>();
    for (const row of rows) {
        const key = keyOf(row['vertex'] ?? null);
        const value = row[column];
        if (key === undefined || value === undefined || value === null) continue;
        // Groups are told by a vertex or a number; both are names here.
        values.set(key, kind === 'group' ? String(value) : Number(value));
    }
    return { name, kind, values, legend: legendOf([...values.values()]) };
}
