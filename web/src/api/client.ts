// The one way to the server. Every request is logged, can be ended, and keeps every digit of every number.
import { ApiError, errorOf, isAbort } from './errors';
import type { Value } from './json';
import { parse, stringify } from './json';
import { requestLog } from './log.svelte';
import { session } from './session.svelte';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Query = Record<
    string,
    string | number | bigint | boolean | readonly (string | number | bigint)[] | undefined
>;

export interface Options {
    query?: Query;
    body?: unknown;
    signal?: AbortSignal | undefined;
    /** Not shown in the status line: what pages ask for by themselves every few seconds. */
    quiet?: boolean;
    headers?: Record<string, string>;
}

/** An answer as text, before it is read. */
export interface Answer {
    text: string;
    status: number;
    headers: Headers;
    ms: number;
}

/** A path with its query. Values are encoded here and nowhere else; undefined ones are left out. */
export function address(path: string, query: Query = {}): string {
    const parts: string[] = [];
    for (const [name, value] of Object.entries(query)) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== undefined) parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
        }
    }
    return parts.length > 0 ? `${path}?${parts.join('&')}` : path;
}

/** Sends a request and gives the answer's text; an error status is thrown as ApiError. */
export async function sendText(method: Method, path: string, options: Options = {}): Promise<Answer> {
    const url = address(path, options.query);
    const body = options.body === undefined ? undefined : stringify(options.body);
    // A server behind a proxy that speaks TLS learns from this that cookies are to be for TLS only.
    const page = globalThis.location?.protocol === 'https:' ? 'https' : '1';
    const headers: Record<string, string> = { accept: 'application/json', 'x-rhizome-ui': page, ...options.headers };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const number = options.quiet ? 0 : requestLog.begin(method, url, body);
    const started = performance.now();
    let status = 0;
    let bytes = 0;
    try {
        const init: RequestInit = { method, headers, cache: 'no-store', credentials: 'same-origin', redirect: 'error' };
        if (body !== undefined) init.body = body;
        if (options.signal) init.signal = options.signal;
        const response = await fetch(url, init);
        const text = await response.text();
        status = response.status;
        bytes = text.length;
        if (status === 401 && path !== '/rhizome/session') session.refused();
        if (!response.ok) throw errorOf(status, text, response.headers, method, url);
        return { text, status, headers: response.headers, ms: performance.now() - started };
    } catch (error) {
        if (error instanceof ApiError || isAbort(error)) throw error;
        throw new ApiError('', 0, 'Offline', method, url);
    } finally {
        if (number > 0) requestLog.end(number, status, performance.now() - started, bytes);
    }
}

/** Sends a request and reads the JSON it is answered with (null for an empty answer). */
export async function send<T = Value>(method: Method, path: string, options: Options = {}): Promise<T> {
    const { text } = await sendText(method, path, options);
    return (text === '' ? null : parse(text)) as T;
}

/** Of several pieces of work only the last begun counts: beginning another ends it, and late results are dropped. */
export class Latest {
    #controller: AbortController | undefined;

    /** The work's result, or undefined when another was begun before it was there. */
    async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
        this.#controller?.abort();
        const controller = new AbortController();
        this.#controller = controller;
        try {
            const result = await work(controller.signal);
            return this.#controller === controller ? result : undefined;
        } catch (error) {
            if (this.#controller !== controller || isAbort(error)) return undefined;
            throw error;
        }
    }

    /** Ends the work, if there is any. */
    cancel(): void {
        this.#controller?.abort();
        this.#controller = undefined;
    }
}
