// Changes of one element's properties: from what somebody typed to the requests that make it so.
import { parse, stringify, type Value } from '../../api/json';
import type { Properties, Property, PropertyKeys } from './edit.types';
import { valueFromText } from './conditions';

export interface Changes {
    /** Values to set, and values to add to lists and sets. */
    append: Properties;
    /** Values to take away. */
    eliminate: Properties;
}

/** A value as the text of an input: lists and sets as JSON. */
export function textOf(value: Value | undefined): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : typeof value === 'object' ? stringify(value) : String(value);
}

/** The value of a property's input; undefined for an empty one, null where it is none of its type. */
export function read(text: string, property: Property): Value | undefined {
    if (text === '') return undefined;
    if (property.cardinality === 'SINGLE') return valueFromText(text, property.data_type);
    try {
        const value = parse(text);
        return Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}

const same = (a: Value | undefined, b: Value | undefined): boolean => stringify(a ?? null) === stringify(b ?? null);

/** What has to be sent to get from the old values to the typed ones; a text names the property that has no value. */
export function changesOf(old: Properties, typed: Record<string, string>, keys: PropertyKeys): Changes | string {
    const append: Properties = {};
    const eliminate: Properties = {};
    for (const [name, text] of Object.entries(typed)) {
        const property = keys[name];
        if (!property || text === textOf(old[name])) continue;
        const value = read(text, property);
        if (value === null) return name;
        const before = old[name];
        if (value === undefined) {
            if (before !== undefined) eliminate[name] = before;
        } else if (Array.isArray(value) && Array.isArray(before)) {
            const gone = before.filter((one) => !value.some((other) => same(one, other)));
            const added = value.filter((one) => !before.some((other) => same(one, other)));
            if (gone.length > 0) eliminate[name] = gone;
            if (added.length > 0) append[name] = added;
        } else {
            append[name] = value;
        }
    }
    return { append, eliminate };
}
