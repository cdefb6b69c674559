// Parts of packages that come without types.
declare module 'graphology-layout-forceatlas2/iterate.js' {
    export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
}

declare module 'graphology-layout-noverlap/iterate.js' {
    export default function iterate(settings: object, nodes: Float32Array): { converged: boolean };
}
