// How many elements each label has: one query, which reads no element.
import { send } from '../../api/client';
import type { Value } from '../../api/json';
import type { Schema } from '../../api/types';

export interface Counts {
    vertices: Map<string, number | bigint>;
    edges: Map<string, number | bigint>;
    /** When they were counted. */
    at: number;
}

/** Counts are used again for so long where they are a side matter: counting a large graph takes seconds. */
const FRESH_MS = 600_000;
const counted = new Map<string, Counts>();

/** Labels in one query; beyond it, counts are unknown. */
export const LABELS_MAX = 200;

/** The query that counts, with the names of labels as bindings: it holds no text of the graph. */
export function countingQuery(schema: Schema): { gremlin: string; bindings: Record<string, string> } {
    const labels = [
        ...schema.vertexlabels.map((label) => ({ start: 'V', name: label.name })),
        ...schema.edgelabels.map((label) => ({ start: 'E', name: label.name })),
    ].slice(0, LABELS_MAX);
    const keys = labels.map((_, at) => `'c${at}'`).join(', ');
    const counts = labels.map(({ start }, at) => `.by(__.${start}().hasLabel(n${at}).count())`).join('');
    return {
        gremlin: `g.inject(0).project(${keys})${counts}`,
        bindings: Object.fromEntries(labels.map(({ name }, at) => [`n${at}`, name])),
    };
}

/** The counts of the last minutes, counted only if there are none, without a sign in the status line. */
export async function recentCount(graph: string, schema: Schema, signal: AbortSignal): Promise<Counts> {
    const known = counted.get(graph);
    return known && Date.now() - known.at < FRESH_MS ? known : count(graph, schema, signal, true);
}

/** Counts the elements of a graph by label. */
export async function count(graph: string, schema: Schema, signal: AbortSignal, quiet = false): Promise<Counts> {
    const counts: Counts = { vertices: new Map(), edges: new Map(), at: Date.now() };
    const { gremlin, bindings } = countingQuery(schema);
    if (Object.keys(bindings).length === 0) return counts;
    const aliases = { graph, g: `__g_${graph}` };
    const answer = await send<{ result: { data: Value[] } }>('POST', '/gremlin', {
        body: { gremlin, bindings, language: 'gremlin-groovy', aliases },
        signal,
        quiet,
    });
    const [row] = answer.result.data;
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return counts;
    const names = [...schema.vertexlabels, ...schema.edgelabels].map((label) => label.name);
    for (const [at, name] of names.entries()) {
        const value = row[`c${at}`];
        if (typeof value !== 'number' && typeof value !== 'bigint') continue;
        (at < schema.vertexlabels.length ? counts.vertices : counts.edges).set(name, value);
    }
    counted.set(graph, counts);
    return counts;
}
