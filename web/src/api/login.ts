// Logging in and out. The server sets and deletes the cookie; nothing of it is seen or kept here.
import { send } from './client';
import { ApiError } from './errors';
import { session, type SessionState } from './session.svelte';

const PATH = '/rhizome/session';
/** How often the server is asked, while the page is seen, whether the login lasts; that also makes it last. */
const EVERY_MS = 15 * 60_000;

/** Asks the server who is logged in. */
export async function readSession(): Promise<void> {
    session.tell(await send<SessionState>('GET', PATH, { quiet: true }));
}

/** Logs in; throws what the server refuses it with. */
export async function logIn(user: string, password: string): Promise<void> {
    session.entered(await send<SessionState>('POST', PATH, { body: { user, password }, quiet: true }));
}

/** Logs out, in all windows of this browser and for whoever might have copied the cookie. */
export async function logOut(): Promise<void> {
    try {
        await send('DELETE', PATH, { quiet: true });
    } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
    session.left();
}

/** Keeps the login alive while the page is seen, and notices when it was ended in another window. */
export function followSession(): () => void {
    let at = Date.now();
    const look = (): void => {
        if (document.visibilityState !== 'visible' || !session.hasUsers || session.wanted) return;
        at = Date.now();
        readSession().catch(() => undefined);
    };
    const timer = setInterval(look, EVERY_MS);
    // Coming back to the window is the moment at which another one may have logged out.
    const onshow = (): void => {
        if (Date.now() - at > 2000) look();
    };
    document.addEventListener('visibilitychange', onshow);
    addEventListener('focus', onshow);
    return () => {
        clearInterval(timer);
        document.removeEventListener('visibilitychange', onshow);
        removeEventListener('focus', onshow);
    };
}
