// What the page asks the server. Each function is one request; no action of a user makes more than two.
import { base, type Signal } from '../../api/graph';
import { send } from '../../api/client';
import type { Value } from '../../api/json';
import type { Edge as ApiEdge, Page, Vertex as ApiVertex } from '../../api/types';
import { idOf } from '../../graph/elements';
import type { Count, Degrees, Key, Reach } from '../../graph/scene';

/** Edges of a vertex that are counted; beyond, the count is "at least". */
export const COUNT_MAX = 10_000;
/** Ids sent in an address; more are sent in a body. */
const ADDRESS_IDS_MAX = 200;
/** Edges that are looked for among vertices. */
export const CONNECT_MAX = 5_000;

/** A Gremlin query; values are passed beside it, never within. */
async function gremlin(
    graph: string,
    query: string,
    bindings: Record<string, unknown>,
    signal: Signal,
): Promise<unknown[]> {
    const body = {
        gremlin: query,
        bindings,
        language: 'gremlin-groovy',
        aliases: { graph, g: `__g_${graph}` },
    };
    const answer = await send<{ result: { data: unknown[] | null } }>('POST', '/gremlin', { body, signal });
    return answer.result.data ?? [];
}

/** One page of the edges at a vertex. */
export async function edgesAt(
    graph: string,
    key: Key,
    reach: Reach,
    limit: number,
    page: string,
    signal: Signal,
): Promise<Page<ApiEdge>> {
    const query = { vertex_id: key, direction: reach.direction, label: reach.label ?? undefined, limit, page };
    const answer = await send<{ edges: ApiEdge[]; page?: string | null }>('GET', `${base(graph)}/graph/edges`, {
        query,
        signal,
    });
    return { items: answer.edges, next: answer.page ?? null };
}

/** Vertices by key. */
export async function verticesOf(graph: string, keys: readonly Key[], signal: Signal): Promise<ApiVertex[]> {
    if (keys.length === 0) return [];
    // UUIDs have no form of their own in a body.
    if (keys.length > ADDRESS_IDS_MAX && !keys.some((key) => key.startsWith('U'))) {
        return (await gremlin(graph, 'g.V(ids)', { ids: keys.map(idOf) }, signal)) as ApiVertex[];
    }
    const query = { ids: keys };
    return (await send<{ vertices: ApiVertex[] }>('GET', `${base(graph)}/traversers/vertices`, { query, signal }))
        .vertices;
}

/** Edges by id. */
export async function edgesOf(graph: string, ids: readonly Key[], signal: Signal): Promise<ApiEdge[]> {
    if (ids.length === 0) return [];
    if (ids.length > ADDRESS_IDS_MAX) return (await gremlin(graph, 'g.E(ids)', { ids }, signal)) as ApiEdge[];
    const query = { ids };
    return (await send<{ edges: ApiEdge[] }>('GET', `${base(graph)}/traversers/edges`, { query, signal })).edges;
}

function counted(n: number): Count {
    return n > COUNT_MAX ? { n: COUNT_MAX, more: true } : { n, more: false };
}

function byLabel(value: unknown): Record<string, Count> {
    const counts = Object.entries((value ?? {}) as Record<string, number>).map(
        ([label, n]) => [label, Number(n)] as const,
    );
    const total = counts.reduce((sum, [, n]) => sum + n, 0);
    const isCut = total > COUNT_MAX;
    return Object.fromEntries(counts.map(([label, n]) => [label, { n, more: isCut }]));
}

