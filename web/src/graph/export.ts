// The scene as files: SVG, JSON and CSV. PNG comes from the stage itself.
import { stringify, type Value } from '../api/json';
import { csvField, visible } from '../components/text';
import { arrowHead, bendOf, corners, edgeCurve, loopCurve, loopOf, pointAt, type Curve } from './geometry';
import { keyText } from './elements';
import type { Key, Scene } from './scene';
import type { View } from './stage';

/** Vertices and edges as a table each: id, label, ends, and a column for each property that occurs. */
export function csv(scene: Scene, kind: 'vertex' | 'edge'): string {
    const rows =
        kind === 'vertex'
            ? [...scene.nodes.values()]
                  .filter((n) => scene.nodeVisible(n))
                  .map(({ vertex }) => ({ ...vertex, ends: [] as string[] }))
            : [...scene.edges.values()]
                  .filter((e) => scene.edgeVisible(e))
                  .map(({ edge }) => ({ ...edge, ends: [keyText(edge.source), keyText(edge.target)] }));
    const names = [...new Set(rows.flatMap(({ properties }) => Object.keys(properties)))].sort();
    const head = ['id', 'label', ...(kind === 'edge' ? ['source', 'target'] : []), ...names];
    const lines = rows.map(({ key, label, ends, properties }) => [
        kind === 'vertex' ? keyText(key) : key,
        label,
        ...ends,
        ...names.map((name) => (Object.hasOwn(properties, name) ? (properties[name] as Value) : undefined)),
    ]);
    return [head, ...lines].map((line) => line.map(csvField).join(',')).join('\r\n') + '\r\n';
}

/** What is visible, as JSON with every digit. */
export function json(scene: Scene): string {
    const nodes = [...scene.nodes.values()].filter((n) => scene.nodeVisible(n));
    const edges = [...scene.edges.values()].filter((e) => scene.edgeVisible(e));
    return stringify(
        {
            vertices: nodes.map(({ vertex: { key, label, properties }, x, y }) => ({
                id: key,
                label,
                properties,
                x,
                y,
            })),
            edges: edges.map(({ edge: { key, label, source, target, properties } }) => ({
                id: key,
                label,
                source,
                target,
                properties,
            })),
        },
        2,
    );
}

/** A text in XML. Signs that XML does not allow are shown as marks. */
export function xml(text: string): string {
    return visible(text).replace(/[&<>"'\ud800-\udfff\ufffe\uffff]/gu, (sign) => {
        const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
        return named[sign] ?? '\ufffd';
    });
}

/** The whole visible scene as a picture of lines, at zoom 1. */
export function svg(view: View, path: ReadonlySet<Key>): string {
    const { scene, palette } = view;
    const nodes = [...scene.nodes.values()].filter((n) => scene.nodeVisible(n));
    const margin = 40;
    let [left, right, top, bottom] = [0, 0, 0, 0];
    if (nodes.length > 0) {
        [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
        for (const { x, y } of nodes) {
            left = Math.min(left, x);
            right = Math.max(right, x);
            top = Math.min(top, -y);
            bottom = Math.max(bottom, -y);
        }
    }
    const box = [left - margin, top - margin, right - left + 2 * margin + 140, bottom - top + 2 * margin];
    const n = (x: number): string => String(Math.round(x * 10) / 10);
    const out = [
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.map(n).join(' ')}" ` +
            `width="${n(box[2]!)}" height="${n(box[3]!)}">`,
        `<rect x="${n(box[0]!)}" y="${n(box[1]!)}" width="100%" height="100%" fill="${palette.ground}"/>`,
    ];
    const groups = new Map<string, Key[]>();
    for (const { key, edge } of scene.edges.values()) {
        const pair = [edge.source, edge.target].sort().join(' ');
        groups.set(pair, [...(groups.get(pair) ?? []), key]);
    }
    for (const edge of scene.edges.values()) {
        if (!scene.edgeVisible(edge)) continue;
        const { source, target } = edge.edge;
        const [from, to] = [scene.nodes.get(source)!, scene.nodes.get(target)!];
        const group = groups.get([source, target].sort().join(' '))!;
        const i = group.indexOf(edge.key);
        const a = { x: from.x, y: -from.y };
        const curve: Curve =
            source === target
                ? loopCurve(a, view.node(from).size, loopOf(i))
                : edgeCurve(
                      a,
                      { x: to.x, y: -to.y },
                      view.node(from).size,
                      view.node(to).size,
                      bendOf(i, group.length, source <= target),
                  );
        const look = view.edge(edge);
        const color = path.has(edge.key) ? palette.text : look.color;
        const width = path.has(edge.key) ? 4 : look.width;
        const [p, q, r, s] = curve.map(({ x, y }) => `${n(x)} ${n(y)}`);
        const way = s ? `C${q} ${r} ${s}` : r ? `Q${q} ${r}` : `L${q}`;
        out.push(`<path d="M${p}${way}" fill="none" stroke="${color}" stroke-width="${n(width)}"/>`);
        const head = arrowHead(curve, 5 + 2 * width).map(({ x, y }) => `${n(x)},${n(y)}`);
        out.push(`<polygon points="${head.join(' ')}" fill="${color}"/>`);
        if (scene.edges.size <= 40) {
            const middle = pointAt(curve, 0.5);
            out.push(text(middle.x, middle.y, edge.edge.label, palette.muted, palette.ground, 'middle'));
        }
    }
    for (const node of nodes) {
        const { color, shape, size } = view.node(node);
        const at = { x: node.x, y: -node.y };
        const points = corners(shape, at, size);
        const ring = path.has(node.key) ? ` stroke="${palette.text}" stroke-width="2"` : '';
        out.push(
            points
                ? `<polygon points="${points.map(({ x, y }) => `${n(x)},${n(y)}`).join(' ')}" fill="${color}"${ring}/>`
                : `<circle cx="${n(at.x)}" cy="${n(at.y)}" r="${n(size)}" fill="${color}"${ring}/>`,
        );
    }
    if (nodes.length <= 1000) {
        for (const node of nodes) {
            const { size, caption } = view.node(node);
            out.push(text(node.x + size + 5, -node.y, caption, palette.text, palette.ground, 'start'));
        }
    }
    out.push('</svg>');
    return out.join('\n');

    function text(x: number, y: number, words: string, color: string, ground: string, anchor: string): string {
        return (
            `<text x="${n(x)}" y="${n(y + 4)}" font-family="system-ui, sans-serif" font-size="12" ` +
            `text-anchor="${anchor}" fill="${color}" stroke="${ground}" stroke-width="3" ` +
            `paint-order="stroke">${xml(words)}</text>`
        );
    }
}
