import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8').replaceAll("'", '"');

function block(selector: string): Record<string, string> {
    const at = css.indexOf(`${selector} {`);
    expect(at).toBeGreaterThanOrEqual(0);
    const body = css.slice(css.indexOf('{', at) + 1, css.indexOf('}', at));
    return Object.fromEntries(
        [...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1], match[2]]),
    );
}

/** Relative luminance of WCAG 2.2. */
function luminance(hex: string): number {
    const channel = (at: number): number => {
        const value = parseInt(hex.slice(at, at + 2), 16) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
    const [dark = 0, bright = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
    return (bright + 0.05) / (dark + 0.05);
}

const light = block(':root');
const themes = {
    light,
    dark: { ...light, ...block(':root[data-theme="dark"]') },
    contrast: { ...light, ...block(':root[data-theme="contrast"]') },
};

describe.each(Object.entries(themes))('colours of %s', (name, colours) => {
    const of = (token: string): string => colours[token] ?? '#000000';

    it('are legible on every ground', () => {
        const least = name === 'contrast' ? 7 : 4.5;
        for (const ground of ['ground', 'sunken', 'raised', 'hover']) {
            for (const ink of ['text', 'muted', 'accent', 'danger', 'warn', 'ok']) {
                expect(contrast(of(ink), of(ground)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(least);
            }
        }
        expect(contrast(of('on-accent'), of('accent'))).toBeGreaterThanOrEqual(4.5);
    });

    it('show where controls and labels are', () => {
        for (const ink of ['control', ...Array.from({ length: 8 }, (_, at) => `label-${at + 1}`)]) {
            expect(contrast(of(ink), of('ground')), ink).toBeGreaterThanOrEqual(3);
        }
    });
});
