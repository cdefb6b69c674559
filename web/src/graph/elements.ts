// Between what the REST API answers and what the scene keeps.
import { idLiteral } from '../api/graph';
import { parse } from '../api/json';
import type { Edge as ApiEdge, Id, IdStrategy, Vertex as ApiVertex } from '../api/types';
import type { Edge, Found, Key, Vertex } from './scene';

/** The id strategy of a vertex label; undefined if the label is not known. */
export type Strategies = (label: string) => IdStrategy | undefined;

export function vertexOf(vertex: ApiVertex, strategies: Strategies): Vertex {
    const { id, label, properties } = vertex;
    return { key: idLiteral(id, strategies(label)), label, properties };
}

export function edgeOf(edge: ApiEdge, strategies: Strategies): Edge {
    return {
        key: edge.id,
        label: edge.label,
        source: idLiteral(edge.outV, strategies(edge.outVLabel)),
        target: idLiteral(edge.inV, strategies(edge.inVLabel)),
        properties: edge.properties,
    };
}

export function foundOf(vertices: readonly ApiVertex[], edges: readonly ApiEdge[], strategies: Strategies): Found {
    return {
        vertices: vertices.map((vertex) => vertexOf(vertex, strategies)),
        edges: edges.map((edge) => edgeOf(edge, strategies)),
    };
}

/** The id that a key of a vertex stands for. */
export function idOf(key: Key): Id {
    return parse(key.startsWith('U"') ? key.slice(1) : key) as Id;
}

/** A key as people read it: texts without their quotes. */
export function keyText(key: Key): string {
    const id = /^U?"/.test(key) ? idOf(key) : key;
    return String(id);
}

/** True for keys of vertices; ids of edges begin with a letter that those cannot begin with. */
export function isVertexKey(key: Key): boolean {
    return /^(U?"|-?\d)/.test(key);
}
