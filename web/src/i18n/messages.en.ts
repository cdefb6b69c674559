// English. Longer pages bring their own file.
import { explore } from '../pages/explore/messages.en';

export const en = {
    explore,
    app: {
        skip: 'Skip to the content',
        pages: 'Pages',
        graph: 'Graph',
        language: 'Language',
        theme: 'Colours',
        themes: { system: 'as the system', light: 'light', dark: 'dark', contrast: 'high contrast' },
        requests: (open: number) => (open === 1 ? '1 request under way' : `${open} requests under way`),
        offline: 'The server does not answer.',
        unknown: 'There is no page at this address.',
        toStart: 'To the overview',
        failed: 'This page failed. The others work on.',
        loading: 'Loading',
        copyAs: 'Copy as',
        copied: 'Copied',
    },
    pages: {
        overview: 'Overview',
        explore: 'Explore',
        query: 'Query',
        data: 'Data',
        schema: 'Schema',
        tasks: 'Tasks',
        graphs: 'Graphs',
        metrics: 'Metrics',
    },
    common: {
        cancel: 'Cancel',
        close: 'Close',
        retry: 'Try again',
        retryIn: (seconds: number) => `The server is busy; trying again in ${seconds} s`,
        more: 'more',
        all: 'all',
        none: 'none',
        unknown: 'unknown',
        rows: (count: string) => `${count} rows`,
    },
    error: {
        offline: 'No connection to the server. It may have stopped; nothing was changed by this request.',
        offlineWrite:
            'The connection broke before the answer came: whether the change was made is not known. Look first.',
        title: (status: number) => `The server refused this request (${status})`,
        place: 'Request',
    },
    overview: {
        title: 'Overview',
        vertexLabels: 'Vertex labels',
        edgeLabels: 'Edge labels',
    },
};
