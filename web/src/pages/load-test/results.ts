// What `rhizome bench run --out DIR` writes: results.json, form version 1.
import { parse } from '../../api/json';

export interface Second {
    second: number;
    completed: number;
    errors: number;
    p99_us: number;
}

export interface Row {
    driver: string;
    concurrency: number;
    offered_per_s: number | null;
    duration_s: number;
    samples: number;
    cut_short: boolean;
    mean_us: number;
    min_us: number;
    max_us: number;
    p50_us: number;
    p90_us: number;
    p95_us: number;
    p99_us: number;
    p999_us: number;
    errors: { class: string; count: number; examples: string[] }[];
    error_percent: number;
    throughput_per_s: number;
    kb_per_s: number;
    elements_per_s: number;
    server_cpu_s: number | null;
    server_rss_peak_bytes: number | null;
    series: Second[];
    series_bucket_s: number;
}

export interface Scenario {
    name: string;
    point: string;
    rows: Row[];
    /** Which row is the peak of a search. */
    peak: number | null;
    failure: string | null;
    notes: string[];
}

export interface Results {
    tool_version: string;
    started_at: string;
    command_line: string;
    target: { url: string; product: string; version: string; engine: string | null; durability: string | null };
    machine: { cpu_model: string; cores: number; memory_bytes: number; os: string };
    scenarios: Scenario[];
    interrupted: boolean;
}

const VERSION = 1;

/** Reads a file; throws a TypeError that says what is wrong with it. */
export function readResults(text: string): Results {
    const value = parse(text) as unknown as Results & { format_version?: number };
    if (typeof value !== 'object' || value === null || value.format_version === undefined) {
        throw new TypeError('format_version');
    }
    if (value.format_version !== VERSION) throw new TypeError(`format_version ${String(value.format_version)}`);
    const isRow = (row: Row): boolean =>
        [row?.concurrency, row?.samples, row?.throughput_per_s, row?.p99_us].every(Number.isFinite) &&
        Array.isArray(row.series);
    const isWhole =
        Array.isArray(value.scenarios) &&
        value.scenarios.every(
            (one) => typeof one?.name === 'string' && Array.isArray(one.rows) && one.rows.every(isRow),
        );
    if (!isWhole || !value.target || !value.machine) throw new TypeError('scenarios');
    return value;
}

/** Requests a second and the 99th percentile over time: seconds, then a list for each. */
export function curves(row: Row): { rate: [number[], number[]]; latency: [number[], number[]] } {
    const width = Math.max(1, row.series_bucket_s);
    // The last bucket holds what was under way at the end, and would look like a fall.
    const full = row.series.filter(({ second }) => second + width <= row.duration_s);
    const series = full.length > 1 ? full : row.series;
    const at = series.map(({ second }) => second);
    return {
        rate: [at, series.map(({ completed }) => completed / width)],
        latency: [at, series.map(({ p99_us }) => p99_us / 1000)],
    };
}

export const scenarios = [
    'single-vertex',
    'single-edge',
    'batch-vertex',
    'batch-edge',
    'batch-edge-unchecked',
    'vertex-by-id',
    'edge-by-id',
    'mixed',
    'schema-property-keys',
    'schema-vertex-labels',
    'schema-edge-labels',
] as const;
export const drivers = ['paced', 'closed', 'open'] as const;

export interface Plan {
    scenario: string;
    driver: (typeof drivers)[number];
    concurrency: number;
    rate: number;
    seconds: number;
    user: string;
}

/** The command that measures a server so. A password is asked for by the environment, never written. */
export function command(url: string, plan: Plan): string {
    const { scenario, driver, concurrency, rate, seconds, user } = plan;
    const parts = [`rhizome bench run --url ${url} --scenario ${scenario} --driver ${driver}`];
    parts.push(`--concurrency ${concurrency}`);
    if (driver === 'open') parts.push(`--rate ${rate}`);
    parts.push(`--duration ${seconds}s --out results`);
    const login = user === '' ? '' : `RHIZOME_PASSWORD=… RHIZOME_USER='${user.replaceAll("'", "'\\''")}' `;
    return login + parts.join(' ');
}
