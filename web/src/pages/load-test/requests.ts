// Load tests that the server makes of itself.
import { send, sendText } from '../../api/client';
import { parse, stringify } from '../../api/json';
import { readResults, type Plan, type Results } from './results';

export type Stage = 'connecting' | 'preparing' | 'warm_up' | 'measuring' | 'draining' | 'cleaning_up' | 'ended';

export interface Run {
    plan: { graph: string; scenario: string; driver: string; users: number; seconds: number; rate: number | null };
    by: string;
    started_ms: number;
    stage: Stage;
    cancelled: boolean;
    prepared: { what: string; done: number; total: number } | null;
    planned_s: number;
    elapsed_s: number;
    samples: number;
    errors: number;
    curve: { second: number; requests_per_s: number; p99_us: number }[];
    failure: string | null;
    result: Results | null;
}

export interface LoadTests {
    enabled: boolean;
    reason: string | null;
    users_max: number;
    seconds_max: number;
    rate_max: number;
    vertices: number;
    edges: number;
    run: Run | null;
}

const PATH = '/rhizome/load-tests';

export async function loadTests(signal?: AbortSignal): Promise<LoadTests> {
    const { text } = await sendText('GET', PATH, { quiet: true, ...(signal && { signal }) });
    const told = parse(text) as unknown as LoadTests;
    // What a file is checked for counts for the server's answer too.
    if (told.run?.result) readResults(stringify(told.run.result));
    return told;
}

export async function startLoadTest(graph: string, plan: Plan): Promise<LoadTests> {
    const { scenario, driver, concurrency: users, seconds, rate } = plan;
    const body = { graph, scenario, driver, users, seconds, ...(driver === 'open' && { rate }) };
    return send<unknown>('POST', PATH, { body }).then((told) => told as LoadTests);
}

export async function cancelLoadTest(): Promise<void> {
    await send('DELETE', PATH);
}

/** The report of the last test, a page of HTML without scripts. */
export async function loadTestReport(): Promise<string> {
    return send<{ html: string }>('GET', `${PATH}/report`).then(({ html }) => html);
}

/** How far a run is, from 0 to 1, as far as that is known. */
export function done(run: Run): number | null {
    switch (run.stage) {
        case 'preparing':
            return run.prepared && run.prepared.total > 0 ? run.prepared.done / run.prepared.total : null;
        case 'warm_up':
        case 'measuring':
            return run.planned_s > 0 ? Math.min(1, run.elapsed_s / run.planned_s) : null;
        default:
            return null;
    }
}
