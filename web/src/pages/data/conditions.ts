// Conditions on properties, as the API reads them: a value, or a predicate such as "P.gt(3)".
import { parse, stringify, type Value } from '../../api/json';
import type { DataType, IndexLabel, Schema } from '../../api/types';

export type Operator = '=' | '>' | '>=' | '<' | '<=' | 'contains';
export interface Condition {
    property: string;
    operator: Operator;
    text: string;
}

const predicates: Record<Exclude<Operator, '='>, string> = {
    '>': 'P.gt',
    '>=': 'P.gte',
    '<': 'P.lt',
    '<=': 'P.lte',
    contains: 'P.textcontains',
};

const numeric: readonly DataType[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BYTE'];
const ordered: readonly DataType[] = [...numeric, 'DATE'];

/** The operators that make sense for a type. */
export function operatorsFor(type: DataType | undefined): readonly Operator[] {
    if (type === 'TEXT') return ['=', 'contains'];
    return type !== undefined && ordered.includes(type) ? ['=', '>', '>=', '<', '<='] : ['='];
}

/** A typed text as a value of a type; null where it is none. */
export function valueFromText(text: string, type: DataType | undefined): Value | null {
    const trimmed = text.trim();
    if (type !== undefined && numeric.includes(type)) {
        try {
            const value = parse(trimmed);
            return typeof value === 'number' || typeof value === 'bigint' ? value : null;
        } catch {
            return null;
        }
    }
    if (type === 'BOOLEAN') return trimmed === 'true' ? true : trimmed === 'false' ? false : null;
    return type === 'DATE' ? trimmed : text;
}

/** The parameter "properties" for conditions; undefined where one has no value of its type. */
export function propertiesOf(conditions: readonly Condition[], schema: Schema): Record<string, Value> | undefined {
    const properties: Record<string, Value> = {};
    for (const { property, operator, text } of conditions) {
        const type = schema.propertykeys.find((key) => key.name === property)?.data_type;
        const value = valueFromText(text, type);
        if (value === null) return undefined;
        properties[property] = operator === '=' ? value : `${predicates[operator]}(${stringify(value)})`;
    }
    return properties;
}

const operators: readonly Operator[] = ['=', '>', '>=', '<', '<=', 'contains'];

/** Conditions from the state of an address; what is none is left out. */
export function readConditions(text: string | null): Condition[] {
    if (text === null || text === '') return [];
    let value: Value;
    try {
        value = parse(text);
    } catch {
        return [];
    }
    if (!Array.isArray(value)) return [];
    return value.flatMap((one) => {
        if (!Array.isArray(one)) return [];
        const [property, operator, given] = one;
        const known = operators.find((name) => name === operator);
        return typeof property === 'string' && known !== undefined && typeof given === 'string'
            ? [{ property, operator: known, text: given }]
            : [];
    });
}

/** The reverse of readConditions. */
export function writeConditions(conditions: readonly Condition[]): string | undefined {
    if (conditions.length === 0) return undefined;
    return stringify(conditions.map(({ property, operator, text }) => [property, operator, text]));
}

/** The properties that an index of the label can find, first those that need no other beside them. */
export function indexedProperties(indexes: readonly IndexLabel[], label: string, isEdge: boolean): string[] {
    const base = isEdge ? 'EDGE_LABEL' : 'VERTEX_LABEL';
    const own = indexes.filter((index) => index.base_type === base && index.base_value === label);
    return [...new Set(own.map((index) => index.fields[0]).filter((field) => field !== undefined))];
}

/** The definition of the index that conditions of a label lack. */
export function missingIndex(
    label: string,
    isEdge: boolean,
    conditions: readonly Condition[],
    indexed: readonly string[],
): { name: string; base_type: string; base_value: string; index_type: string; fields: string[] } | undefined {
    const lacking = conditions.find((condition) => !indexed.includes(condition.property)) ?? conditions[0];
    if (!lacking) return undefined;
    const { property, operator } = lacking;
    const index_type = operator === 'contains' ? 'SEARCH' : operator === '=' ? 'SECONDARY' : 'RANGE';
    const safe = (name: string): string => name.replace(/[^\p{L}\p{N}_]/gu, '_');
    return {
        name: `${safe(label)}By${safe(property)}_${index_type.toLowerCase()}`,
        base_type: isEdge ? 'EDGE_LABEL' : 'VERTEX_LABEL',
        base_value: label,
        index_type,
        fields: [property],
    };
}
