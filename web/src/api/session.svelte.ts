// Who asks. The login itself is a cookie that no script can read; what is kept here is only what the server says of it.

/** What the server says of the login. */
export interface SessionState {
    /** Whether requests need a login at all. */
    auth: boolean;
    user: string | null;
    admin: boolean;
    manager: boolean;
}

class Session {
    /** Undefined until the server was asked. */
    state = $state.raw<SessionState | undefined>();
    /** True while the login is shown over the page. */
    wanted = $state(false);
    /** Counts changes of who is logged in, so that pages read again what they show. */
    generation = $state(0);
    /** Counts logins, so that what was refused for lack of one can be read again. */
    logins = $state(0);

    name = $derived(this.state?.user ?? '');
    /** Whether the server has users. */
    hasUsers = $derived(this.state?.auth ?? false);
    isManager = $derived(this.state?.manager ?? false);
    isAdmin = $derived(this.state?.admin ?? false);
    /** Whether pages may be shown: there is a login, or none is needed. */
    isOpen = $derived(this.state !== undefined && (!this.state.auth || this.state.user !== null));
    #last = '';

    /** Takes over what the server says. Where a login is needed and there is none, it is asked for. */
    tell(state: SessionState): void {
        const before = this.state;
        this.state = state;
        this.wanted = state.auth && state.user === null;
        if (this.wanted) return;
        const now = state.user ?? '';
        // The same user again, after a login that was over: pages stay as they are, and what was being edited too.
        if (before !== undefined && now !== this.#last) this.generation += 1;
        this.#last = now;
    }

    /** A request was refused because there is no login (any more). */
    refused(): void {
        this.wanted = true;
    }

    entered(state: SessionState): void {
        this.tell(state);
        this.logins += 1;
    }

    left(): void {
        if (this.state) this.state = { ...this.state, user: null, admin: false, manager: false };
        this.wanted = true;
    }
}

export const session = new Session();
export { Session };
