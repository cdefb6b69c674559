// The page's side of the layout worker.
import workerUrl from './layout.worker.ts?worker&url';
import { trustedWorker } from './trusted';
import type { LayoutName } from './layoutNames';
import type { LayoutInput } from './layouts';
import type { LayersInput, LayersOutput } from './layers';
import type { LayersAnswer, LayersJob, LayoutTick } from './layout.worker';
import type { Key, Scene } from './scene';

export interface Run {
    readonly name: LayoutName;
    readonly input: LayoutInput;
    readonly keys: readonly Key[];
    readonly ms: number;
    readonly every: number;
    /** Called with places on the way and at the end. */
    tick(xy: Float64Array, done: boolean): void;
    failed(message: string): void;
}

/** The visible part of the scene, as layouts want it. */
export function layoutInput(
    scene: Scene,
    size: (key: Key) => number,
    root: Key | null,
): { input: LayoutInput; keys: Key[] } {
    const nodes = [...scene.nodes.values()].filter((node) => scene.nodeVisible(node));
    const at = new Map(nodes.map((node, i) => [node.key, i]));
    const labels = [...new Set(nodes.map((node) => node.vertex.label))].sort();
    const ends: number[] = [];
    for (const edge of scene.edges.values()) {
        if (scene.edgeVisible(edge)) ends.push(at.get(edge.edge.source)!, at.get(edge.edge.target)!);
    }
    const input: LayoutInput = {
        n: nodes.length,
        xy: Float64Array.from(nodes.flatMap(({ x, y }) => [x, y])),
        fixed: Uint8Array.from(nodes, ({ pinned }) => (pinned ? 1 : 0)),
        sizes: Float32Array.from(nodes, ({ key }) => size(key)),
        groups: Int32Array.from(nodes, ({ vertex }) => labels.indexOf(vertex.label)),
        ends: Uint32Array.from(ends),
        root: root === null ? -1 : (at.get(root) ?? -1),
    };
    return { input, keys: nodes.map(({ key }) => key) };
}

const beginWorker = (): Worker => new Worker(trustedWorker(workerUrl), { type: 'module' });

/** Has a worker of its own place boxes in layers. Ending the signal ends the worker; then there is no answer. */
export function layersOf(input: LayersInput, signal: AbortSignal): Promise<LayersOutput> {
    return new Promise((resolve, reject) => {
        const worker = beginWorker();
        signal.addEventListener('abort', () => worker.terminate(), { once: true });
        worker.onmessage = ({ data }: MessageEvent<LayersAnswer>) => {
            worker.terminate();
            resolve(data.layers);
        };
        worker.onerror = (event) => {
            worker.terminate();
            reject(new Error(event.message));
        };
        worker.postMessage({ layers: input } satisfies LayersJob);
    });
}

/** Runs one layout at a time; starting another ends the one before. */
export class LayoutRunner {
    #worker: Worker | null = null;
    #job = 0;
    #run: Run | null = null;

    get running(): boolean {
        return this.#run !== null;
    }

    start(run: Run): void {
        this.#worker ??= this.#begin();
        this.#job += 1;
        this.#run = run;
        const { name, input, ms, every } = run;
        this.#worker.postMessage({ job: this.#job, name, input, ms, every });
    }

    stop(): void {
        this.#job += 1;
        this.#run = null;
        this.#worker?.postMessage({ job: this.#job, stop: true });
    }

    destroy(): void {
        this.#worker?.terminate();
        this.#worker = null;
        this.#run = null;
    }

    #begin(): Worker {
        const worker = beginWorker();
        worker.onmessage = ({ data }: MessageEvent<LayoutTick>) => {
            const run = this.#run;
            if (data.job !== this.#job || !run) return;
            if (data.done) this.#run = null;
            run.tick(data.xy, data.done);
        };
        worker.onerror = (event) => {
            const run = this.#run;
            this.destroy();
            run?.failed(event.message);
        };
        return worker;
    }
}
