// Apart from layouts.ts, which only the worker needs: it has the libraries.
export const layoutNames = ['force', 'hierarchy', 'radial', 'circle', 'grid'] as const;
export type LayoutName = (typeof layoutNames)[number];
