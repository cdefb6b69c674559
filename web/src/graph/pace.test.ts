import { describe, expect, it } from 'vitest';
import { Pace } from './pace';

const frames = (pace: Pace, ms: number, count: number): number => {
    let raised = 0;
    for (let at = 0; at < count; at += 1) if (pace.frame(ms)) raised += 1;
    return raised;
};

describe('what is drawn where drawing is slow', () => {
    it('loses arrows first, then names, and no more', () => {
        const pace = new Pace();
        expect(frames(pace, 16, 100)).toBe(0);
        expect(frames(pace, 80, 12)).toBe(1);
        expect(pace.plain).toBe(1);
        expect(frames(pace, 80, 200)).toBe(1);
        expect(pace.plain).toBe(2);
        pace.reset();
        expect(pace.plain).toBe(0);
    });

    it('is not changed by single slow frames or by a window that was hidden', () => {
        const pace = new Pace();
        for (let at = 0; at < 100; at += 1) pace.frame(at % 3 === 0 ? 90 : 16);
        expect(frames(pace, 60_000, 50)).toBe(0);
        expect(pace.plain).toBe(0);
    });
});
