// Sends the rows of a file to the server: in batches, several at a time, each until it is known what became of it.
import { ApiError, isAbort } from '../../api/errors';
import { base } from '../../api/graph';
import { send } from '../../api/client';
import { stringify, type Value } from '../../api/json';
import type { Schema } from '../../api/types';
import { session } from '../../api/session.svelte';
import { maker, RowError, type Mapping } from './mapping';
import { csvLine, pieces, RowTooLong, type FileForm } from './rows';

/** Elements of a request: the server's own limit. */
export const BATCH = 500;
/** Requests at a time. */
export const IN_FLIGHT = 4;
/** Rejected rows that are kept for the file of them; the others are only counted. */
export const REJECTS_KEPT = 100_000;
/** How often a broken connection is tried again. */
const RECONNECTS = 20;

export interface Reject {
    line: number;
    reason: string;
    /** The row as a line of the file. */
    text: string;
}

export interface Counts {
    read: number;
    stored: number;
    rejected: number;
    requests: number;
    /** How often the server was too busy. */
    waits: number;
    bytes: number;
}

export interface Texts {
    row: (error: RowError) => string;
    broken: (reason: 'json' | 'object' | 'fields') => string;
}

interface Item {
    line: number;
    values: Record<string, Value>;
    element: Record<string, Value>;
}

/** Which element of a batch an error is about, from 0: "[3].properties: ...". */
export function indexIn(message: string): number | null {
    const found = /^\[(\d+)\]/.exec(message);
    return found ? Number(found[1]) : null;
}

/** The end of an import before its file's. */
export class Stopped extends Error {}

export class Import {
    readonly counts: Counts = { read: 0, stored: 0, rejected: 0, requests: 0, waits: 0, bytes: 0 };
    readonly rejects: Reject[] = [];
    readonly #controller = new AbortController();
    #columns: string[] = [];

    constructor(
        readonly graph: string,
        readonly file: Blob,
        readonly form: FileForm,
        readonly mapping: Mapping,
        readonly schema: Schema,
        readonly checksEnds: boolean,
        readonly texts: Texts,
        /** Told now and then; what it is given may be read at any time. */
        readonly progress: (counts: Counts) => void,
    ) {}

