import { afterEach, describe, expect, it, vi } from 'vitest';
import { address, Latest, send } from './client';
import { ApiError } from './errors';
import { requestLog } from './log.svelte';
import { logIn } from './login';
import { Session, session, type SessionState } from './session.svelte';

afterEach(() => vi.unstubAllGlobals());

function answerWith(text: string, init?: ResponseInit): ReturnType<typeof vi.fn> {
    const fetched = vi.fn(() => Promise.resolve(new Response(text, init)));
    vi.stubGlobal('fetch', fetched);
    return fetched;
}

describe('the client', () => {
    it('encodes queries once and leaves out what is undefined', () => {
        expect(address('/a', { ids: ['"1:a/b"', 9223372036854775807n], page: undefined, x: '%' })).toBe(
            '/a?ids=%221%3Aa%2Fb%22&ids=9223372036854775807&x=%25',
        );
        expect(address('/a', {})).toBe('/a');
    });

    it('sends and reads ids exactly', async () => {
        const fetched = answerWith('{"id":9223372036854775807}');
        const answer = await send('POST', '/v', { body: { id: 9223372036854775807n } });
        expect(answer).toEqual({ id: 9223372036854775807n });
        const [, init] = fetched.mock.calls[0] as unknown as [string, RequestInit];
        expect(init.body).toBe('{"id":9223372036854775807}');
        expect(requestLog.last).toMatchObject({ method: 'POST', path: '/v', status: 200 });
    });

    it('tells what the server said, and when to try again', async () => {
        answerWith('{"exception":"X","message":"too busy","cause":""}', {
            status: 503,
            headers: { 'retry-after': '3' },
        });
        const error = await send('GET', '/v').catch((error: unknown) => error);
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ message: 'too busy', status: 503, kind: 'X', retryAfterS: 3, isRead: true });
        answerWith('{"requestId":"1","status":{"message":"no such step","code":500},"result":{}}', { status: 500 });
        await expect(send('POST', '/gremlin')).rejects.toMatchObject({ message: 'no such step', isRead: false });
        answerWith('<html>', { status: 502 });
        await expect(send('GET', '/v')).rejects.toMatchObject({ message: '<html>', status: 502, retryAfterS: null });
    });

    it('tells apart a server that is not there', async () => {
        vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
        await expect(send('GET', '/v')).rejects.toMatchObject({ status: 0 });
        expect(requestLog.last).toMatchObject({ status: 0 });
    });

    it('asks for a login when the server does', async () => {
        answerWith('{"message":"who?"}', { status: 401 });
        await expect(send('GET', '/v')).rejects.toMatchObject({ status: 401 });
        expect(session.wanted).toBe(true);
    });

    it('sends no password and no token: the login is a cookie of the browser', async () => {
        const fetched = answerWith('{"auth":true,"user":"ann","admin":false,"manager":false}');
        await logIn('ann', '密:码');
        expect(session.wanted).toBe(false);
        expect(session.name).toBe('ann');
        await send('GET', '/v');
        const sent = fetched.mock.calls.map((call) => call[1] as { headers: Record<string, string>; body?: string });
        expect(sent[0]?.body).toBe('{"user":"ann","password":"密:码"}');
        for (const { headers } of sent) {
            expect(headers['x-rhizome-ui']).toBe('1');
            expect(Object.keys(headers).map((name) => name.toLowerCase())).not.toContain('authorization');
        }
        expect(sent[1]?.body).toBeUndefined();
        expect(JSON.stringify(requestLog.entries)).not.toContain('密:码');
    });

    it('asks again only where the login was refused, not where it was wrong', async () => {
        session.tell({ auth: true, user: 'ann', admin: false, manager: false });
        answerWith('{"message":"wrong"}', { status: 401 });
        await expect(logIn('ann', 'no')).rejects.toMatchObject({ status: 401 });
        expect(session.wanted).toBe(false);
    });
});

describe('the session', () => {
    const of = (user: string | null): SessionState => ({ auth: true, user, admin: false, manager: false });

    it('lets pages read anew when somebody else is in, and not after the same one is back', () => {
        const session = new Session();
        expect(session.isOpen).toBe(false);
        session.tell(of(null));
        expect([session.wanted, session.isOpen]).toEqual([true, false]);
        session.entered(of('ann'));
        expect([session.wanted, session.isOpen]).toEqual([false, true]);
        const first = session.generation;
        session.refused();
        session.entered(of('ann'));
        expect(session.generation).toBe(first);
        session.left();
        session.entered(of('bob'));
        expect(session.generation).toBe(first + 1);
    });

    it('is not needed on a server without users', () => {
        const session = new Session();
        session.tell({ auth: false, user: null, admin: true, manager: true });
        expect([session.wanted, session.isOpen, session.isManager]).toEqual([false, true, true]);
    });
});

describe('the latest work', () => {
    it('is the only one whose result is given, in whatever order answers come', async () => {
        const latest = new Latest();
        const ends: ((value: number) => void)[] = [];
        const results = Array.from({ length: 1000 }, (_, at) =>
            latest.run(
                () =>
                    new Promise<number>((resolve) => {
                        ends[at] = resolve;
                    }),
            ),
        );
        const order = ends.map((_, at) => at).sort(() => Math.random() - 0.5);
        for (const at of order) ends[at]?.(at);
        const given = (await Promise.all(results)).filter((result) => result !== undefined);
        expect(given).toEqual([999]);
    });

    it('ends the request of what it replaces', async () => {
        const latest = new Latest();
        const signals: AbortSignal[] = [];
        const work = (signal: AbortSignal): Promise<string> => {
            signals.push(signal);
            return Promise.resolve('done');
        };
        const first = latest.run(work);
        const second = latest.run(work);
        expect(await first).toBeUndefined();
        expect(await second).toBe('done');
        expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
        latest.cancel();
        expect(signals[1]?.aborted).toBe(true);
    });

    it('throws its own failure, and not that of what it replaced', async () => {
        const latest = new Latest();
        const old = latest.run(() => Promise.reject(new Error('old')));
        const now = latest.run(() => Promise.reject(new Error('now')));
        expect(await old).toBeUndefined();
        await expect(now).rejects.toThrow('now');
    });
});
