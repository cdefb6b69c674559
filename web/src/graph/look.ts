// How vertices and edges look: by label, and by the values of a property. A label's look is a colour and a shape, so
// that colour is never alone.
import type { Figure } from './figure';
import type { Scene, SceneEdge, SceneNode } from './scene';

export const shapes = ['circle', 'square', 'diamond', 'triangle'] as const;
export type Shape = (typeof shapes)[number];

/** Colours of the theme, as CSS writes them. */
export interface Palette {
    readonly labels: readonly string[];
    readonly ground: string;
    readonly text: string;
    readonly muted: string;
    readonly accent: string;
    readonly edge: string;
    readonly raised: string;
    readonly font: string;
}

/** A property whose values decide about a colour, a size or a width. */
export interface Scale {
    readonly property: string;
}

/** What was chosen for a vertex label; what is absent follows from the label's place in the schema. */
export interface VertexStyle {
    /** 0 to 7. */
    color?: number;
    shape?: Shape;
    /** Radius in pixels. */
    size?: number;
    /** Property shown beside the vertex; '' for the id. */
    caption?: string;
    colorBy?: Scale;
    sizeBy?: Scale;
}

/** What was chosen for an edge label. */
export interface EdgeStyle {
    /** 0 to 7; absent: the colour of edges. */
    color?: number;
    /** Pixels. */
    width?: number;
    widthBy?: Scale;
}

export interface Styles {
    vertices: Record<string, VertexStyle>;
    edges: Record<string, EdgeStyle>;
}

export interface NodeLook {
    readonly color: string;
    readonly shape: Shape;
    readonly size: number;
    readonly caption: string;
}

export interface EdgeLook {
    readonly color: string;
    readonly width: number;
    /** Less where there are many, so that vertices and crowds remain visible. */
    readonly opacity: number;
}

/** Label n has colour n mod 8 and shape (n + n div 8) mod 4: 32 looks. */
export function lookOf(n: number): { color: number; shape: Shape } {
    return { color: n % 8, shape: shapes[(n + Math.floor(n / 8)) % 4]! };
}

/** A number for scales, from numbers of any size and from dates; null for all else. */
export function quantity(value: unknown): number | null {
    if (typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) {
        const at = Date.parse(value.replace(' ', 'T'));
        return Number.isNaN(at) ? null : at;
    }
    return null;
}

/** How the values of one property of one label are shown. */
export type Legend =
    | { kind: 'range'; min: number; max: number; isDate: boolean }
    | { kind: 'values'; values: { text: string; n: number; color: number }[]; others: number }
    | { kind: 'none' };

/** Values that get a colour of their own. */
const VALUES_MAX = 8;

