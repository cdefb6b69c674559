// Scenes that are kept: in the browser (IndexedDB), with the graph on the server, and as files.
import { deleteDocument, documents, readDocument, writeDocument } from '../api/documents';
import { parse, stringify } from '../api/json';
import type { LayoutName } from './layoutNames';
import type { Styles } from './look';
import type { SavedScene } from './scene';

/** A scene with its name, as it is kept. */
export interface Kept {
    readonly name: string;
    readonly graph: string;
    readonly at: number;
    readonly note: string;
    readonly layout: LayoutName;
    readonly scene: SavedScene;
    readonly styles: Styles;
}

/** What a list of scenes shows. */
export interface KeptTitle {
    readonly name: string;
    readonly at: number;
    readonly note: string;
    readonly nodes: number;
    readonly edges: number;
    /** Who keeps it on the server for everybody; undefined: it is in this browser. */
    readonly by?: string;
}

const STORE = 'scenes';

function open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open('rhizome', 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ['graph', 'name'] });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
    });
}

async function transact<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await open();
    try {
        return await new Promise<T>((resolve, reject) => {
            const transaction = database.transaction(STORE, mode);
            const request = work(transaction.objectStore(STORE));
            transaction.oncomplete = () => resolve(request.result);
            transaction.onerror = () => reject(transaction.error ?? new Error('IndexedDB'));
            transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB'));
        });
    } finally {
        database.close();
    }
}

interface Row {
    readonly graph: string;
    readonly name: string;
    readonly title: KeptTitle;
    /** JSON, so that integers of any size are kept. */
    readonly text: string;
}

export async function keep(kept: Kept): Promise<void> {
    const { graph, name, at, note, scene } = kept;
    const title = { name, at, note, nodes: scene.nodes.length, edges: scene.edges.length };
    await transact('readwrite', (store) => store.put({ graph, name, title, text: write(kept) } satisfies Row));
}

/** Scenes of a graph, the newest first. */
export async function keptOf(graph: string): Promise<KeptTitle[]> {
    const range = IDBKeyRange.bound([graph], [graph, []]);
    const rows = await transact<Row[]>('readonly', (store) => store.getAll(range) as IDBRequest<Row[]>);
    return rows.map(({ title }) => title).sort((a, b) => b.at - a.at);
}

export async function readKept(graph: string, name: string): Promise<Kept | null> {
    const row = await transact<Row | undefined>(
        'readonly',
        (store) => store.get([graph, name]) as IDBRequest<Row | undefined>,
    );
    return row ? read(row.text) : null;
}

export async function forget(graph: string, name: string): Promise<void> {
    await transact('readwrite', (store) => store.delete([graph, name]));
}

const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Scenes that the server keeps with a graph, the newest first. */
export async function sharedOf(graph: string): Promise<KeptTitle[]> {
    const titles = await documents(graph, 'scene');
    const found = titles.map(({ name, at_ms, by, about }) => {
        const told = (typeof about === 'object' && about !== null ? about : {}) as Record<string, unknown>;
        const note = typeof told['note'] === 'string' ? told['note'] : '';
        return { name, at: at_ms, by, note, nodes: count(told['nodes']), edges: count(told['edges']) };
    });
    return found.sort((a, b) => b.at - a.at);
}

/** Keeps a scene with its graph on the server, in place of one of the same name. */
export async function share(kept: Kept): Promise<void> {
    const { graph, name, note, scene } = kept;
    const about = { note, nodes: scene.nodes.length, edges: scene.edges.length };
    await writeDocument(graph, 'scene', name, about, write(kept));
}

export async function readShared(graph: string, name: string): Promise<Kept> {
    return read(await readDocument(graph, 'scene', name));
}

export function unshare(graph: string, name: string): Promise<void> {
    return deleteDocument(graph, 'scene', name);
}

/** Scenes of a graph in this browser and on its server; what cannot be read is left out. */
export async function scenesOf(graph: string): Promise<KeptTitle[]> {
    const nothing = (): KeptTitle[] => [];
    const [own, shared] = await Promise.all([keptOf(graph).catch(nothing), sharedOf(graph).catch(nothing)]);
    return [...own, ...shared].sort((a, b) => b.at - a.at);
}

/** How the address of Explore names a scene. */
export function sceneState(title: KeptTitle): { saved: string } | { shared: string } {
    return title.by === undefined ? { saved: title.name } : { shared: title.name };
}

/** A scene as the text of a file. */
export function write(kept: Kept): string {
    return stringify({ rhizome: 'scene', version: 1, ...kept });
}

/** Reads a scene from a file; throws a TypeError that says what is wrong. */
export function read(text: string): Kept {
    const value = parse(text) as unknown as Partial<Kept> & { rhizome?: string; version?: number };
    if (typeof value !== 'object' || value === null || value.rhizome !== 'scene') throw new TypeError('not a scene');
    if (value.version !== 1) throw new TypeError(`version ${String(value.version)}`);
    const { scene } = value;
    const isScene =
        scene &&
        Array.isArray(scene.nodes) &&
        Array.isArray(scene.edges) &&
        scene.nodes.every(
            (n) =>
                typeof n?.vertex?.key === 'string' &&
                typeof n.vertex.label === 'string' &&
                Number.isFinite(n.x) &&
                Number.isFinite(n.y),
        ) &&
        scene.edges.every((e) =>
            [e?.edge?.key, e?.edge?.label, e?.edge?.source, e?.edge?.target].every((t) => typeof t === 'string'),
        );
    if (!isScene) throw new TypeError('damaged');
    return {
        name: String(value.name ?? ''),
        graph: String(value.graph ?? ''),
        at: Number(value.at ?? 0),
        note: String(value.note ?? ''),
        layout: value.layout ?? 'force',
        scene: {
            nodes: scene.nodes.map((n) => ({
                ...n,
                vertex: { ...n.vertex, properties: n.vertex.properties ?? {} },
                origins: list(n.origins),
            })),
            edges: scene.edges.map((e) => ({
                ...e,
                edge: { ...e.edge, properties: e.edge.properties ?? {} },
                origins: list(e.origins),
            })),
            expansions: list(scene.expansions),
            selection: list(scene.selection),
            filter: list(scene.filter),
        },
        styles: { vertices: value.styles?.vertices ?? {}, edges: value.styles?.edges ?? {} },
    };
}

function list<T>(value: readonly T[] | undefined): readonly T[] {
    return Array.isArray(value) ? (value as readonly T[]) : [];
}
