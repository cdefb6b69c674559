// Which file is which page. Each is loaded when it is first opened; what is not in this table is not in the menu.
import type { Component } from 'svelte';
import type { GraphPage, ServerPage } from './router.svelte';

export type PageComponent = Component<{ graph: string; rest: string[] }>;
type Load = () => Promise<{ default: PageComponent }>;

export const pages: Partial<Record<GraphPage | ServerPage, Load>> = {
    overview: () => import('../pages/overview/Overview.svelte'),
    explore: () => import('../pages/explore/Explore.svelte'),
};
