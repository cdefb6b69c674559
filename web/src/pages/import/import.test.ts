import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Schema } from '../../api/types';
import { canMakeIds, codeOfNumber, guessProperties, idOfKeys, lacking, maker, RowError, type Mapping } from './mapping';
import { columnNames, csvLine, CsvSplitter, guessForm, pieces, RowTooLong, type FileForm, type Row } from './rows';
import { Import, indexIn, Stopped } from './run';

afterEach(() => vi.unstubAllGlobals());

const csv: FileForm = { format: 'csv', delimiter: ',', hasHeader: true, encoding: 'utf-8' };

function split(text: string, pieceLength = text.length): { line: number; fields: string[] }[] {
    const splitter = new CsvSplitter(',');
    const rows = [];
    for (let at = 0; at < text.length; at += pieceLength) rows.push(...splitter.push(text.slice(at, at + pieceLength)));
    return [...rows, ...splitter.finish()];
}

describe('rows of CSV', () => {
    const text = 'a,b\r\n"1,\n""x""",2\n\n,"中\r\n文"\rlast,"7"';
    const rows = [
        { line: 1, fields: ['a', 'b'] },
        { line: 2, fields: ['1,\n"x"', '2'] },
        { line: 5, fields: ['', '中\r\n文'] },
        { line: 7, fields: ['last', '7'] },
    ];

    it('are the same in whatever pieces they come', () => {
        for (let length = 1; length <= text.length; length += 1) expect(split(text, length)).toEqual(rows);
    });

    it('are written so that they read back', () => {
        const fields = ['a"b', 'c,d', 'e\nf', '', '=1'];
        expect(split(csvLine(fields))).toEqual([{ line: 1, fields }]);
    });

    it('end where a quotation mark is missing', () => {
        const splitter = new CsvSplitter(',');
        splitter.push('a\nb,"');
        expect(() => {
            for (let i = 0; i < 100; i += 1) splitter.push('x'.repeat(100_000));
        }).toThrow(RowTooLong);
    });

    it('have named columns', () => {
        expect(columnNames(['a', '', 'a'], true)).toEqual(['a', '2', 'a (2)']);
        expect(columnNames(['x', 'y'], false)).toEqual(['1', '2']);
    });
});

describe('a file', () => {
    async function all(text: string, form: FileForm): Promise<{ rows: Row[]; broken: unknown[]; bytes: number }> {
        const found = { rows: [] as Row[], broken: [] as unknown[], bytes: 0 };
        for await (const piece of pieces(new Blob([text]), form)) {
            found.rows.push(...piece.rows);
            found.broken.push(...piece.broken);
            found.bytes = piece.bytes;
        }
        return found;
    }

    it('is read with its columns, and what is no row is told with its line', async () => {
        const text = '\ufeffname,age\nann,1\nbob\n"人",3';
        const { rows, broken, bytes } = await all(text, csv);
        expect(rows).toEqual([
            { line: 2, values: { name: 'ann', age: '1' } },
            { line: 4, values: { name: '人', age: '3' } },
        ]);
        expect(broken).toEqual([{ line: 3, text: 'bob', reason: 'fields' }]);
        expect(bytes).toBe(new Blob([text]).size);
    });

    it('of JSON lines keeps every digit', async () => {
        const { rows, broken } = await all('{"id":9223372036854775807}\n[1]\nx\n\n{"id":2}', {
            ...csv,
            format: 'json',
        });
        expect(rows).toEqual([
            { line: 1, values: { id: 9223372036854775807n } },
            { line: 5, values: { id: 2 } },
        ]);
        expect(broken).toMatchObject([
            { line: 2, reason: 'object' },
            { line: 3, reason: 'json' },
        ]);
    });

    it('is guessed by its name and its first line', () => {
        expect(guessForm('a.jsonl', '').format).toBe('json');
        expect(guessForm('a.csv', 'a;b;c,d\n').delimiter).toBe(';');
        expect(guessForm('a.tsv', 'a\tb').delimiter).toBe('\t');
    });
});

const key = (name: string, data_type: string, cardinality = 'SINGLE') => ({ id: 1, name, data_type, cardinality });
const schema = {
    propertykeys: [key('name', 'TEXT'), key('age', 'INT'), key('tags', 'TEXT', 'SET'), key('no', 'LONG')],
    vertexlabels: [
        {
            id: 1,
            name: 'person',
            id_strategy: 'PRIMARY_KEY',
            primary_keys: ['name'],
            properties: ['name', 'age', 'tags'],
            nullable_keys: ['age', 'tags'],
        },
        {
            id: 2,
            name: 'place',
            id_strategy: 'CUSTOMIZE_NUMBER',
            primary_keys: [],
            properties: ['name'],
            nullable_keys: ['name'],
        },
        {
            id: 3,
            name: 'seat',
            id_strategy: 'PRIMARY_KEY',
            primary_keys: ['name', 'no'],
            properties: ['name', 'no'],
            nullable_keys: [],
        },
    ],
    edgelabels: [
        { id: 1, name: 'sits', source_label: 'person', target_label: 'seat', properties: [], nullable_keys: [] },
    ],
    indexlabels: [],
} as unknown as Schema;
const plain: Mapping = {
    kind: 'vertex',
    label: 'person',
    id: '',
    source: { by: 'id', columns: [] },
    target: { by: 'id', columns: [] },
    properties: { n: 'name', a: 'age', t: 'tags', x: '' },
    separator: '|',
    nulls: ['', 'NULL'],
    codesNumbers: true,
};

