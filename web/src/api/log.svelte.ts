// The last requests, for the status line and for "copy as".
import { untrack } from 'svelte';

export interface Sent {
    readonly number: number;
    readonly method: string;
    /** With the query. */
    readonly path: string;
    readonly body: string | undefined;
    readonly startedAt: number;
    /** Null while it is not answered; 0 when it never was. */
    status: number | null;
    /** Time until the answer was read, in milliseconds. */
    ms: number | null;
    bytes: number;
}

const KEPT = 100;

class RequestLog {
    entries = $state<Sent[]>([]);
    open = $derived(this.entries.filter((entry) => entry.status === null).length);
    #next = 1;

    begin(method: string, path: string, body: string | undefined): number {
        const number = this.#next++;
        const entry: Sent = { number, method, path, body, startedAt: Date.now(), status: null, ms: null, bytes: 0 };
        // Whoever sends a request does not depend on the log.
        this.entries = [...untrack(() => this.entries).slice(1 - KEPT), entry];
        return number;
    }

    end(number: number, status: number, ms: number, bytes: number): void {
        const entry = untrack(() => this.entries.find((one) => one.number === number));
        if (!entry) return;
        entry.status = status;
        entry.ms = ms;
        entry.bytes = bytes;
    }

    get last(): Sent | undefined {
        return this.entries.at(-1);
    }
}

export const requestLog = new RequestLog();
