// Values between what people type and what the API takes.
import { parse, type Value } from '../../api/json';
import type { DataType, PropertyKey } from '../../api/types';

const NUMBERS: readonly DataType[] = ['BYTE', 'INT', 'LONG', 'FLOAT', 'DOUBLE'];

export function isNumeric(key: PropertyKey): boolean {
    return NUMBERS.includes(key.data_type);
}

/** Whether values have an order that conditions and scales can use. */
export function isOrdered(key: PropertyKey): boolean {
    return isNumeric(key) || key.data_type === 'DATE';
}

/** Reads a typed text as a value of a property; undefined if it is none. Integers keep all their digits. */
export function valueFrom(text: string, key: PropertyKey): Value | undefined {
    if (key.cardinality !== 'SINGLE' || key.data_type === 'OBJECT') {
        try {
            const value = parse(text);
            return key.cardinality === 'SINGLE' || Array.isArray(value) ? value : undefined;
        } catch {
            return undefined;
        }
    }
    if (key.data_type === 'BOOLEAN') return text === 'true' ? true : text === 'false' ? false : undefined;
    if (!isNumeric(key)) return text;
    const trimmed = text.trim();
    const form = key.data_type === 'FLOAT' || key.data_type === 'DOUBLE' ? /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/ : /^-?\d+$/;
    if (!form.test(trimmed)) return undefined;
    const number = Number(trimmed);
    return /^-?\d+$/.test(trimmed) && !Number.isSafeInteger(number) ? BigInt(trimmed) : number;
}

export const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'textcontains'] as const;
export type Operator = (typeof operators)[number];

/** A condition as the API takes it: a value, or "P.gt(5)". */
export function conditionOf(operator: Operator, value: Value, text: string, key: PropertyKey): Value {
    if (operator === 'eq') return value;
    return `P.${operator}(${isNumeric(key) ? text.trim() : JSON.stringify(text)})`;
}

/** The kind of index that a condition needs. */
export function indexFor(operator: Operator, key: PropertyKey): 'SECONDARY' | 'RANGE' | 'SEARCH' {
    if (operator === 'textcontains') return 'SEARCH';
    return operator === 'eq' && !isOrdered(key) ? 'SECONDARY' : isOrdered(key) ? 'RANGE' : 'SECONDARY';
}
