// The resources of one graph. `graph` is its name; nothing else builds addresses of the API.
import { send, type Query } from './client';
import { stringify, type Value } from './json';
import type { Edge, Id, IdStrategy, Kind, Page, Schema, Task, Vertex } from './types';

export type Signal = AbortSignal | undefined;

/** The address of a graph's resources. */
export function base(graph: string): string {
    return `/graphs/${encodeURIComponent(graph)}`;
}

/** An id as the API wants it in addresses: digits for numbers, a JSON string for texts, U"..." for UUIDs. */
export function idLiteral(id: Id, strategy?: IdStrategy): string {
    if (typeof id !== 'string') return String(id);
    return strategy === 'CUSTOMIZE_UUID' ? `U${stringify(id)}` : stringify(id);
}

/** An id from what somebody typed: digits are a number unless they are quoted. */
export function idFromText(text: string): Id {
    const trimmed = text.trim();
    if (/^-?\d+$/.test(trimmed)) {
        const number = Number(trimmed);
        return Number.isSafeInteger(number) ? number : BigInt(trimmed);
    }
    const quoted = /^"(.*)"$/s.exec(trimmed);
    return quoted ? (quoted[1] ?? '') : trimmed;
}

export function graphs(signal?: Signal): Promise<string[]> {
    return send<{ graphs: string[] }>('GET', '/graphs', { signal }).then((answer) => answer.graphs);
}

export function versions(signal?: Signal): Promise<{ version: string; core: string; gremlin: string; api: string }> {
    return send<{ versions: { version: string; core: string; gremlin: string; api: string } }>('GET', '/versions', {
        signal,
        quiet: true,
    }).then((answer) => answer.versions);
}

export function schema(graph: string, signal?: Signal): Promise<Schema> {
    return send<Schema>('GET', `${base(graph)}/schema`, { signal });
}

export interface ListOptions {
    label?: string | undefined;
    /** Conditions by property: a value, or a predicate of the API ("P.gt(3)"). */
    properties?: Record<string, Value> | undefined;
    limit: number;
    /** Undefined: without pages. Empty: the first page. */
    page?: string | undefined;
}

function listQuery(options: ListOptions): Query {
    const { label, properties, limit, page } = options;
    const where = properties && Object.keys(properties).length > 0 ? stringify(properties) : undefined;
    return { label, properties: where, limit, page };
}

export async function vertices(graph: string, options: ListOptions, signal?: Signal): Promise<Page<Vertex>> {
    const answer = await send<{ vertices: Vertex[]; page?: string | null }>('GET', `${base(graph)}/graph/vertices`, {
        query: listQuery(options),
        signal,
    });
    return { items: answer.vertices, next: answer.page ?? null };
}

export interface EdgeListOptions extends ListOptions {
    vertex?: { id: Id; strategy?: IdStrategy | undefined } | undefined;
    direction?: 'OUT' | 'IN' | 'BOTH' | undefined;
}

export async function edges(graph: string, options: EdgeListOptions, signal?: Signal): Promise<Page<Edge>> {
    const { vertex, direction } = options;
    const query = { vertex_id: vertex && idLiteral(vertex.id, vertex.strategy), direction, ...listQuery(options) };
    const answer = await send<{ edges: Edge[]; page?: string | null }>('GET', `${base(graph)}/graph/edges`, {
        query,
        signal,
    });
    return { items: answer.edges, next: answer.page ?? null };
}

function vertexPath(graph: string, id: Id, strategy?: IdStrategy): string {
    return `${base(graph)}/graph/vertices/${encodeURIComponent(idLiteral(id, strategy))}`;
}

function edgePath(graph: string, id: string): string {
    return `${base(graph)}/graph/edges/${encodeURIComponent(id)}`;
}

export function vertex(graph: string, id: Id, strategy?: IdStrategy, signal?: Signal): Promise<Vertex> {
    return send<Vertex>('GET', vertexPath(graph, id, strategy), { signal });
}

export function edge(graph: string, id: string, signal?: Signal): Promise<Edge> {
    return send<Edge>('GET', edgePath(graph, id), { signal });
}

/** Several vertices by id in one request; ids that are not there are missing from the answer. */
export async function verticesById(graph: string, ids: readonly Id[], signal?: Signal): Promise<Vertex[]> {
    if (ids.length === 0) return [];
    const answer = await send<{ vertices: Vertex[] }>('GET', `${base(graph)}/traversers/vertices`, {
        query: { ids: ids.map((id) => idLiteral(id)) },
        signal,
    });
    return answer.vertices;
}

export type Update = 'append' | 'eliminate';

export function updateVertex(graph: string, item: Vertex, update: Update, strategy?: IdStrategy): Promise<Vertex> {
    const { label, properties } = item;
    return send<Vertex>('PUT', vertexPath(graph, item.id, strategy), {
        query: { action: update },
        body: { label, properties },
    });
}

export function updateEdge(
    graph: string,
    id: string,
    properties: Record<string, Value>,
    update: Update,
): Promise<Edge> {
    return send<Edge>('PUT', edgePath(graph, id), { query: { action: update }, body: { properties } });
}

export function addVertex(
    graph: string,
    body: { id?: Id; label: string; properties: Record<string, Value> },
): Promise<Vertex> {
    return send<Vertex>('POST', `${base(graph)}/graph/vertices`, { body });
}

export function addEdge(graph: string, body: Omit<Edge, 'id' | 'type'>): Promise<Edge> {
    return send<Edge>('POST', `${base(graph)}/graph/edges`, { body });
}

export function deleteVertex(graph: string, id: Id, strategy?: IdStrategy): Promise<unknown> {
    return send('DELETE', vertexPath(graph, id, strategy));
}

export function deleteEdge(graph: string, id: string): Promise<unknown> {
    return send('DELETE', edgePath(graph, id));
}

/** Adds a definition; the answer names a task where one follows (indexes). */
export function define(graph: string, kind: Kind, body: Record<string, Value>): Promise<{ task_id?: number }> {
    return send('POST', `${base(graph)}/schema/${kind}`, { body });
}

export function changeDefinition(
    graph: string,
    kind: Kind,
    name: string,
    action: 'append' | 'eliminate',
    body: Record<string, Value>,
): Promise<{ task_id?: number }> {
    const path = `${base(graph)}/schema/${kind}/${encodeURIComponent(name)}`;
    return send('PUT', path, { query: { action }, body });
}

export function removeDefinition(graph: string, kind: Kind, name: string): Promise<{ task_id?: number } | null> {
    return send('DELETE', `${base(graph)}/schema/${kind}/${encodeURIComponent(name)}`);
}

export function rebuildIndex(graph: string, kind: Kind, name: string): Promise<{ task_id: number }> {
    return send('PUT', `${base(graph)}/jobs/rebuild/${kind}/${encodeURIComponent(name)}`);
}

export function task(graph: string, id: number, signal?: Signal, quiet = false): Promise<Task> {
    return send<Task>('GET', `${base(graph)}/tasks/${id}`, { signal, quiet });
}

export function tasks(graph: string, limit: number, signal?: Signal, quiet = false): Promise<Task[]> {
    const query = { limit };
    return send<{ tasks: Task[] }>('GET', `${base(graph)}/tasks`, { query, signal, quiet }).then(
        (answer) => answer.tasks,
    );
}
