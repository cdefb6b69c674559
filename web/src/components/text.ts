// Data as text. Data is never HTML; control and bidirectional characters are shown as marks.
import { stringify, type Value } from '../api/json';

/** Longest text in a list; the rest is shown on demand. */
export const CUT = 2048;

const hidden =
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A text whose invisible characters are visible: U+202E as "⟨202E⟩". */
export function visible(text: string): string {
    return text.replace(hidden, (sign) => `⟨${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** A value on one line; texts are not quoted. */
export function valueText(value: Value | undefined): string {
    if (value === undefined || value === null) return '';
    return visible(typeof value === 'string' ? value : typeof value === 'object' ? stringify(value) : String(value));
}

/** The same, cut to what a list shows. */
export function shortText(value: Value | undefined, max = CUT): string {
    // What lies far beyond the cut is not looked at: values may be megabytes long.
    const text = valueText(typeof value === 'string' ? value.slice(0, max + 1) : value);
    return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** The address, if a value is one that may be a link. */
export function linkOf(value: Value | undefined): string | null {
    if (typeof value !== 'string' || value.length > CUT || !/^https?:\/\//i.test(value)) return null;
    try {
        return new URL(value).href;
    } catch {
        return null;
    }
}

/** A field of a CSV file: quoted, and harmless for spreadsheets, which take some first characters for formulas. */
export function csvField(value: Value | undefined): string {
    const text =
        value === undefined || value === null ? '' : typeof value === 'object' ? stringify(value) : String(value);
    const isNumber = typeof value === 'number' || typeof value === 'bigint';
    const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
