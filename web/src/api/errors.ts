// What can go wrong with a request, with the server's own words.
import type { Value } from './json';
import { parse } from './json';

/** A request that was answered with an error, or not at all (status 0). */
export class ApiError extends Error {
    constructor(
        message: string,
        readonly status: number,
        /** The exception's class name, where the answer has one. */
        readonly kind: string,
        readonly method: string,
        readonly path: string,
        /** Seconds after which the server says to try again. */
        readonly retryAfterS: number | null = null,
        readonly cause_: string = '',
    ) {
        super(message);
        this.name = 'ApiError';
    }

    /** Whether sending the same request again changes nothing. */
    get isRead(): boolean {
        return this.method === 'GET';
    }
}

/** True for the end of a request that nobody waits for any more. */
export function isAbort(error: unknown): boolean {
    return error instanceof DOMException && error.name === 'AbortError';
}

function field(body: Value | undefined, name: string): string {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return '';
    const value = body[name];
    return typeof value === 'string' ? value : '';
}

/** The error that an answer tells of, in HugeGraph's form ("message") or in that of Gremlin ("status.message"). */
export function errorOf(status: number, text: string, headers: Headers, method: string, path: string): ApiError {
    let body: Value | undefined;
    try {
        body = parse(text);
    } catch {
        body = undefined;
    }
    const inner = typeof body === 'object' && body !== null && !Array.isArray(body) ? body['status'] : undefined;
    const message = field(body, 'message') || field(inner, 'message') || text.slice(0, 2000) || `HTTP ${status}`;
    const after = Number(headers.get('retry-after') ?? NaN);
    const retry = Number.isFinite(after) ? after : null;
    return new ApiError(message, status, field(body, 'exception'), method, path, retry, field(body, 'cause'));
}
