// What the pages share about the server: its graphs, and the schema of the one that is shown.
import * as api from '../api/graph';
import type { EdgeLabel, Schema, VertexLabel } from '../api/types';
import { store, stored } from './settings.svelte';

class Server {
    graphs = $state.raw<string[]>([]);
    #graph = $state('');
    #schemas = $state.raw<Record<string, Schema>>({});

    get graph(): string {
        return this.#graph;
    }

    set graph(name: string) {
        if (name === this.#graph) return;
        this.#graph = name;
        store('graph', name);
    }

    async load(): Promise<void> {
        this.graphs = await api.graphs();
        if (this.#graph === '') {
            const kept = stored('graph');
            this.#graph = this.graphs.find((name) => name === kept) ?? this.graphs[0] ?? '';
        }
    }

    /** The schema as last read; undefined before. */
    schema(graph: string): Schema | undefined {
        return this.#schemas[graph];
    }

    /** Reads the schema again. */
    async readSchema(graph: string, signal?: AbortSignal): Promise<Schema> {
        const schema = await api.schema(graph, signal);
        this.#schemas = { ...this.#schemas, [graph]: schema };
        return schema;
    }

    /** The schema, read if it has not been yet. */
    async needSchema(graph: string, signal?: AbortSignal): Promise<Schema> {
        return this.#schemas[graph] ?? this.readSchema(graph, signal);
    }

    vertexLabel(graph: string, name: string): VertexLabel | undefined {
        return this.#schemas[graph]?.vertexlabels.find((label) => label.name === name);
    }

    edgeLabel(graph: string, name: string): EdgeLabel | undefined {
        return this.#schemas[graph]?.edgelabels.find((label) => label.name === name);
    }
}

export const server = new Server();