/** The scale for the values that are drawn: a range for numbers and dates, else the most frequent values. */
export function legendOf(values: Iterable<unknown>): Legend {
    let [min, max] = [Infinity, -Infinity];
    let isRange = true;
    let isDate = false;
    let any = false;
    const counts = new Map<string, number>();
    for (const value of values) {
        if (value === undefined || value === null) continue;
        any = true;
        const number = quantity(value);
        if (number === null) isRange = false;
        else {
            min = Math.min(min, number);
            max = Math.max(max, number);
            isDate ||= typeof value === 'string';
        }
        const text = String(value).slice(0, 200);
        counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    if (!any) return { kind: 'none' };
    if (isRange) return { kind: 'range', min, max, isDate };
    const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const others = sorted.slice(VALUES_MAX).reduce((sum, [, n]) => sum + n, 0);
    return {
        kind: 'values',
        values: sorted.slice(0, VALUES_MAX).map(([text, n], color) => ({ text, n, color })),
        others,
    };
}

/** Where a value lies in a range, from 0 to 1. */
export function share(value: unknown, legend: Legend): number | null {
    if (legend.kind !== 'range') return null;
    const number = quantity(value);
    if (number === null) return null;
    return legend.max > legend.min ? (number - legend.min) / (legend.max - legend.min) : 1;
}

/** Mixes two colours of the form #rrggbb; 0 gives the first. */
export function mix(from: string, to: string, part: number): string {
    const [a, b] = [rgb(from), rgb(to)];
    return `#${a
        .map((c, i) =>
            Math.round(c + (b[i]! - c) * part)
                .toString(16)
                .padStart(2, '0'),
        )
        .join('')}`;
}

function rgb(color: string): number[] {
    const hex = /^#([0-9a-f]{6})$/i.exec(color.trim())?.[1] ?? '808080';
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Longest caption on the canvas, in characters. */
const CAPTION_MAX = 24;

/** The text beside a vertex when none was chosen: a name, a title, or the id. */
export function captionOf(node: SceneNode, property: string | undefined): string {
    const { properties, key } = node.vertex;
    const own = (name: string): unknown => (Object.hasOwn(properties, name) ? properties[name] : undefined);
    let text: unknown;
    if (property !== undefined) {
        text = property === '' ? undefined : own(property);
    } else if (own('firstName') !== undefined && own('lastName') !== undefined) {
        text = `${String(own('firstName'))} ${String(own('lastName'))}`;
    } else {
        text = own('name') ?? own('title') ?? own('firstName') ?? own('label') ?? own('content');
    }
    if (text === undefined || text === null || text === '') text = key.replace(/^U?"(.*)"$/s, '$1');
    const line = String(text)
        .slice(0, 4 * CAPTION_MAX)
        .replace(/\s+/gu, ' ');
    const signs = [...line];
    return signs.length > CAPTION_MAX ? `${signs.slice(0, CAPTION_MAX - 1).join('')}…` : line;
}

/** Styles applied to what is drawn. Scales are over the scene, so they are made anew when it changes. */
export class Looks {
    readonly #scene: Scene;
    readonly #styles: Styles;
    readonly #palette: Palette;
    readonly #number: (label: string) => number;
    readonly #legends = new Map<string, Legend>();
    readonly #scaleSize: number;

    /** `number` gives a vertex label's place in the schema. */
    constructor(
        scene: Scene,
        styles: Styles,
        palette: Palette,
        number: (label: string) => number,
        /** What is shown in place of the colours and sizes of the styles. */
        private readonly figure: Figure | null = null,
    ) {
        this.#scene = scene;
        this.#styles = styles;
        this.#palette = palette;
        this.#number = number;
        const n = scene.nodes.size;
        this.#scaleSize = n > 5000 ? 0.5 : n > 1000 ? 0.75 : n > 250 ? 0.85 : 1;
    }

    get palette(): Palette {
        return this.#palette;
    }

    /** Colour number and shape of a vertex label. */
    label(label: string): { color: number; shape: Shape } {
        const style = this.#styles.vertices[label];
        const base = lookOf(this.#number(label));
        return { color: style?.color ?? base.color, shape: style?.shape ?? base.shape };
    }

    labelColor(label: string): string {
        return this.#palette.labels[this.label(label).color]!;
    }

    edgeColor(label: string): string {
        const color = this.#styles.edges[label]?.color;
        return color === undefined ? this.#palette.edge : this.#palette.labels[color]!;
    }

    legend(kind: 'vertex' | 'edge', label: string, property: string): Legend {
        const id = `${kind} ${label} ${property}`;
        let legend = this.#legends.get(id);
        if (!legend) {
            const values: unknown[] = [];
            if (kind === 'vertex') {
                for (const { vertex } of this.#scene.nodes.values()) {
                    if (vertex.label === label) values.push(vertex.properties[property]);
                }
            } else {
                for (const { edge } of this.#scene.edges.values()) {
                    if (edge.label === label) values.push(edge.properties[property]);
                }
            }
            this.#legends.set(id, (legend = legendOf(values)));
        }
        return legend;
    }

    /** The colour of a value: between ground and the label's colour, or one of the eight. */
    scaleColor(value: unknown, legend: Legend, full: string): string {
        const { ground, labels, muted } = this.#palette;
        const part = share(value, legend);
        if (part !== null) return mix(mix(ground, full, 0.3), full, part);
        if (legend.kind === 'values') {
            const found = legend.values.find(({ text }) => text === String(value).slice(0, 200));
            if (found) return labels[found.color]!;
        }
        return muted;
    }

    node(node: SceneNode): NodeLook {
        const { label, properties } = node.vertex;
        const style = this.#styles.vertices[label];
        const { shape } = this.label(label);
        let color = this.labelColor(label);
        let size = (style?.size ?? 9) * this.#scaleSize;
        if (style?.colorBy) {
            const { property } = style.colorBy;
            color = this.scaleColor(properties[property], this.legend('vertex', label, property), color);
        }
        if (style?.sizeBy) {
            const { property } = style.sizeBy;
            const part = share(properties[property], this.legend('vertex', label, property));
            size *= part === null ? 0.6 : 0.6 + 1.4 * part;
        }
        if (this.figure) {
            const { legend, values } = this.figure;
            const value = values.get(node.key);
            color = this.scaleColor(value, legend, this.#palette.labels[0]!);
            const part = share(value, legend);
            // Of a score the greatest are the largest; the colours of groups mean nothing by their size.
            size = 9 * this.#scaleSize * (part === null ? (legend.kind === 'range' ? 0.6 : 1) : 0.6 + 1.4 * part);
        }
        return { color, shape, size, caption: captionOf(node, style?.caption) };
    }

    edge(edge: SceneEdge): EdgeLook {
        const { label, properties } = edge.edge;
        const style = this.#styles.edges[label];
        let width = style?.width ?? (this.#scene.edges.size > 5000 ? 1 : this.#scene.edges.size > 500 ? 1.2 : 1.8);
        if (style?.widthBy) {
            const part = share(properties[style.widthBy.property], this.legend('edge', label, style.widthBy.property));
            width *= part === null ? 0.7 : 0.7 + 3.3 * part;
        }
        const { size } = this.#scene.edges;
        return { color: this.edgeColor(label), width, opacity: size > 10_000 ? 0.35 : size > 1_000 ? 0.5 : 1 };
    }
}

/** The colours of the theme that is shown. */
export function readPalette(element: Element): Palette {
    const style = getComputedStyle(element);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    return {
        labels: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => color(`--label-${n}`)),
        ground: color('--ground'),
        text: color('--text'),
        muted: color('--muted'),
        accent: color('--accent'),
        edge: color('--edge'),
        raised: color('--raised'),
        font: color('--font'),
    };
}
