// JSON without loss: integers that a double cannot hold are read as bigint and written back with the same digits.
import { isInteger, isSafeNumber, parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';

export type Scalar = string | number | bigint | boolean | null;
export type Value = Scalar | Value[] | { [name: string]: Value };

// A text without such a run of digits has no number that JSON.parse would change, and JSON.parse is far quicker.
const longDigits = /\d{16}/;

function readNumber(digits: string): number | bigint {
    return isInteger(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits);
}

/** Reads JSON; throws a SyntaxError where it is none. */
export function parse(text: string): Value {
    if (!longDigits.test(text)) return JSON.parse(text) as Value;
    return parseLossless(text, undefined, { parseNumber: readNumber }) as Value;
}

/** Writes JSON; numbers keep every digit. */
export function stringify(value: unknown, indent?: number): string {
    return stringifyLossless(value, undefined, indent) ?? 'null';
}
