// The visible scene in TinkerPop's GraphSON 3: a line for each vertex, with its edges, as `g.io(file).read()` takes it.
import { stringify, type Value } from '../api/json';
import { idOf } from './elements';
import type { Key, Scene, SceneEdge } from './scene';

type Typed = Value | { '@type': string; '@value': Typed | Typed[] };

/** A value with its type; `dataType` is that of its property key, as the schema names it. */
export function typed(value: Value, dataType?: string): Typed {
    if (Array.isArray(value)) return { '@type': 'g:List', '@value': value.map((one) => typed(one, dataType)) };
    if (typeof value === 'bigint') return { '@type': 'g:Int64', '@value': value };
    if (typeof value === 'number') {
        const types: Record<string, string> = { DOUBLE: 'g:Double', FLOAT: 'g:Float', INT: 'g:Int32', LONG: 'g:Int64' };
        const type = types[dataType ?? ''] ?? (Number.isInteger(value) ? 'g:Int64' : 'g:Double');
        return { '@type': type, '@value': value };
    }
    if (typeof value === 'string' && dataType === 'UUID') return { '@type': 'g:UUID', '@value': value };
    return value;
}

const idOfKey = (key: Key): Typed => typed(idOf(key), key.startsWith('U"') ? 'UUID' : undefined);

/** What is visible; edges only between visible vertices. */
export function graphson(scene: Scene, dataType: (property: string) => string | undefined): string {
    const edgesOf = (key: Key, direction: 'OUT' | 'IN'): Record<string, Typed[]> => {
        const found: Record<string, unknown[]> = Object.create(null) as Record<string, unknown[]>;
        for (const id of scene.edgesOf(key)) {
            const drawn: SceneEdge | undefined = scene.edges.get(id);
            if (!drawn || !scene.edgeVisible(drawn)) continue;
            const { edge } = drawn;
            if ((direction === 'OUT' ? edge.source : edge.target) !== key) continue;
            const other = direction === 'OUT' ? { inV: idOfKey(edge.target) } : { outV: idOfKey(edge.source) };
            const properties = Object.fromEntries(
                Object.entries(edge.properties).map(([name, value]) => [name, typed(value as Value, dataType(name))]),
            );
            (found[edge.label] ??= []).push({ id: edge.key, ...other, properties });
        }
        return found as Record<string, Typed[]>;
    };
    let number = 0;
    const lines = [...scene.nodes.values()]
        .filter((node) => scene.nodeVisible(node))
        .map(({ key, vertex }) => {
            const properties = Object.fromEntries(
                Object.entries(vertex.properties).map(([name, value]) => [
                    name,
                    // Each property of a vertex has an id there.
                    [{ id: typed(BigInt(number++)), value: typed(value as Value, dataType(name)) }],
                ]),
            );
            const edges = { outE: edgesOf(key, 'OUT'), inE: edgesOf(key, 'IN') };
            return stringify({ id: idOfKey(key), label: vertex.label, ...edges, properties });
        });
    return lines.map((line) => `${line}\n`).join('');
}
