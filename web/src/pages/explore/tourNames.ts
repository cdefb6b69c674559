// Which first views a graph has.
import type { Schema } from '../../api/types';

export type TourName = 'friends' | 'path' | 'person' | 'places' | 'sample';

/** Tours that a schema allows. */
export function toursOf(schema: Schema | undefined): TourName[] {
    if (!schema || schema.vertexlabels.length === 0) return [];
    const has = (name: string): boolean => schema.edgelabels.some((label) => label.name === name);
    const tours: TourName[] = [];
    if (has('person_knows_person')) tours.push('friends', 'path', 'person');
    if (has('place_isPartOf_place')) tours.push('places');
    return [...tours, 'sample'];
}
