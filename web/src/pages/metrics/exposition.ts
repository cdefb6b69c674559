// Prometheus's text format, and what can be read from two readings of it.

/** Name, labels and value of a line. */
export interface Sample {
    name: string;
    labels: Record<string, string>;
    value: number;
}

const lineForm = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+\d+)?$/;
const labelForm = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function number(text: string): number {
    return text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text);
}

/** Reads an exposition; lines that are none are passed over. */
export function readSamples(text: string): Sample[] {
    const samples: Sample[] = [];
    for (const line of text.split('\n')) {
        if (line === '' || line.startsWith('#')) continue;
        const found = lineForm.exec(line);
        if (!found) continue;
        const [, name = '', inner = '', value = ''] = found;
        const labels: Record<string, string> = {};
        for (const [, key = '', raw = ''] of inner.matchAll(labelForm)) {
            labels[key] = raw.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
        }
        samples.push({ name, labels, value: number(value) });
    }
    return samples;
}

/** Counts of a histogram's buckets that are not cumulative, by upper bound. */
export type Buckets = Map<number, number>;

const REQUESTS = 'rhizome_http_request_seconds_bucket';

/** The cumulative buckets of every endpoint, by "METHOD path". */
export function bucketsOf(samples: readonly Sample[]): Map<string, Buckets> {
    const all = new Map<string, Buckets>();
    for (const { name, labels, value } of samples) {
        if (name !== REQUESTS) continue;
        const endpoint = `${labels['method'] ?? ''} ${labels['path'] ?? ''}`;
        const buckets = all.get(endpoint) ?? new Map<number, number>();
        buckets.set(number(labels['le'] ?? '+Inf'), value);
        all.set(endpoint, buckets);
    }
    return all;
}

/** What was counted between two readings of cumulative buckets. */
export function since(before: Buckets | undefined, now: Buckets): Buckets {
    return new Map([...now].map(([bound, count]) => [bound, Math.max(0, count - (before?.get(bound) ?? 0))]));
}

/** The sum of several cumulative buckets. */
export function together(all: Iterable<Buckets>): Buckets {
    const sum: Buckets = new Map();
    for (const buckets of all) for (const [bound, count] of buckets) sum.set(bound, (sum.get(bound) ?? 0) + count);
    return sum;
}

/** How many observations cumulative buckets hold. */
export function total(buckets: Buckets): number {
    return buckets.get(Infinity) ?? Math.max(0, ...buckets.values());
}

/** The upper bound of the bucket that a quantile falls into, in seconds; null without observations. */
export function quantile(buckets: Buckets, q: number): number | null {
    const count = total(buckets);
    if (count === 0) return null;
    const bounds = [...buckets.keys()].sort((a, b) => a - b);
    return bounds.find((bound) => (buckets.get(bound) ?? 0) >= q * count) ?? null;
}

/** The value of a sample without labels. */
export function valueOf(samples: readonly Sample[], name: string): number | null {
    return samples.find((one) => one.name === name)?.value ?? null;
}

/** The figures of a moment. */
export interface Point {
    /** Seconds since 1970. */
    at: number;
    rate: number | null;
    /** Milliseconds. */
    p50: number | null;
    p95: number | null;
    p99: number | null;
    /** MiB. */
    memory: number | null;
}

type Column = readonly (number | null)[];

/** What the server noted in the last hour, as columns. */
export interface SeriesAnswer {
    at_s: readonly number[];
    requests_per_s: Column;
    p50_ms: Column;
    p95_ms: Column;
    p99_ms: Column;
    memory_bytes: Column;
}

/** The moments of the server's answer. */
export function pointsOf(series: SeriesAnswer): Point[] {
    return series.at_s.map((at, n) => {
        const bytes = series.memory_bytes[n] ?? null;
        return {
            at,
            rate: series.requests_per_s[n] ?? null,
            p50: series.p50_ms[n] ?? null,
            p95: series.p95_ms[n] ?? null,
            p99: series.p99_ms[n] ?? null,
            memory: bytes === null ? null : bytes / 1024 / 1024,
        };
    });
}
