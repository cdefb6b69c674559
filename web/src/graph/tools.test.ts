import { figureOf } from './figure';
import { describe, expect, it } from 'vitest';
import { parse } from '../api/json';
import { csv, json, svg, xml } from './export';
import { idOf, isVertexKey, keyText, vertexOf } from './elements';
import { idsOf, linkedScene, pack, restored, unpack } from './link';
import { captionOf, legendOf, lookOf, Looks, mix, share, type Palette } from './look';
import { read, write } from './saved';
import { Scene, type Vertex } from './scene';

const palette: Palette = {
    labels: ['#0f6f95', '#a57710', '#890064', '#2b9d90', '#413e96', '#a15652', '#3d5710', '#5f94da'],
    ground: '#ffffff',
    text: '#1a1d21',
    muted: '#5b6570',
    accent: '#0b6a92',
    edge: '#9aa3ad',
    raised: '#ffffff',
    font: 'sans-serif',
};

const HOSTILE = '<script>window.hit=1</script>"\'&,%/\u202e=1+1';

function hostile(): Scene {
    const scene = new Scene();
    const vertex = (key: string, name: unknown): Vertex => ({
        key,
        label: 'p<b>',
        properties: { name, big: 9223372036854775807n },
    });
    scene.add(
        {
            vertices: [vertex('"a b"', HOSTILE), vertex('9223372036854775807', '=SUM(A1)')],
            edges: [
                { key: 'S1', label: HOSTILE, source: '"a b"', target: '9223372036854775807', properties: { w: 0.5 } },
            ],
        },
        'x',
    );
    return scene;
}

describe('ids', () => {
    it('keep every digit and their kind', () => {
        const vertex = vertexOf(
            { id: 9223372036854775807n, label: 'a', type: 'vertex', properties: {} },
            () => 'CUSTOMIZE_NUMBER',
        );
        expect(vertex.key).toBe('9223372036854775807');
        expect(idOf(vertex.key)).toBe(9223372036854775807n);
        expect(vertexOf({ id: '1:x', label: 'a', type: 'vertex', properties: {} }, () => 'PRIMARY_KEY').key).toBe(
            '"1:x"',
        );
        expect(vertexOf({ id: 'f', label: 'a', type: 'vertex', properties: {} }, () => 'CUSTOMIZE_UUID').key).toBe(
            'U"f"',
        );
        expect(keyText('"a \\"b"')).toBe('a "b');
        expect(keyText('42')).toBe('42');
    });

    it('of edges are told from those of vertices', () => {
        expect(['"S1"', 'U"f"', '42', '-1'].every(isVertexKey)).toBe(true);
        expect(['S1:2>3>3>>S1:4', 'L12>1>1>>L13'].some(isVertexKey)).toBe(false);
    });
});

describe('links', () => {
    it('restore ids, places, selection, filter and expansions', async () => {
        const scene = hostile();
        scene.select(['"a b"']);
        scene.toggleFilter('edge', HOSTILE);
        scene.expand('"a b"', { direction: 'OUT', label: null }, { vertices: [], edges: [] }, 'page 2', 'a');
        const link = linkedScene(scene, 'radial');
        const code = await pack(link);
        expect(code).toMatch(/^[\w-]+$/);
        const back = await unpack(code!);
        expect(back).toEqual(link);
        const found = {
            vertices: [...scene.nodes.values()].map((n) => n.vertex),
            edges: [...scene.edges.values()].map((e) => e.edge),
        };
        const other = new Scene();
        other.load(restored(back, found), 'link');
        expect([...other.nodes.keys()]).toEqual([...scene.nodes.keys()]);
        expect(other.selection).toEqual(scene.selection);
        expect(other.expansion('"a b"', { direction: 'OUT', label: null })?.page).toBe('page 2');
        expect(other.filter).toEqual(scene.filter);
    });

    it('of other programs are refused', async () => {
        await expect(unpack('AAAA')).rejects.toThrow();
        await expect(unpack('!')).rejects.toThrow();
    });

    it('take ids as people write them', () => {
        expect(idsOf('1:2, 1:3')).toEqual(['"1:2"', '"1:3"']);
        expect(idsOf('42,"x"')).toEqual(['42', '"x"']);
        expect(idsOf('["a,b",9223372036854775807]')).toEqual(['"a,b"', '9223372036854775807']);
        expect(idsOf('  ')).toEqual([]);
    });
});

