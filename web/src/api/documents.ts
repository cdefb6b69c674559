// What pages keep with a graph on the server, for everybody who may see its variables.
import { send, sendText } from './client';
import { parse, type Value } from './json';

export type DocumentKind = 'scene';

/** What a list says of a document. */
export interface DocumentTitle {
    name: string;
    at_ms: number;
    by: string;
    bytes: number;
    about: Value;
}

export function documents(graph: string, kind: DocumentKind, signal?: AbortSignal): Promise<DocumentTitle[]> {
    const query = { graph, kind };
    return send<{ documents: DocumentTitle[] }>('GET', '/rhizome/documents', { query, signal, quiet: true }).then(
        (answer) => answer.documents,
    );
}

/** The text of a document, as it was kept. */
export async function readDocument(graph: string, kind: DocumentKind, name: string): Promise<string> {
    return (await sendText('GET', '/rhizome/document', { query: { graph, kind, name } })).text;
}

/** Keeps a document, in place of one of the same name. `text`: its JSON. */
export async function writeDocument(
    graph: string,
    kind: DocumentKind,
    name: string,
    about: Value,
    text: string,
): Promise<void> {
    await send('PUT', '/rhizome/document', { query: { graph, kind, name }, body: { about, content: parse(text) } });
}

export async function deleteDocument(graph: string, kind: DocumentKind, name: string): Promise<void> {
    await send('DELETE', '/rhizome/document', { query: { graph, kind, name } });
}
