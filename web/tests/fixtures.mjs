// Two graphs: people, and one whose every name and value tries to become code.
import { call, tasksEnd } from './harness.mjs';

export const PEOPLE = 'explorer_people';
export const HOSTILE = 'explorer_hostile';
export const PERSONS = 130;
export const SCRIPT = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
export const NAME = `<img src=x onerror="window.hit=1" a='`;
export const BIG = '9223372036854775807';
export const LABEL = `人 <b '"&%/\\`;

async function define(graph, kind, body) {
    await call('POST', `/graphs/${graph}/schema/${kind}`, body);
}

async function people() {
    await call('POST', `/graphs/${PEOPLE}`, {});
    const keys = { name: 'TEXT', age: 'INT', city: 'TEXT', since: 'DATE', visits: 'LONG' };
    for (const [name, data_type] of Object.entries(keys)) await define(PEOPLE, 'propertykeys', { name, data_type });
    await define(PEOPLE, 'vertexlabels', {
        name: 'person',
        properties: ['name', 'age', 'city', 'visits'],
        primary_keys: ['name'],
        nullable_keys: ['city', 'visits'],
    });
    await define(PEOPLE, 'edgelabels', {
        name: 'knows',
        source_label: 'person',
        target_label: 'person',
        properties: ['since'],
        nullable_keys: ['since'],
    });
    await define(PEOPLE, 'indexlabels', {
        name: 'personByAge',
        base_type: 'VERTEX_LABEL',
        base_value: 'person',
        index_type: 'RANGE',
        fields: ['age'],
    });
    const names = Array.from({ length: PERSONS }, (_, at) => `person${String(at).padStart(3, '0')}`);
    const vertices = names.map((name, at) => ({
        label: 'person',
        properties: { name, age: at % 80, city: 'Leipzig' },
    }));
    const ids = JSON.parse(await call('POST', `/graphs/${PEOPLE}/graph/vertices/batch`, vertices));
    const edges = ids.slice(1).map((id, at) => ({
        label: 'knows',
        outV: id,
        inV: ids[Math.floor(at / 3)],
        outVLabel: 'person',
        inVLabel: 'person',
        properties: { since: '2020-01-01 00:00:00.000' },
    }));
    await call('POST', `/graphs/${PEOPLE}/graph/edges/batch`, edges);
}

async function hostile() {
    await call('POST', `/graphs/${HOSTILE}`, {});
    for (const name of ['text', NAME]) await define(HOSTILE, 'propertykeys', { name, data_type: 'TEXT' });
    await define(HOSTILE, 'propertykeys', { name: 'number', data_type: 'LONG' });
    const properties = ['text', NAME, 'number'];
    await define(HOSTILE, 'vertexlabels', {
        name: LABEL,
        id_strategy: 'CUSTOMIZE_NUMBER',
        properties,
        nullable_keys: properties,
    });
    await define(HOSTILE, 'edgelabels', {
        name: `e${NAME}`,
        source_label: LABEL,
        target_label: LABEL,
        properties: [],
    });
    const label = JSON.stringify(LABEL);
    const vertex = (id, values) =>
        call('POST', `/graphs/${HOSTILE}/graph/vertices`, `{"id":${id},"label":${label},"properties":${values}}`);
    await vertex(BIG, JSON.stringify({ text: SCRIPT, [NAME]: `\u202egnp.exe "quoted" 100% {{x}}` }));
    await vertex('1', JSON.stringify({ text: 'x'.repeat(1_000_000) }));
    await vertex('2', JSON.stringify({ text: 'javascript:window.hit=1', [NAME]: '=cmd|calc' }));
    await vertex('-9223372036854775808', `{"text":"中文","number":${BIG}}`);
}

/** Makes the graphs anew. */
export async function make() {
    const { graphs } = JSON.parse(await call('GET', '/graphs'));
    for (const graph of [PEOPLE, HOSTILE].filter((name) => graphs.includes(name))) {
        await call('DELETE', `/graphs/${graph}?confirm_message=${encodeURIComponent("I'm sure to drop the graph")}`);
    }
    await people();
    await hostile();
    await tasksEnd(PEOPLE);
}