/** How many neighbours a vertex has, and edges by label and direction; with it, other vertices that are wanted. */
export async function degreesAnd(
    graph: string,
    key: Key,
    wanted: readonly Key[],
    signal: Signal,
): Promise<{ degrees: Degrees | null; vertices: ApiVertex[] }> {
    if ([key, ...wanted].some((one) => one.startsWith('U'))) {
        return { degrees: null, vertices: await verticesOf(graph, wanted, signal) };
    }
    const parts = [
        '__.V(id).both().dedup().limit(most).count()',
        '__.V(id).outE().limit(most).groupCount().by(label)',
        '__.V(id).inE().limit(most).groupCount().by(label)',
    ];
    const bindings: Record<string, unknown> = { id: idOf(key), most: COUNT_MAX + 1 };
    if (wanted.length > 0) {
        parts.push('__.V(ids).fold()');
        bindings['ids'] = wanted.map(idOf);
    }
    const [neighbours, out, into, vertices] = await gremlin(
        graph,
        `g.inject(0).union(${parts.join(', ')})`,
        bindings,
        signal,
    );
    return {
        degrees: { neighbours: counted(Number(neighbours)), out: byLabel(out), in: byLabel(into) },
        vertices: (vertices ?? []) as ApiVertex[],
    };
}

/** Edges among vertices, of these labels. */
export async function edgesAmong(
    graph: string,
    keys: readonly Key[],
    labels: readonly string[],
    signal: Signal,
): Promise<ApiEdge[]> {
    if (keys.length === 0 || labels.length === 0) return [];
    const names = labels.map((_, i) => `l${i}`);
    const bindings: Record<string, unknown> = { ids: keys.map(idOf), most: CONNECT_MAX };
    labels.forEach((label, i) => (bindings[names[i]!] = label));
    const query = `g.V(ids).outE(${names.join(', ')}).where(__.inV().hasId(within(ids))).limit(most)`;
    return (await gremlin(graph, query, bindings, signal)) as ApiEdge[];
}

/** Edges between two vertices and the neighbours they share. */
export async function edgesToShared(
    graph: string,
    pair: readonly Key[],
    shared: readonly Key[],
    label: string | null,
    signal: Signal,
): Promise<{ vertices: ApiVertex[]; edges: ApiEdge[] }> {
    const both = label === null ? 'bothE()' : 'bothE(label0)';
    const bindings: Record<string, unknown> = { pair: pair.map(idOf), shared: shared.map(idOf), most: CONNECT_MAX };
    if (label !== null) bindings['label0'] = label;
    const query =
        `g.inject(0).union(__.V(pair).${both}.where(__.otherV().hasId(within(shared))).limit(most).fold(), ` +
        '__.V(shared).fold(), __.V(pair).fold())';
    const [edges, vertices, ends] = (await gremlin(graph, query, bindings, signal)) as [
        ApiEdge[],
        ApiVertex[],
        ApiVertex[],
    ];
    return { vertices: [...vertices, ...ends], edges };
}

export const traversals = [
    'shortestpath',
    'allshortestpaths',
    'weightedshortestpath',
    'paths',
    'kout',
    'kneighbor',
    'rings',
    'sameneighbors',
    'jaccardsimilarity',
] as const;
export type Traversal = (typeof traversals)[number];

/** What a form of the paths panel holds. */
export interface TraversalForm {
    readonly traversal: Traversal;
    readonly source: Key;
    readonly target: Key | null;
    readonly direction: 'BOTH' | 'OUT' | 'IN';
    readonly label: string | null;
    readonly depth: number;
    readonly limit: number;
    readonly weight: string | null;
}

export interface TraversalAnswer {
    /** Ids in order, as the answer has them; the whole answer may be one of them. */
    readonly paths: readonly Value[][];
    readonly weights: readonly (number | null)[];
    readonly vertices: readonly ApiVertex[];
    readonly edges: readonly ApiEdge[];
    readonly shared: readonly Value[];
    readonly similarity: number | null;
    /** Vertices found, where the answer lists them without paths. */
    readonly found: readonly Value[];
}

/** Which traversals end at a given vertex. */
export function needsTarget(traversal: Traversal): boolean {
    return !['kout', 'kneighbor', 'rings'].includes(traversal);
}

