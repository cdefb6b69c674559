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

/** Names that a text gives to what it finds: variables of Cypher, labels of Gremlin's `as()`. */
export function variablesIn(language: Language, text: string): string[] {
    const form =
        language === 'cypher'
            ? /(?:[([]\s*|\bAS\s+|\bUNWIND\b[^\n]*?\bAS\s+)([\p{L}_][\p{L}\p{N}_]*)(?=\s*(?:[:)\]{,]|$)|\s)/giu
            : /\bas\(\s*['"]([^'"\n]{1,64})['"]/gu;
    const found = new Set<string>();
    // The comments of both languages begin with two slashes.
    for (const [, name = ''] of text.replace(/\/\/.*$/gm, '').matchAll(form)) found.add(name);
    return [...found];
}

export interface Word {
    label: string;
    type: string;
    detail?: string;
}

/** All words for a language over a schema and a text; `vertexLabel` says what a vertex label is. */
export function wordsFor(language: Language, schema: Schema | undefined, vertexLabel: string, text: string): Word[] {
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
    const known = new Set([...own, ...names].map(({ label }) => label.toLowerCase()));
    const variables = variablesIn(language, text)
        .filter((name) => !known.has(name.toLowerCase()))
        .map((label) => ({ label, type: 'variable' }));
    return [...variables, ...own, ...names];
}
