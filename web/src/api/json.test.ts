import { describe, expect, it } from 'vitest';
import { parse, stringify } from './json';

describe('JSON without loss', () => {
    it('keeps integers that a double cannot hold', () => {
        const text =
            '{"id":9223372036854775807,"n":-9007199254740993,"small":7,"float":1.5,"text":"9223372036854775807"}';
        const value = parse(text);
        expect(value).toEqual({
            id: 9223372036854775807n,
            n: -9007199254740993n,
            small: 7,
            float: 1.5,
            text: '9223372036854775807',
        });
        expect(stringify(value)).toBe(text);
    });

    it('reads numbers alike with and without long ones beside them', () => {
        for (const number of ['0', '-1', '1e3', '0.1', '9007199254740991', '12345678.875']) {
            expect(parse(`[${number},9223372036854775807]`)).toEqual([parse(number), 9223372036854775807n]);
        }
    });

    it('refuses what is not JSON', () => {
        expect(() => parse('{')).toThrow(SyntaxError);
        expect(() => parse('[12345678901234567890,]')).toThrow(SyntaxError);
    });
});
