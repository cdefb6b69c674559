// Addresses. The path says which place is shown; the fragment holds its state, which therefore reaches no server's log.

const ROOT = '/ui';

/** Pages of one graph, below /ui/g/{graph}/; and pages of the server. */
export const graphPages = ['overview', 'explore', 'query', 'data', 'schema', 'import', 'tasks'] as const;
export const serverPages = ['graphs', 'metrics', 'load-test', 'users'] as const;
export type GraphPage = (typeof graphPages)[number];
export type ServerPage = (typeof serverPages)[number];
export type PageName = GraphPage | ServerPage | 'start' | 'unknown';

export interface Place {
    page: PageName;
    /** The graph's name, on its pages. */
    graph: string | null;
    /** Further segments of the path, decoded. */
    rest: string[];
}

/** Reads a path. */
export function placeOf(path: string): Place {
    const segments = path.split('/').filter((segment) => segment !== '');
    let decoded: string[];
    try {
        decoded = segments.slice(1).map(decodeURIComponent);
    } catch {
        return { page: 'unknown', graph: null, rest: [] };
    }
    const [first, second, third, ...more] = decoded;
    if (first === undefined) return { page: 'start', graph: null, rest: [] };
    if (first === 'g' && second !== undefined) {
        const page = graphPages.find((name) => name === (third ?? 'overview'));
        return { page: page ?? 'unknown', graph: second, rest: more };
    }
    const page = serverPages.find((name) => name === first);
    return { page: page ?? 'unknown', graph: null, rest: decoded.slice(1) };
}

/** The path of a page of a graph. */
export function graphPath(graph: string, page: GraphPage, ...rest: string[]): string {
    return [ROOT, 'g', graph, page, ...rest].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join('/');
}

/** The path of a page of the server. */
export function serverPath(page: ServerPage): string {
    return `${ROOT}/${page}`;
}

/** The fragment for a state; empty values are left out. */
export function fragment(state: Record<string, string | undefined>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(state))
        if (value !== undefined && value !== '') parameters.set(name, value);
    const text = parameters.toString();
    return text === '' ? '' : `#${text}`;
}

class Router {
    place = $state<Place>({ page: 'start', graph: null, rest: [] });
    state = $state.raw(new URLSearchParams());
    /** Counts visits of a page by an address whose fragment it has to read anew. */
    visits = $state(0);

    start(): void {
        this.#read();
        addEventListener('popstate', () => this.#read());
        document.addEventListener('click', (event) => this.#follow(event));
    }

    #read(): void {
        this.place = placeOf(location.pathname);
        this.state = new URLSearchParams(location.hash.slice(1));
    }

    /** Links within the explorer change the page without loading it again. */
    #follow(event: MouseEvent): void {
        if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
        const link = event.target instanceof Element ? event.target.closest('a') : null;
        if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
        if (link.pathname !== ROOT && !link.pathname.startsWith(`${ROOT}/`)) return;
        event.preventDefault();
        this.go(link.pathname + link.hash);
    }

    /** Goes to an address, as a new entry of the browser's history. */
    go(to: string, replace = false): void {
        if (replace) history.replaceState(null, '', to);
        else history.pushState(null, '', to);
        this.#read();
    }

    /** Changes some values of the state; undefined takes one out. A new entry of the history only if asked for. */
    set(changes: Record<string, string | undefined>, push = false): void {
        const all = { ...Object.fromEntries(this.state), ...changes };
        const to = location.pathname + fragment(all);
        if (to === location.pathname + location.hash) return;
        this.go(to, !push);
    }
}

export const router = new Router();
