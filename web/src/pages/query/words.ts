// What the editor offers: steps and clauses of the languages, and the names of the schema.
import type { Schema } from '../../api/types';
import type { Language } from './run';

export const steps = (
    'V E out in both outE inE bothE outV inV bothV otherV has hasLabel hasId hasKey hasValue hasNot is ' +
    'not and or where filter values valueMap elementMap properties propertyMap key value id label count ' +
    'sum mean min max fold unfold group groupCount order by dedup limit range skip tail sample coin path ' +
    'simplePath cyclicPath select as project repeat times until emit loops union coalesce choose option ' +
    'optional match local map flatMap sideEffect cap store aggregate inject constant addV addE from to ' +
    'property drop mergeV mergeE onCreate onMatch with barrier identity tree subgraph shortestPath ' +
    'pageRank connectedComponent peerPressure math concat toList next iterate explain profile'
).split(' ');

export const predicates = (
    'P.eq P.neq P.gt P.gte P.lt P.lte P.between P.within P.without TextP.containing TextP.startingWith ' +
    'T.id T.label __.out __.in __.both'
).split(' ');

export const clauses = (
    'MATCH OPTIONAL MATCH WHERE RETURN WITH UNWIND CREATE MERGE SET REMOVE DELETE DETACH DELETE ORDER BY ' +
    'SKIP LIMIT DISTINCT AS AND OR NOT XOR IN CONTAINS STARTS ENDS NULL IS EXISTS CALL YIELD UNION ALL ' +
    'CASE WHEN THEN ELSE END EXPLAIN PROFILE'
)
    .split(' ')
    .filter((word, at, all) => all.indexOf(word) === at);

export const functions = (
    'count collect sum avg min max size length nodes relationships labels type id elementId keys ' +
    'properties coalesce toInteger toFloat toString toLower toUpper trim split substring replace range ' +
    'head last tail reverse abs round ceil floor sqrt date datetime duration shortestPath'
).split(' ');

export interface Word {
    label: string;
    type: string;
    detail?: string;
}

/** All words for a language over a schema; `vertexLabel` says what a vertex label is. */
export function wordsFor(language: Language, schema: Schema | undefined, vertexLabel: string): Word[] {
    const names: Word[] = [
        ...(schema?.vertexlabels ?? []).map((one) => ({ label: one.name, type: 'class', detail: vertexLabel })),
        ...(schema?.edgelabels ?? []).map((one) => ({
            label: one.name,
            type: 'interface',
            detail: `${one.source_label} → ${one.target_label}`,
        })),
        ...(schema?.propertykeys ?? []).map((one) => ({
            label: one.name,
            type: 'property',
            detail: one.data_type.toLowerCase(),
        })),
    ];
    const own: Word[] =
        language === 'gremlin'
            ? [
                  ...steps.map((label) => ({ label, type: 'function' })),
                  ...predicates.map((label) => ({ label, type: 'constant' })),
              ]
            : [
                  ...clauses.map((label) => ({ label, type: 'keyword' })),
                  ...functions.map((label) => ({ label, type: 'function' })),
              ];
    return [...own, ...names];
}