describe('a mapping', () => {
    it('makes vertices with typed values, and leaves out what stands for nothing', () => {
        const make = maker(plain, schema);
        expect(make({ n: 'ann', a: ' 30 ', t: 'x|y', x: 'z' })).toEqual({
            label: 'person',
            properties: { name: 'ann', age: 30, tags: ['x', 'y'] },
        });
        expect(make({ n: 'bob', a: 'NULL', t: '' })).toEqual({ label: 'person', properties: { name: 'bob' } });
        expect(() => make({ n: 'bob', a: 'old' })).toThrow(RowError);
        const place = maker({ ...plain, label: 'place', id: 'i', properties: {} }, schema);
        expect(place({ i: '9223372036854775807' })['id']).toBe(9223372036854775807n);
        expect(() => place({ i: '' })).toThrow(RowError);
    });

    it('finds the ends of edges by primary keys, as HugeGraph writes them in ids', () => {
        expect([0n, 29n, 64n, 1_000_000n, -1n].map(codeOfNumber)).toEqual([
            '10',
            '1T',
            '210',
            '43p90',
            '0B7~~~~~~~~~~',
        ]);
        const [person, , seat] = schema.vertexlabels;
        expect(idOfKeys(person!, ['a!b:c'], true)).toBe('1:a`!b`:c');
        expect([person, schema.vertexlabels[1], seat].map((one) => canMakeIds(one, schema))).toEqual([
            true,
            false,
            true,
        ]);
        const make = maker(
            {
                ...plain,
                kind: 'edge',
                label: 'sits',
                source: { by: 'key', columns: ['who'] },
                target: { by: 'key', columns: ['row', 'seat'] },
                properties: {},
            },
            schema,
        );
        expect(make({ who: 'ann', row: 'A', seat: '29' })).toMatchObject({ outV: '1:ann', inV: '3:A!1T' });
    });

    it('is guessed by names, and says what it lacks', () => {
        expect(guessProperties(['Name', 'AGE ', 'z'], schema.vertexlabels[0]!)).toEqual({
            Name: 'name',
            'AGE ': 'age',
            z: '',
        });
        expect(lacking({ ...plain, properties: {} }, schema)).toEqual(['name']);
        expect(lacking({ ...plain, label: 'place', properties: {} }, schema)).toEqual(['id']);
        expect(lacking({ ...plain, kind: 'edge', label: 'sits' }, schema)).toEqual(['source', 'target']);
        expect(lacking(plain, schema)).toEqual([]);
    });
});

/** A server that refuses every person whose age is 13, is busy now and then, and stores a batch as a whole or not. */
function fakeServer(namesIndex: boolean): { stored: Set<string>; requests: number } {
    const seen = { stored: new Set<string>(), requests: 0 };
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
        seen.requests += 1;
        const batch = JSON.parse(String(init.body)) as { properties: { name: string; age: number } }[];
        const answer = (status: number, message: string, headers = {}): Promise<Response> =>
            Promise.resolve(new Response(JSON.stringify({ message }), { status, headers }));
        if (seen.requests % 7 === 3) return answer(503, 'busy', { 'retry-after': '0' });
        if (batch.length > 500) return answer(400, 'too many');
        const wrong = batch.findIndex(({ properties }) => properties.age === 13);
        if (wrong >= 0) return answer(400, namesIndex ? `[${wrong}].properties: 13 is no age` : '13 is no age');
        for (const { properties } of batch) seen.stored.add(properties.name);
        return answer(201, '');
    });
    return seen;
}

function importOf(rows: string[], progress: (read: number) => void = () => undefined): Import {
    const file = new Blob([`n,a\n${rows.join('\n')}\n`]);
    const texts = { row: () => 'value', broken: () => 'broken' };
    const mapping = { ...plain, properties: { n: 'name', a: 'age' } };
    return new Import('g', file, csv, mapping, schema, true, texts, (counts) => progress(counts.read));
}

describe('an import', () => {
    for (const namesIndex of [true, false]) {
        it(`stores all but the wrong rows, whether errors name them (${namesIndex}) or not`, async () => {
            vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 500 });
            const seen = fakeServer(namesIndex);
            const rows = Array.from({ length: 2345 }, (_, n) => `p${n},${n % 997 === 500 ? 13 : 20}`);
            rows[7] = 'p7,x';
            rows[8] = 'p8';
            let before = 0;
            const one = importOf(rows, (read) => {
                expect(read).toBeGreaterThanOrEqual(before);
                before = read;
            });
            await one.run();
            vi.useRealTimers();
            expect(one.counts).toMatchObject({ read: 2345, stored: 2341, rejected: 4 });
            expect(one.counts.waits).toBeGreaterThan(0);
            expect(seen.stored.size).toBe(2341);
            expect(one.rejects.map(({ line }) => line).sort((a, b) => a - b)).toEqual([9, 10, 502, 1499]);
            expect(one.rejectedRows()).toContain('p500,13');
            expect(one.reasons()).toContain('13 is no age');
        });
    }

    it('ends when it is cancelled', async () => {
        fakeServer(true);
        const one = importOf(Array.from({ length: 5000 }, (_, n) => `p${n},20`));
        const running = one.run();
        one.cancel();
        await expect(running).rejects.toBeInstanceOf(Stopped);
        expect(one.counts.stored).toBeLessThan(5000);
    });

    it('tells what ends it', async () => {
        vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"message":"no right"}', { status: 403 })));
        await expect(importOf(['a,1']).run()).rejects.toMatchObject({ status: 403 });
        expect(indexIn('[12].id: wrong')).toBe(12);
        expect(indexIn('a text with [12]')).toBeNull();
    });
});