/** Runs a traverser. */
export async function traverse(graph: string, form: TraversalForm, signal: Signal): Promise<TraversalAnswer> {
    const { traversal, source, target, direction, depth, limit } = form;
    const label = form.label ?? undefined;
    const whole = { with_vertex: true, with_edge: true };
    const path = `${base(graph)}/traversers/${traversal}`;
    let answer: Record<string, Value>;
    switch (traversal) {
        case 'kout':
        case 'kneighbor':
            answer = await send('POST', path, {
                body: {
                    source: idOf(source),
                    steps: { direction, edge_steps: label === undefined ? [] : [{ label }] },
                    max_depth: depth,
                    limit,
                    with_path: true,
                    ...whole,
                },
                signal,
            });
            break;
        case 'rings':
            answer = await send('GET', path, {
                query: { source, direction, label, max_depth: depth, limit, ...whole },
                signal,
            });
            break;
        case 'sameneighbors':
        case 'jaccardsimilarity':
            answer = await send('GET', path, {
                query: {
                    vertex: source,
                    other: target ?? '',
                    direction,
                    label,
                    ...(traversal === 'sameneighbors' && { limit }),
                },
                signal,
            });
            break;
        case 'weightedshortestpath':
            answer = await send('GET', path, {
                query: { source, target: target ?? '', direction, label, weight: form.weight ?? '', ...whole },
                signal,
            });
            break;
        case 'shortestpath':
            answer = await send('GET', path, {
                query: { source, target: target ?? '', direction, label, max_depth: depth, ...whole },
                signal,
            });
            break;
        case 'allshortestpaths':
            answer = await send('GET', path, {
                query: { source, target: target ?? '', direction, label, max_depth: depth, ...whole },
                signal,
            });
            break;
        case 'paths':
            answer = await send('GET', path, {
                query: { source, target: target ?? '', direction, label, max_depth: depth, limit, ...whole },
                signal,
            });
    }
    return readAnswer(answer);
}

/** The parts of a traverser's answer. */
export function readAnswer(answer: Record<string, Value>): TraversalAnswer {
    const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);
    const object = (value: Value | undefined): Record<string, Value> =>
        typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    const paths: Value[][] = [];
    const weights: (number | null)[] = [];
    const one = answer['path'];
    if (Array.isArray(one)) {
        if (one.length > 0) paths.push(one);
    } else if (one !== undefined && one !== null) {
        const vertices = list(object(one)['vertices']);
        if (vertices.length > 0) {
            paths.push(vertices);
            weights.push(Number(object(one)['weight']));
        }
    }
    for (const name of ['paths', 'rings']) {
        for (const path of list(answer[name])) paths.push(list(object(path)['objects']));
    }
    const similarity = answer['jaccard_similarity'];
    return {
        paths,
        weights,
        vertices: list(answer['vertices']).filter((v) => typeof v === 'object') as unknown as ApiVertex[],
        edges: list(answer['edges']).filter((e) => typeof e === 'object') as unknown as ApiEdge[],
        shared: list(answer['same_neighbors']),
        similarity: similarity === undefined ? null : Number(similarity),
        found: [...list(answer['kout']), ...list(answer['kneighbor'])],
    };
}

/** A vertex of a label and those that edges of a label lead to from it, nearest first. */
export async function circleOf(
    graph: string,
    label: string,
    along: string,
    most: number,
    signal: Signal,
): Promise<ApiVertex[]> {
    const near = '__.identity(), __.both(along), __.both(along).both(along)';
    const query = `g.V().hasLabel(label0).limit(1).union(${near}).dedup().limit(most)`;
    return (await gremlin(graph, query, { label0: label, along, most }, signal)) as ApiVertex[];
}

/** Some vertices of each of these labels. */
export async function sampleOf(
    graph: string,
    labels: readonly string[],
    each: number,
    signal: Signal,
): Promise<ApiVertex[]> {
    if (labels.length === 0) return [];
    const bindings: Record<string, unknown> = { each };
    labels.forEach((label, i) => (bindings[`l${i}`] = label));
    const parts = labels.map((_, i) => `__.V().hasLabel(l${i}).limit(each)`);
    return (await gremlin(graph, `g.inject(0).union(${parts.join(', ')})`, bindings, signal)) as ApiVertex[];
}
