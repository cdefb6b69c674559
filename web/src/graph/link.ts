// A scene in the fragment of an address: ids by themselves as people write them, or a whole scene packed.
import { parse, stringify } from '../api/json';
import type { Direction, Expansion, Key, SavedScene, Scene } from './scene';
import { layoutNames, type LayoutName } from './layoutNames';

/** What a link says: elements by id, with where they are. What they are is read from the server. */
export interface LinkedScene {
    readonly vertices: readonly Key[];
    readonly edges: readonly Key[];
    /** x and y of each vertex in turn; empty: not said. */
    readonly xy: readonly number[];
    readonly selection: readonly Key[];
    readonly hidden: readonly Key[];
    readonly pinned: readonly Key[];
    readonly filter: readonly string[];
    readonly layout: LayoutName;
    readonly expansions: readonly (Expansion & { id: string })[];
}

/** Longest packed scene; a longer address is cut by some programs. */
export const PACKED_MAX = 48_000;
/** Ids in a link that are read as people wrote them. */
const IDS_MAX = 500;

export function linkedScene(scene: Scene, layout: LayoutName): LinkedScene {
    const nodes = [...scene.nodes.values()];
    const saved = scene.save();
    return {
        vertices: nodes.map(({ key }) => key),
        edges: [...scene.edges.keys()],
        xy: saved.nodes.flatMap(({ x, y }) => [Math.round(x), Math.round(y)]),
        selection: saved.selection,
        hidden: [...nodes, ...scene.edges.values()].filter(({ hidden }) => hidden).map(({ key }) => key),
        pinned: nodes.filter(({ pinned }) => pinned).map(({ key }) => key),
        filter: saved.filter,
        layout,
        expansions: saved.expansions,
    };
}

/** Packs a scene for an address; null if it is too long for one. */
export async function pack(scene: LinkedScene): Promise<string | null> {
    // Ids of edges contain those of their ends, so compression takes most of them.
    const text = stringify([
        1,
        scene.vertices,
        scene.edges,
        scene.xy,
        scene.selection,
        scene.hidden,
        scene.pinned,
        scene.filter,
        scene.layout,
        scene.expansions.map(({ id, reach, read, page }) => [id, reach.direction, reach.label, read, page]),
    ]);
    const packed = await squeeze(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
    let binary = '';
    for (const byte of packed) binary += String.fromCharCode(byte);
    const code = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    return code.length > PACKED_MAX ? null : code;
}

/** Reads what `pack` wrote; throws if it is something else. */
export async function unpack(code: string): Promise<LinkedScene> {
    if (code.length > PACKED_MAX) throw new RangeError('link');
    const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
    const text = new TextDecoder().decode(await squeeze(bytes, new DecompressionStream('deflate-raw'), 8 << 20));
    const fields: unknown = parse(text);
    if (!Array.isArray(fields) || fields[0] !== 1) throw new TypeError('link');
    const texts = (value: unknown): string[] =>
        Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : []);
    const [, vertices, edges, xy, selection, hidden, pinned, filter, layout, expansions] = fields as unknown[];
    return {
        vertices: texts(vertices),
        edges: texts(edges),
        xy: numbers(xy).every(Number.isFinite) ? numbers(xy) : [],
        selection: texts(selection),
        hidden: texts(hidden),
        pinned: texts(pinned),
        filter: texts(filter),
        layout: layoutNames.find((name) => name === layout) ?? 'force',
        expansions: (Array.isArray(expansions) ? expansions : []).flatMap((one) => {
            if (!Array.isArray(one) || typeof one[0] !== 'string') return [];
            const [id, direction, label, read, page] = one as [string, Direction, string | null, number, string | null];
            return [{ id, reach: { direction, label }, read, page }];
        }),
    };
}

/** Reads ids as people write them in a link: a JSON list, or texts between commas. */
export function idsOf(text: string): Key[] {
    const trimmed = text.trim();
    if (trimmed === '') return [];
    if (trimmed.startsWith('[')) {
        try {
            const list = parse(trimmed);
            if (Array.isArray(list)) return list.slice(0, IDS_MAX).map((id) => stringify(id));
        } catch {
            return [];
        }
    }
    return trimmed
        .split(',')
        .slice(0, IDS_MAX)
        .map((id) => id.trim())
        .map((id) => (/^(-?\d+|U?".*")$/s.test(id) ? id : stringify(id)));
}

/** A scene from a link and from what the server has of it. */
export function restored(
    link: LinkedScene,
    found: { vertices: SavedScene['nodes'][number]['vertex'][]; edges: SavedScene['edges'][number]['edge'][] },
): SavedScene {
    const at = new Map(link.vertices.map((key, i) => [key, i]));
    const hidden = new Set(link.hidden);
    const pinned = new Set(link.pinned);
    return {
        nodes: found.vertices.map((vertex) => {
            const i = at.get(vertex.key) ?? -1;
            return {
                vertex,
                x: link.xy[2 * i] ?? 0,
                y: link.xy[2 * i + 1] ?? 0,
                hidden: hidden.has(vertex.key),
                pinned: pinned.has(vertex.key),
                origins: ['link'],
            };
        }),
        edges: found.edges.map((edge) => ({ edge, hidden: hidden.has(edge.key), origins: ['link'] })),
        expansions: link.expansions,
        selection: link.selection,
        filter: link.filter,
    };
}

async function squeeze(bytes: Uint8Array, through: GenericTransformStream, max = Infinity): Promise<Uint8Array> {
    const reader = new Blob([bytes as BlobPart])
        .stream()
        .pipeThrough(through as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>)
        .getReader();
    const parts: Uint8Array[] = [];
    let length = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        length += value.length;
        if (length > max) {
            await reader.cancel();
            throw new RangeError('link');
        }
        parts.push(value);
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}
