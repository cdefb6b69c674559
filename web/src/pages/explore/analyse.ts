// Algorithms over the whole graph, of which the drawing shows the values of what is drawn.
import { send } from '../../api/client';
import { ApiError } from '../../api/errors';
import * as api from '../../api/graph';
import { parse, type Value } from '../../api/json';
import { isEnded } from '../tasks/wait';

export interface Algorithm {
    readonly name: string;
    readonly kind: 'score' | 'group';
    readonly column: string;
}

export const algorithms: readonly Algorithm[] = [
    { name: 'pagerank', kind: 'score', column: 'score' },
    { name: 'degree', kind: 'score', column: 'degree' },
    { name: 'betweenness', kind: 'score', column: 'score' },
    { name: 'closeness', kind: 'score', column: 'score' },
    { name: 'triangles', kind: 'score', column: 'triangles' },
    { name: 'kcore', kind: 'score', column: 'core' },
    // By their short names these two are HugeGraph's, whose answers have no rows.
    { name: 'algo.louvain', kind: 'group', column: 'community' },
    { name: 'algo.lpa', kind: 'group', column: 'community' },
    { name: 'wcc', kind: 'group', column: 'component' },
    { name: 'scc', kind: 'group', column: 'component' },
];

/** Rows of a result that are read; vertices beyond have no value here. */
export const ROWS_MAX = 150_000;
const EVERY_MS = 400;

export interface Analysis {
    readonly rows: readonly Record<string, Value>[];
    /** Vertices of the graph, whether read or not. */
    readonly vertices: number;
    readonly computeMs: number;
}

/** Runs an algorithm as a task and reads its rows. Ending the signal cancels the task. */
export async function analyse(
    graph: string,
    algorithm: Algorithm,
    edgeLabel: string,
    progress: (rows: number) => void,
    signal: AbortSignal,
): Promise<Analysis> {
    const body: Record<string, Value> = { limit: ROWS_MAX };
    // Edges in both directions; the other algorithms know by themselves which count.
    if (algorithm.name === 'degree') body['direction'] = 'both';
    if (edgeLabel !== '') body['edge_labels'] = [edgeLabel];
    const path = `${api.base(graph)}/jobs/algorithm/${algorithm.name}`;
    const { task_id: id } = await send<{ task_id: number }>('POST', path, { body, signal });
    const cancel = (): void => {
        send('PUT', `${api.base(graph)}/tasks/${id}`, { query: { action: 'cancel' } }).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
        for (;;) {
            const task = await api.task(graph, id, signal, true);
            progress(task.task_progress);
            if (isEnded(task)) return read(task.task_status, task.task_result ?? null, path);
            await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
        }
    } finally {
        signal.removeEventListener('abort', cancel);
    }
}

function read(status: string, result: Value, path: string): Analysis {
    if (status.toLowerCase() !== 'success') throw new ApiError(String(result ?? status), 200, status, 'POST', path);
    const value = typeof result === 'string' ? parse(result) : result;
    const found = value as unknown as { rows?: Record<string, Value>[]; vertices?: number; compute_ms?: number };
    if (!Array.isArray(found?.rows)) throw new ApiError('the result has no rows', 200, status, 'POST', path);
    return { rows: found.rows, vertices: found.vertices ?? 0, computeMs: found.compute_ms ?? 0 };
}
