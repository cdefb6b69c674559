import { describe, expect, it } from 'vitest';
import { bucketsOf, quantile, readSamples, since, together, total } from './exposition';

const text = (fast: number, slow: number): string =>
    [
        '# TYPE rhizome_http_request_seconds histogram',
        `rhizome_http_request_seconds_bucket{method="GET",path="{G}/a",le="0.001"} ${fast}`,
        `rhizome_http_request_seconds_bucket{method="GET",path="{G}/a",le="0.5"} ${fast + slow}`,
        `rhizome_http_request_seconds_bucket{method="GET",path="{G}/a",le="+Inf"} ${fast + slow}`,
        'a_name{x="a\\"b\\\\,}"} 1e3',
        'plain -4.5',
    ].join('\n');

describe('metrics', () => {
    it('are read with their labels', () => {
        const samples = readSamples(text(1, 2));
        expect(samples).toHaveLength(5);
        expect(samples[3]).toEqual({ name: 'a_name', labels: { x: 'a"b\\,}' }, value: 1000 });
        expect(samples[4]).toEqual({ name: 'plain', labels: {}, value: -4.5 });
    });

    it('give quantiles of what happened in between', () => {
        const before = bucketsOf(readSamples(text(1000, 0))).get('GET {G}/a');
        const now = bucketsOf(readSamples(text(1090, 10))).get('GET {G}/a') ?? new Map();
        const between = since(before, now);
        expect(total(between)).toBe(100);
        expect(quantile(between, 0.5)).toBe(0.001);
        expect(quantile(between, 0.9)).toBe(0.001);
        expect(quantile(between, 0.95)).toBe(0.5);
        expect(total(together([between, between]))).toBe(200);
        expect(quantile(since(now, now), 0.5)).toBeNull();
    });
});
