// From the columns of a file to vertices or edges of a label.
import { parse, type Value } from '../../api/json';
import type { DataType, EdgeLabel, Id, PropertyKey, Schema, VertexLabel } from '../../api/types';
import type { FileForm } from './rows';

/** How the end of an edge is found: by its id in one column, or by its primary keys, a column for each. */
export interface End {
    by: 'id' | 'key';
    columns: string[];
}

export interface Mapping {
    kind: 'vertex' | 'edge';
    label: string;
    /** The column with the id, where the label's ids are given. */
    id: string;
    source: End;
    target: End;
    /** The property of each column; none: the column is left out. */
    properties: Record<string, string>;
    /** Between the values of a list or a set. */
    separator: string;
    /** Texts that stand for nothing. */
    nulls: string[];
    /** Whether numbers in primary keys are written in HugeGraph's code. */
    codesNumbers: boolean;
}

/** Why a row makes no element; the texts are those of the page. */
export class RowError extends Error {
    constructor(
        readonly why: 'value' | 'missing' | 'id',
        readonly column: string,
        readonly wanted: string,
    ) {
        super(`${why} ${column} ${wanted}`);
    }
}

const integers: readonly DataType[] = ['INT', 'LONG', 'BYTE'];
const floats: readonly DataType[] = ['FLOAT', 'DOUBLE'];

/** A value of a file as one of a type; a text of CSV is read, a value of JSON taken as it is. */
export function single(value: Value, type: DataType, column: string): Value {
    if (typeof value !== 'string') return value;
    const text = value.trim();
    const wrong = (): never => {
        throw new RowError('value', column, type);
    };
    if (integers.includes(type)) {
        if (!/^[+-]?\d{1,19}$/.test(text)) return wrong();
        const number = BigInt(text.replace(/^\+/, ''));
        return number >= BigInt(Number.MIN_SAFE_INTEGER) && number <= BigInt(Number.MAX_SAFE_INTEGER)
            ? Number(number)
            : number;
    }
    if (floats.includes(type)) {
        const number = Number(text);
        return text !== '' && Number.isFinite(number) ? number : wrong();
    }
    if (type === 'BOOLEAN') {
        if (/^(true|1|yes)$/i.test(text)) return true;
        return /^(false|0|no)$/i.test(text) ? false : wrong();
    }
    return type === 'DATE' || type === 'UUID' ? text : value;
}

