import { describe, expect, it } from 'vitest';
import { command, curves, readResults } from './results';

const row = {
    driver: 'closed',
    concurrency: 4,
    offered_per_s: null,
    samples: 10,
    throughput_per_s: 5,
    p99_us: 2000,
    series: [
        { second: 0, completed: 4, errors: 0, p99_us: 1500 },
        { second: 2, completed: 6, errors: 0, p99_us: 2500 },
    ],
    series_bucket_s: 2,
};
const file = {
    format_version: 1,
    target: { url: 'http://x', product: 'Rhizome', version: '1' },
    machine: { cpu_model: 'c', cores: 2, memory_bytes: 1, os: 'Linux' },
    scenarios: [{ name: 'single-vertex', rows: [row] }],
};

describe('results of a load test', () => {
    it('are read, and refused where they are something else', () => {
        const read = readResults(JSON.stringify(file));
        expect(curves(read.scenarios[0]!.rows[0]!)).toEqual({
            rate: [
                [0, 2],
                [2, 3],
            ],
            latency: [
                [0, 2],
                [1.5, 2.5],
            ],
        });
        expect(() => readResults('{}')).toThrow('format_version');
        expect(() => readResults(JSON.stringify({ ...file, format_version: 2 }))).toThrow('format_version 2');
        expect(() => readResults(JSON.stringify({ ...file, scenarios: [{ name: 'a', rows: [{}] }] }))).toThrow(
            'scenarios',
        );
    });

    it('are made by a command without a password', () => {
        const plan = {
            scenario: 'mixed',
            driver: 'open',
            concurrency: 8,
            rate: 500,
            seconds: 30,
            user: "o'neil",
        } as const;
        expect(command('http://127.0.0.1:8080', plan)).toBe(
            "RHIZOME_PASSWORD=… RHIZOME_USER='o'\\''neil' rhizome bench run --url http://127.0.0.1:8080 " +
                '--scenario mixed --driver open --concurrency 8 --rate 500 --duration 30s --out results',
        );
    });
});
