import { describe, expect, it } from 'vitest';
import { csvField, linkOf, shortText, valueText, visible } from './text';

describe('data as text', () => {
    it('shows what would be invisible or turn the direction', () => {
        expect(visible('a\u202eb\u0000\tc\n中')).toBe('a⟨202E⟩b⟨0000⟩\tc\n中');
    });

    it('keeps every digit', () => {
        expect(valueText(9223372036854775807n)).toBe('9223372036854775807');
        expect(valueText([9223372036854775807n, 'a'])).toBe('[9223372036854775807,"a"]');
        expect(valueText(null)).toBe('');
    });

    it('is cut in lists', () => {
        expect(shortText('x'.repeat(5000))).toHaveLength(2049);
        expect(shortText('x'.repeat(2048))).toHaveLength(2048);
    });

    it('is a link only with http', () => {
        expect(linkOf('https://example.org/a')).toBe('https://example.org/a');
        for (const value of ['javascript:alert(1)', ' http://a', 'data:text/html,x', 'http://', 7]) {
            expect(linkOf(value)).toBeNull();
        }
    });

    it('is harmless in spreadsheets', () => {
        expect(csvField('=1+1')).toBe(`"'=1+1"`);
        expect(csvField('@a')).toBe(`"'@a"`);
        expect(csvField(-5)).toBe('-5');
        expect(csvField('a"b,c')).toBe('"a""b,c"');
        expect(csvField(['a'])).toBe('"[""a""]"');
        expect(csvField(undefined)).toBe('');
    });
});
