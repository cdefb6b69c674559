// Which file is which page. Each is loaded when it is first opened; what is not in this table is not in the menu.
import type { Component } from 'svelte';
import type { GraphPage, ServerPage } from './router.svelte';

export type PageComponent = Component<{ graph: string; rest: string[] }>;
type Load = () => Promise<{ default: PageComponent }>;

export const pages: Partial<Record<GraphPage | ServerPage, Load>> = {
    overview: () => import('../pages/overview/Overview.svelte'),
    data: () => import('../pages/data/Data.svelte'),
    query: () => import('../pages/query/Query.svelte'),
    schema: () => import('../pages/schema/SchemaPage.svelte'),
    import: () => import('../pages/import/Import.svelte'),
    tasks: () => import('../pages/tasks/Tasks.svelte'),
    graphs: () => import('../pages/graphs/Graphs.svelte'),
    metrics: () => import('../pages/metrics/Metrics.svelte'),
    'load-test': () => import('../pages/load-test/LoadTest.svelte'),
    users: () => import('../pages/users/Users.svelte'),
    explore: () => import('../pages/explore/Explore.svelte'),
};