describe('files', () => {
    it('of scenes keep integers exactly', () => {
        const kept = {
            name: 'n',
            graph: 'g',
            at: 1,
            note: HOSTILE,
            layout: 'force' as const,
            scene: hostile().save(),
            styles: { vertices: {}, edges: {} },
        };
        const back = read(write(kept));
        expect(back).toEqual(kept);
        expect(() => read('{}')).toThrow('not a scene');
        expect(() => read('{"rhizome":"scene","version":1,"scene":{"nodes":[{}],"edges":[]}}')).toThrow('damaged');
    });

    it('of tables are harmless for spreadsheets', () => {
        const text = csv(hostile(), 'vertex');
        const lines = text.trim().split('\r\n');
        expect(lines[0]).toBe('id,label,big,name');
        expect(lines[1]).toContain('9223372036854775807');
        expect(lines[2]).toMatch(/'=SUM/);
        expect(csv(hostile(), 'edge').split('\r\n')[0]).toBe('id,label,source,target,w');
    });

    it('of JSON keep every digit', () => {
        expect(json(hostile())).toContain('9223372036854775807');
        const back = parse(json(hostile())) as { vertices: { properties: { big: bigint } }[] };
        expect(back.vertices[0]!.properties.big).toBe(9223372036854775807n);
    });

    it('of SVG contain data as text only', () => {
        const scene = hostile();
        const looks = new Looks(scene, { vertices: {}, edges: {} }, palette, () => 0);
        const view = {
            scene,
            palette,
            node: looks.node.bind(looks),
            edge: looks.edge.bind(looks),
            dimmed: null,
            plain: 0 as const,
        };
        const text = svg(view, new Set());
        expect(text).not.toContain('<script');
        expect(text).toContain('&lt;script');
        expect(text).not.toMatch(/[\u202e]/);
        expect(xml('a\u0000<b')).toBe('a⟨0000⟩&lt;b');
    });
});

describe('looks', () => {
    it('are 32 different ones', () => {
        const all = new Set(Array.from({ length: 32 }, (_, n) => JSON.stringify(lookOf(n))));
        expect(all.size).toBe(32);
    });

    it('scale numbers of any size and dates, and name the most frequent values of the rest', () => {
        expect(legendOf([1, 9223372036854775807n, undefined])).toMatchObject({ kind: 'range', min: 1 });
        const dates = legendOf(['2020-01-01', '2021-01-01 10:00:00.000']);
        expect(dates).toMatchObject({ kind: 'range', isDate: true });
        expect(share('2020-01-01', dates)).toBe(0);
        const values = legendOf(['a', 'b', 'b', ...'cdefghijk']);
        expect(values).toMatchObject({ kind: 'values', others: 3 });
        expect(values.kind === 'values' && values.values[0]).toEqual({ text: 'b', n: 2, color: 0 });
        expect(legendOf([undefined, null])).toEqual({ kind: 'none' });
        expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080');
    });

    it('cut long captions between signs, and never run into objects', () => {
        const scene = new Scene();
        scene.add({ vertices: [{ key: '"x"', label: 'a', properties: { name: '😀'.repeat(40) } }], edges: [] }, 'x');
        const caption = captionOf(scene.nodes.get('"x"')!, undefined);
        expect([...caption].length).toBe(24);
        expect(caption.endsWith('…')).toBe(true);
        expect(captionOf(scene.nodes.get('"x"')!, 'toString')).toBe('x');
    });
});

describe('figures', () => {
    it('are the values of what is drawn, as a range or as groups', () => {
        const keys = new Map([
            ['string 1:a', '"1:a"'],
            ['number 7', '7'],
        ]);
        const keyOf = (id: unknown): string | undefined => keys.get(`${typeof id} ${String(id)}`);
        const rows = [
            { vertex: '1:a', score: 0.5 },
            { vertex: 7, score: 2 },
            { vertex: '7', score: 9 },
        ];
        const score = figureOf('rank', 'score', 'score', rows, keyOf);
        expect([...score.values]).toEqual([
            ['"1:a"', 0.5],
            ['7', 2],
        ]);
        expect(score.legend).toMatchObject({ kind: 'range', min: 0.5, max: 2 });
        const groups = figureOf('parts', 'group', 'score', rows, keyOf);
        expect(groups.legend).toMatchObject({ kind: 'values', others: 0 });
    });
});