function valueOf(value: Value, key: PropertyKey, column: string, separator: string): Value {
    if (key.cardinality === 'SINGLE') return single(value, key.data_type, column);
    let items: Value[];
    if (Array.isArray(value)) items = value;
    else if (typeof value === 'string' && /^\s*\[/.test(value)) {
        try {
            items = parse(value) as Value[];
        } catch {
            throw new RowError('value', column, `${key.cardinality} ${key.data_type}`);
        }
    } else items = typeof value === 'string' ? value.split(separator) : [value];
    return items.map((item) => single(item, key.data_type, column));
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';

/** A number as it is written in a primary key: HugeGraph's code, in which texts sort like numbers. */
export function codeOfNumber(number: bigint): string {
    let rest = number < 0n ? number + (1n << 63n) : number;
    let digits = '';
    do {
        digits = DIGITS[Number(rest & 63n)]! + digits;
        rest >>= 6n;
    } while (rest > 0n);
    return (number < 0n ? '0' : '') + digits.length.toString(16).toUpperCase() + digits;
}

/** Whether ids of a label can be made from its primary keys here. */
export function canMakeIds(label: VertexLabel | undefined, schema: Schema): boolean {
    return (
        label?.id_strategy === 'PRIMARY_KEY' &&
        label.primary_keys.every((name) => {
            const key = schema.propertykeys.find((one) => one.name === name);
            const known: readonly DataType[] = ['TEXT', 'BOOLEAN', 'UUID', ...integers];
            return key?.cardinality === 'SINGLE' && known.includes(key.data_type);
        })
    );
}

/** The id that the values of a label's primary keys make. */
export function idOfKeys(label: VertexLabel, values: readonly Value[], codesNumbers: boolean): string {
    const texts = values.map((value) => {
        const isNumber = typeof value === 'number' || typeof value === 'bigint';
        return (isNumber && codesNumbers ? codeOfNumber(BigInt(value)) : String(value)).replaceAll('!', '`!');
    });
    return `${label.id}:${texts.join('!').replaceAll(':', '`:')}`;
}

/** Makes elements of a mapping; what does not depend on the row is looked up once. */
export function maker(mapping: Mapping, schema: Schema): (values: Record<string, Value>) => Record<string, Value> {
    const keys = new Map(schema.propertykeys.map((key) => [key.name, key]));
    const vertexLabel = (name: string): VertexLabel | undefined =>
        schema.vertexlabels.find((label) => label.name === name);
    const nulls = new Set(mapping.nulls);
    const mapped = Object.entries(mapping.properties).flatMap(([column, property]) => {
        const key = keys.get(property);
        return key ? [{ column, key }] : [];
    });
    const given = (values: Record<string, Value>, column: string): Value => {
        const value = values[column];
        return value === undefined || value === null || (typeof value === 'string' && nulls.has(value)) ? null : value;
    };
    const properties = (values: Record<string, Value>): Record<string, Value> => {
        const made: Record<string, Value> = {};
        for (const { column, key } of mapped) {
            const value = given(values, column);
            if (value !== null) made[key.name] = valueOf(value, key, column, mapping.separator);
        }
        return made;
    };
    const id = (values: Record<string, Value>, column: string, label: VertexLabel | undefined): Id => {
        const value = given(values, column);
        if (value === null) throw new RowError('missing', column, 'id');
        if (label?.id_strategy === 'CUSTOMIZE_NUMBER' || label?.id_strategy === 'AUTOMATIC') {
            return single(value, 'LONG', column) as Id;
        }
        return typeof value === 'string' ? value : String(value);
    };
    if (mapping.kind === 'vertex') {
        const label = vertexLabel(mapping.label);
        const hasId = label?.id_strategy.startsWith('CUSTOMIZE') ?? false;
        return (values) => {
            const made: Record<string, Value> = { label: mapping.label, properties: properties(values) };
            if (hasId) made['id'] = id(values, mapping.id, label);
            return made;
        };
    }
    const edge = schema.edgelabels.find((label) => label.name === mapping.label);
    const end = (of: End, name: string): ((values: Record<string, Value>) => Id) => {
        const label = vertexLabel(name);
        if (of.by === 'id' || !label) return (values) => id(values, of.columns[0] ?? '', label);
        return (values) => {
            const parts = label.primary_keys.map((property, at) => {
                const column = of.columns[at] ?? '';
                const value = given(values, column);
                if (value === null) throw new RowError('missing', column, property);
                return single(value, keys.get(property)?.data_type ?? 'TEXT', column);
            });
            return idOfKeys(label, parts, mapping.codesNumbers);
        };
    };
    const source = end(mapping.source, edge?.source_label ?? '');
    const target = end(mapping.target, edge?.target_label ?? '');
    return (values) => ({
        label: mapping.label,
        outV: source(values),
        outVLabel: edge?.source_label ?? '',
        inV: target(values),
        inVLabel: edge?.target_label ?? '',
        properties: properties(values),
    });
}

/** Properties by columns of the same name, whatever their case. */
export function guessProperties(columns: readonly string[], label: VertexLabel | EdgeLabel): Record<string, string> {
    const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
    return Object.fromEntries(
        columns.map((column) => [column, label.properties.find((name) => plain(name) === plain(column)) ?? '']),
    );
}

/** What a mapping lacks before it can run: names of what has no column. */
export function lacking(mapping: Mapping, schema: Schema): string[] {
    const label =
        mapping.kind === 'vertex'
            ? schema.vertexlabels.find((one) => one.name === mapping.label)
            : schema.edgelabels.find((one) => one.name === mapping.label);
    if (!label) return [mapping.kind];
    const mapped = new Set(Object.values(mapping.properties));
    const needed = label.properties.filter((name) => !label.nullable_keys.includes(name) && !mapped.has(name));
    if (mapping.kind === 'vertex') {
        return (label as VertexLabel).id_strategy.startsWith('CUSTOMIZE') && mapping.id === ''
            ? ['id', ...needed]
            : needed;
    }
    const isOpen = (end: End): boolean => end.columns.length === 0 || end.columns.some((column) => column === '');
    return [...(isOpen(mapping.source) ? ['source'] : []), ...(isOpen(mapping.target) ? ['target'] : []), ...needed];
}

/** The mapping in the form of hugegraph-loader and `rhizome load`. */
export function loaderMapping(mapping: Mapping, form: FileForm, file: string, columns: readonly string[]): Value {
    const renamed = Object.entries(mapping.properties).filter(
        ([column, property]) => property !== '' && property !== column,
    );
    const left = columns.filter((column) => (mapping.properties[column] ?? '') === '');
    const ends = [mapping.id, ...mapping.source.columns, ...mapping.target.columns];
    const shared: Record<string, Value> = {
        label: mapping.label,
        field_mapping: Object.fromEntries(renamed),
        ignored: left.filter((column) => !ends.includes(column)),
        null_values: mapping.nulls,
    };
    const element: Record<string, Value> =
        mapping.kind === 'vertex'
            ? { ...shared, ...(mapping.id === '' ? {} : { id: mapping.id }) }
            : { ...shared, source: mapping.source.columns, target: mapping.target.columns };
    const input: Record<string, Value> = {
        type: 'FILE',
        path: file,
        format: form.format === 'csv' ? 'CSV' : 'JSON',
        charset: form.encoding.toUpperCase(),
        list_format: { start_symbol: '', end_symbol: '', elem_delimiter: mapping.separator },
    };
    if (form.format === 'csv') {
        input['delimiter'] = form.delimiter;
        // Without it the first line is taken for the names.
        if (!form.hasHeader) input['header'] = [...columns];
    }
    return {
        version: '2.0',
        structs: [
            {
                id: '1',
                input,
                vertices: mapping.kind === 'vertex' ? [element] : [],
                edges: mapping.kind === 'edge' ? [element] : [],
            },
        ],
    };
}