    /** Runs to the end of the file. Throws what ended it before; what was stored until then stays. */
    async run(): Promise<void> {
        const make = maker(this.mapping, this.schema);
        const flying = new Set<Promise<void>>();
        let failure: unknown;
        let batch: Item[] = [];
        const launch = async (): Promise<void> => {
            const items = batch;
            batch = [];
            while (flying.size >= IN_FLIGHT) await Promise.race(flying);
            if (failure !== undefined) throw failure;
            const flight: Promise<void> = this.#store(items)
                .catch((error: unknown) => {
                    failure ??= error;
                    this.#controller.abort();
                })
                .finally(() => flying.delete(flight));
            flying.add(flight);
        };
        try {
            for await (const piece of pieces(this.file, this.form, this.#columns)) {
                if (this.#controller.signal.aborted) throw new Stopped();
                for (const { line, text, reason } of piece.broken) {
                    this.counts.read += 1;
                    this.#reject(line, this.texts.broken(reason), text);
                }
                for (const { line, values } of piece.rows) {
                    this.counts.read += 1;
                    try {
                        batch.push({ line, values, element: make(values) });
                    } catch (error) {
                        if (!(error instanceof RowError)) throw error;
                        this.#reject(line, this.texts.row(error), this.#text(values));
                    }
                    if (batch.length >= BATCH) await launch();
                }
                this.counts.bytes = piece.bytes;
                this.progress(this.counts);
            }
            if (batch.length > 0) await launch();
        } catch (error) {
            // Where the file cannot be read any further, what was read of it is stored.
            if (error instanceof RowTooLong && failure === undefined) {
                if (batch.length > 0) await launch().catch((other: unknown) => (failure = other));
                await Promise.all(flying);
                failure ??= error;
            } else {
                failure ??= error;
                this.#controller.abort();
            }
        }
        await Promise.all(flying);
        this.progress(this.counts);
        if (failure !== undefined) throw isAbort(failure) ? new Stopped() : failure;
    }

    /** Ends it: requests under way are ended, and nothing more is sent. */
    cancel(): void {
        this.#controller.abort();
    }

    /** Stores a batch. A row that is refused is rejected, and the others are sent again. */
    async #store(items: Item[]): Promise<void> {
        let rest = items;
        let broken = 0;
        while (rest.length > 0) {
            if (this.#controller.signal.aborted) throw new Stopped();
            try {
                this.counts.requests += 1;
                await this.#send(rest);
                this.counts.stored += rest.length;
                this.progress(this.counts);
                return;
            } catch (error) {
                if (!(error instanceof ApiError)) throw error;
                if (error.status === 503 || error.status === 429) {
                    this.counts.waits += 1;
                    this.progress(this.counts);
                    await this.#wait(Math.max(1, error.retryAfterS ?? 1) * 1000);
                } else if (error.status === 401) {
                    const before = session.logins;
                    while (session.logins === before) await this.#wait(250);
                } else if (error.status === 0) {
                    // Elements with ids of their own can be sent twice; what makes its ids would be stored twice.
                    broken += 1;
                    if (this.#makesIds() || broken > RECONNECTS) throw error;
                    await this.#wait(1000);
                } else if (error.status === 400 || error.status === 404) {
                    rest = await this.#without(rest, error);
                } else throw error;
            }
        }
    }

    /** The rows of a batch but for those that were refused. An error that names none is about one half, or both. */
    async #without(items: Item[], error: ApiError): Promise<Item[]> {
        const index = items.length === 1 ? 0 : indexIn(error.message);
        const wrong = index === null ? undefined : items[index];
        if (wrong) {
            this.#reject(wrong.line, error.message.replace(/^\[\d+\]\.?(: )?/, ''), this.#text(wrong.values));
            return items.filter((item) => item !== wrong);
        }
        const middle = Math.ceil(items.length / 2);
        await this.#store(items.slice(0, middle));
        return items.slice(middle);
    }

    #send(items: readonly Item[]): Promise<unknown> {
        const isEdge = this.mapping.kind === 'edge';
        const path = `${base(this.graph)}/graph/${isEdge ? 'edges' : 'vertices'}/batch`;
        return send('POST', path, {
            query: { check_vertex: isEdge ? this.checksEnds : undefined },
            body: items.map(({ element }) => element),
            signal: this.#controller.signal,
            quiet: true,
        });
    }

    #makesIds(): boolean {
        const { kind, label } = this.mapping;
        const found = this.schema.vertexlabels.find((one) => one.name === label);
        return kind === 'vertex' && found?.id_strategy === 'AUTOMATIC';
    }

    #text(values: Record<string, Value>): string {
        return this.form.format === 'csv'
            ? csvLine(this.#columns.map((name) => values[name] ?? ''))
            : stringify(values);
    }

    #reject(line: number, reason: string, text: string): void {
        this.counts.rejected += 1;
        if (this.rejects.length < REJECTS_KEPT) this.rejects.push({ line, reason, text });
    }

    async #wait(ms: number): Promise<void> {
        const { signal } = this.#controller;
        if (signal.aborted) throw new Stopped();
        await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, ms);
            signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
        });
        if (signal.aborted) throw new Stopped();
    }

    /** The rejected rows as a file of the same form, which can be imported once they are mended. */
    rejectedRows(): string {
        const lines = this.rejects.map(({ text }) => text);
        if (this.form.format === 'csv' && this.form.hasHeader) lines.unshift(csvLine(this.#columns));
        return `${lines.join('\n')}\n`;
    }

    /** Why each was rejected, as CSV. */
    reasons(): string {
        const lines = this.rejects.map(({ line, reason, text }) => csvLine([String(line), reason, text]));
        return `${['line,reason,row', ...lines].join('\n')}\n`;
    }
}
