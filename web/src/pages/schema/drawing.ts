// How the labels of a schema are drawn: as boxes in layers, which graph/layers.ts places.
import { stringify } from '../../api/json';
import type { Schema } from '../../api/types';
import type { LayersInput, LayersOutput } from '../../graph/layers';

export interface Box {
    name: string;
    lines: string[];
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Line {
    key: string;
    /** Edge labels with the same ends are one line. */
    names: string[];
    path: string;
    x: number;
    y: number;
}

export interface Drawing {
    boxes: Box[];
    lines: Line[];
    width: number;
    height: number;
}

const PROPERTIES_MAX = 6;
const LINE = 16;
const SIGN = 7;
const SHOWN_NAMES = 3;
/** Room below a box for the loop of edge labels that lead back to it. */
const LOOP = 56;

/** The width of a text of a drawing, as estimated: Chinese signs are twice as wide. */
function widthOf(text: string): number {
    return [...text].reduce((sum, sign) => sum + (sign.charCodeAt(0) > 0x2e80 ? 2 * SIGN : SIGN), 0);
}

/** A long name, cut in the middle of the drawing's limits. */
export function cut(text: string, max = 28): string {
    return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** The line from a box back to it, below. */
function loop(box: Box, names: number): { path: string; x: number; y: number } {
    const [x, y] = [box.x + box.width / 2, box.y + box.height];
    const shown = Math.min(names, SHOWN_NAMES + 1);
    const path = `M${x - 24} ${y}C${x - 40} ${y + 44} ${x + 40} ${y + 44} ${x + 24} ${y}`;
    return { path, x, y: y + LOOP - 8 - ((shown - 1) * LINE) / 2 };
}

/** The boxes and lines of a schema before they are placed. */
export interface Plan {
    readonly input: LayersInput;
    /** Of each box, what is written in it. */
    readonly texts: readonly (readonly string[])[];
    /** The room below a box that its loop takes. */
    readonly rooms: readonly number[];
    readonly lines: readonly { readonly key: string; readonly from: string; readonly to: string; names: string[] }[];
}

/** What is to be placed, and how large it is. */
export function plan(schema: Schema): Plan {
    const known = new Set(schema.vertexlabels.map(({ name }) => name));
    const joined = new Map<string, { key: string; from: string; to: string; names: string[] }>();
    for (const { name, source_label: from, target_label: to } of schema.edgelabels) {
        if (!known.has(from) || !known.has(to)) continue;
        const key = stringify([from, to]);
        const line = joined.get(key) ?? { key, from, to, names: [] };
        line.names.push(name);
        joined.set(key, line);
    }
    const lines = [...joined.values()];
    const rooms = schema.vertexlabels.map(({ name }) => (joined.has(stringify([name, name])) ? LOOP : 0));
    const texts = schema.vertexlabels.map(({ properties }) => {
        const shown = properties.slice(0, PROPERTIES_MAX).map((name) => cut(name));
        if (properties.length > PROPERTIES_MAX) shown.push(`+ ${properties.length - PROPERTIES_MAX}`);
        return shown;
    });
    const boxes = schema.vertexlabels.map(({ name }, at) => {
        const shown = texts[at] ?? [];
        // The name is bold.
        const width = Math.max(80, 1.15 * widthOf(cut(name)) + 24, ...shown.map((text) => widthOf(text) + 24));
        return { name, width, height: 28 + shown.length * LINE + (rooms[at] ?? 0) };
    });
    const between = lines.filter(({ from, to }) => from !== to);
    const input = {
        boxes,
        lines: between.map(({ key, from, to, names }) => ({
            key,
            from,
            to,
            width: Math.max(...names.slice(0, SHOWN_NAMES).map((name) => widthOf(cut(name)))) * 0.92,
            height: Math.min(names.length, SHOWN_NAMES + 1) * LINE,
        })),
    };
    return { input, texts, rooms, lines };
}

/** The drawing of what was placed. */
export function drawn({ input, texts, rooms, lines }: Plan, placed: LayersOutput): Drawing {
    const boxes = input.boxes.map(({ name, width, height }, at): Box => {
        const { x, y } = placed.boxes[at] ?? { x: 0, y: 0 };
        const own = height - (rooms[at] ?? 0);
        return { name, lines: [...(texts[at] ?? [])], x: x - width / 2, y: y - height / 2, width, height: own };
    });
    const places = new Map(input.lines.map(({ key }, at) => [key, placed.lines[at]]));
    const of = new Map(boxes.map((box) => [box.name, box]));
    const all = lines.flatMap(({ key, from, to, names }): Line[] => {
        const box = of.get(from);
        if (from === to && box) return [{ key, names, ...loop(box, names.length) }];
        const place = places.get(key);
        if (!place) return [];
        const path = place.points
            .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
            .join('');
        return [{ key, names, path, x: place.x, y: place.y }];
    });
    // Names of loops are wider than what they are below.
    const ends = all.map(({ x, names }) => x + Math.max(...names.map((name) => widthOf(cut(name)))) / 2);
    return { boxes, lines: all, width: Math.max(placed.width, ...ends), height: placed.height };
}

export { SHOWN_NAMES, LINE };
