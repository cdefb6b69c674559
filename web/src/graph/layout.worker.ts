// Runs layouts away from the page. One job at a time: a new one ends the one before.
import { placeLayers, type LayersInput, type LayersOutput } from './layers';
import type { LayoutName } from './layoutNames';
import { arrange, Force, scatter, separate, type LayoutInput } from './layouts';

export interface LayoutJob {
    readonly job: number;
    readonly name: LayoutName;
    readonly input: LayoutInput;
    /** Longest time in milliseconds. */
    readonly ms: number;
    /** Milliseconds between places on the way; 0: only the last. */
    readonly every: number;
}

export interface LayoutTick {
    readonly job: number;
    readonly xy: Float64Array;
    readonly done: boolean;
    /** Iterations so far. */
    readonly rounds: number;
}

/** Boxes to be placed in layers; the answer is one message. */
export interface LayersJob {
    readonly layers: LayersInput;
}

export interface LayersAnswer {
    readonly layers: LayersOutput;
}

let current = 0;

addEventListener('message', ({ data }: MessageEvent<LayoutJob | LayersJob | { job: number; stop: true }>) => {
    if ('layers' in data) {
        postMessage({ layers: placeLayers(data.layers) } satisfies LayersAnswer);
        return;
    }
    current = data.job;
    if (!('stop' in data)) void run(data);
});

function tell(tick: LayoutTick): void {
    postMessage(tick, { transfer: [tick.xy.buffer] });
}

async function run({ job, name, input, ms, every }: LayoutJob): Promise<void> {
    if (name !== 'force') {
        tell({ job, xy: arrange(name, input), done: true, rounds: 1 });
        return;
    }
    const started = performance.now();
    const force = new Force({ ...input, xy: scatter(input.xy) });
    let rounds = 0;
    let calm = 0;
    let told = started;
    let breath = started;
    while (performance.now() - started < ms * 0.85 && calm < 8) {
        const moved = force.step();
        rounds += 1;
        calm = moved < 0.25 ? calm + 1 : 0;
        const at = performance.now();
        if (every > 0 && at - told >= every) {
            tell({ job, xy: force.positions(), done: false, rounds });
            told = at;
        }
        if (at - breath >= 40) {
            // Lets a message in that ends this job.
            await new Promise((resolve) => setTimeout(resolve));
            if (current !== job) return;
            breath = performance.now();
        }
    }
    tell({ job, xy: separate(input, force.positions(), Math.max(50, ms * 0.15)), done: true, rounds });
}
