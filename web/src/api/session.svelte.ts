// Who asks. Name and password are kept in memory only: closing or reloading the page forgets them.

class Session {
    name = $state('');
    #header: string | undefined;
    /** True while the login is shown over the page. */
    wanted = $state(false);
    /** Counts logins, so that pages read again what they show. */
    generation = $state(0);

    get header(): string | undefined {
        return this.#header;
    }

    static encode(name: string, password: string): string {
        const bytes = new TextEncoder().encode(`${name}:${password}`);
        return `Basic ${btoa(String.fromCharCode(...bytes))}`;
    }

    enter(name: string, password: string): void {
        this.#header = Session.encode(name, password);
        this.name = name;
        this.wanted = false;
        this.generation += 1;
    }

    /** Enters if a request with these credentials is answered; otherwise nothing changes, and the error is thrown. */
    async tryOut(name: string, password: string, request: () => Promise<unknown>): Promise<void> {
        const before = this.#header;
        this.#header = Session.encode(name, password);
        try {
            await request();
        } catch (error) {
            this.#header = before;
            throw error;
        }
        this.enter(name, password);
    }

    leave(): void {
        this.#header = undefined;
        this.name = '';
        this.wanted = true;
    }
}

export const session = new Session();
export { Session };
