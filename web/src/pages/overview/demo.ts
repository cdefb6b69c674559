// A small social network for a graph that is empty: people, where they live, whom they know. Labels and properties are
// those of the network that `make run` loads, so that the same first views fit it.
import { base } from '../../api/graph';
import { send } from '../../api/client';
import type { Value } from '../../api/json';

const FIRST =
    'Ada,Bao,Carla,Dawit,Emma,Farid,Grace,Hana,Ivan,Jan,Kemi,Li,Mei,Noor,Olga,Pablo,Qi,Rosa,Sven,Tariq,Uma,Wei'.split(
        ',',
    );
const LAST =
    'Abebe,Braun,Chen,Diaz,Eriksen,Fofana,Gupta,Huang,Ito,Jansen,Khan,Lopez,Müller,Nguyen,Okafor,Popov,Wang,Zhao'.split(
        ',',
    );
const BROWSERS = ['Firefox', 'Chrome', 'Safari', 'Edge'];
const PLACES: readonly (readonly [name: string, type: string, within: string])[] = [
    ['Asia', 'continent', ''],
    ['Europe', 'continent', ''],
    ['China', 'country', 'Asia'],
    ['India', 'country', 'Asia'],
    ['Germany', 'country', 'Europe'],
    ['Spain', 'country', 'Europe'],
    ['上海', 'city', 'China'],
    ['成都', 'city', 'China'],
    ['Pune', 'city', 'India'],
    ['Leipzig', 'city', 'Germany'],
    ['Köln', 'city', 'Germany'],
    ['Sevilla', 'city', 'Spain'],
];
export const PEOPLE = 160;

interface Element {
    label: string;
    properties: Record<string, Value>;
    [part: string]: unknown;
}

/** Numbers from 0 below `n` that are the same each time. */
function numbers(): (n: number) => number {
    let state = 42;
    return (n) => {
        // The constants of Numerical Recipes; the upper bits are the better ones.
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * n);
    };
}

/** Vertices and edges; ends of edges are places in the list of vertices. */
export function network(): {
    vertices: Element[];
    edges: { label: string; from: number; to: number; since?: string }[];
} {
    const random = numbers();
    const vertices: Element[] = PLACES.map(([name, type]) => ({ label: 'place', properties: { name, type } }));
    const at = new Map(PLACES.map(([name], i) => [name, i]));
    const edges: { label: string; from: number; to: number; since?: string }[] = [];
    PLACES.forEach(([, , within], from) => {
        const to = at.get(within);
        if (to !== undefined) edges.push({ label: 'place_isPartOf_place', from, to });
    });
    const cities = PLACES.flatMap(([, type], i) => (type === 'city' ? [i] : []));
    const pick = <T>(all: readonly T[]): T => all[random(all.length)]!;
    const home: number[] = [];
    for (let n = 0; n < PEOPLE; n += 1) {
        const year = 1960 + random(45);
        const properties = {
            id: n + 1,
            firstName: pick(FIRST),
            lastName: pick(LAST),
            birthday: `${year}-0${1 + random(9)}-1${random(10)}`,
            browserUsed: pick(BROWSERS),
        };
        const city = pick(cities);
        home.push(city);
        edges.push({ label: 'person_isLocatedIn_place', from: vertices.length, to: city });
        vertices.push({ label: 'person', properties });
    }
    // Everybody knows some who came before; whoever is known is met more often, most of all in the same city.
    const known: number[] = [0];
    const pairs = new Set<string>();
    for (let n = 1; n < PEOPLE; n += 1) {
        for (let k = 0; k < 1 + random(4); k += 1) {
            let other = random(4) === 0 ? random(n) : pick(known);
            for (let turn = 0; turn < 4 && home[other] !== home[n]; turn += 1) other = random(n);
            const pair = `${other} ${n}`;
            if (other >= n || pairs.has(pair)) continue;
            pairs.add(pair);
            known.push(other, n);
            const since = `20${10 + random(15)}-0${1 + random(9)}-1${random(10)}`;
            edges.push({ label: 'person_knows_person', from: PLACES.length + n, to: PLACES.length + other, since });
        }
    }
    return { vertices, edges };
}

/** Defines the schema of the network in a graph without labels, and stores it. */
export async function loadDemo(graph: string): Promise<void> {
    const path = base(graph);
    const define = (kind: string, body: object): Promise<Value> => send('POST', `${path}/schema/${kind}`, { body });
    const types = { id: 'LONG', firstName: 'TEXT', lastName: 'TEXT', birthday: 'DATE', browserUsed: 'TEXT' };
    for (const [name, data_type] of Object.entries({ ...types, name: 'TEXT', type: 'TEXT', since: 'DATE' })) {
        await define('propertykeys', { name, data_type });
    }
    await define('vertexlabels', { name: 'person', properties: Object.keys(types), primary_keys: ['id'] });
    await define('vertexlabels', { name: 'place', properties: ['name', 'type'], primary_keys: ['name'] });
    const edgeLabels = [
        ['person_knows_person', 'person', 'person', ['since']],
        ['person_isLocatedIn_place', 'person', 'place', []],
        ['place_isPartOf_place', 'place', 'place', []],
    ] as const;
    for (const [name, source_label, target_label, properties] of edgeLabels) {
        await define('edgelabels', { name, source_label, target_label, properties });
    }
    const { vertices, edges } = network();
    const ids = await send<Value[]>('POST', `${path}/graph/vertices/batch`, { body: vertices });
    const label = (at: number): string => vertices[at]?.label ?? '';
    const rows = edges.map(({ label: name, from, to, since }) => ({
        label: name,
        outV: ids[from],
        outVLabel: label(from),
        inV: ids[to],
        inVLabel: label(to),
        properties: since === undefined ? {} : { since },
    }));
    // No more than the server takes at once.
    for (let at = 0; at < rows.length; at += 500) {
        await send('POST', `${path}/graph/edges/batch`, { body: rows.slice(at, at + 500) });
    }
}
