import { describe, expect, it } from 'vitest';
import { base, idFromText, idLiteral } from './graph';

describe('ids', () => {
    it('are written as the API wants them', () => {
        expect(idLiteral('1:a"b')).toBe('"1:a\\"b"');
        expect(idLiteral(7)).toBe('7');
        expect(idLiteral(9223372036854775807n)).toBe('9223372036854775807');
        const uuid = '835e1153-9281-4957-8691-cf79258e90eb';
        expect(idLiteral(uuid, 'CUSTOMIZE_UUID')).toBe(`U"${uuid}"`);
    });

    it('are read from what somebody types', () => {
        expect(idFromText(' 12 ')).toBe(12);
        expect(idFromText('9223372036854775807')).toBe(9223372036854775807n);
        expect(idFromText('"12"')).toBe('12');
        expect(idFromText('1:Jan')).toBe('1:Jan');
    });

    it('of graphs are one segment', () => {
        expect(base('a/b')).toBe('/graphs/a%2Fb');
    });
});
