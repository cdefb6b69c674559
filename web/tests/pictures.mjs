// Pictures of every page, to be looked at: `scripts/test-explorer.sh pictures`. The server holds the social network
// that `make run` loads. Written to RHIZOME_PICTURES; those of the documentation also to RHIZOME_DOCS, if it is set.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, check, close, open, pictures, settled, tasksEnd, until, url } from './harness.mjs';

const GRAPH = 'hugegraph';
const SHAPES = 'explorer_shapes';
const EMPTY = 'explorer_empty';
const docs = process.env.RHIZOME_DOCS ?? '';
const of = (graph, place, values = {}) => `${url}/ui/g/${graph}/${place}#${new URLSearchParams(values)}`;
const at = (place, values) => of(GRAPH, place, values);

async function drop(graph) {
    const { graphs } = JSON.parse(await call('GET', '/graphs'));
    if (graphs.includes(graph)) {
        await call('DELETE', `/graphs/${graph}?confirm_message=${encodeURIComponent("I'm sure to drop the graph")}`);
    }
}

/** A graph with 30 labels, edges side by side and a loop; and an empty one. */
async function shapes() {
    for (const graph of [SHAPES, EMPTY]) {
        await drop(graph);
        await call('POST', `/graphs/${graph}`, {});
    }
    const define = (kind, body) => call('POST', `/graphs/${SHAPES}/schema/${kind}`, body);
    await define('propertykeys', { name: 'name', data_type: 'TEXT' });
    await define('propertykeys', { name: 'nth', data_type: 'INT' });
    for (let n = 0; n < 30; n += 1) {
        await define('vertexlabels', { name: `label${n}`, properties: ['name'], primary_keys: ['name'] });
    }
    for (let n = 1; n < 30; n += 1) {
        const ends = { source_label: `label${Math.floor((n - 1) / 3)}`, target_label: `label${n}` };
        await define('edgelabels', { name: `leads_to_${n}`, ...ends, properties: [] });
    }
    const same = { source_label: 'label0', target_label: 'label0' };
    await define('edgelabels', {
        name: 'calls',
        ...same,
        properties: ['nth'],
        sort_keys: ['nth'],
        frequency: 'MULTIPLE',
    });
    const vertices = ['one', 'two', 'three'].map((name) => ({ label: 'label0', properties: { name } }));
    const ids = JSON.parse(await call('POST', `/graphs/${SHAPES}/graph/vertices/batch`, vertices));
    const edge = (from, to, nth) => {
        const ends = { outV: ids[from], inV: ids[to], outVLabel: 'label0', inVLabel: 'label0' };
        return { label: 'calls', ...ends, properties: { nth } };
    };
    const edges = [edge(0, 1, 1), edge(0, 1, 2), edge(0, 1, 3), edge(1, 0, 4), edge(0, 0, 5), edge(1, 2, 6)];
    await call('POST', `/graphs/${SHAPES}/graph/edges/batch`, edges);
    await tasksEnd(SHAPES);
    return ids;
}

const page_ = (page) => page.locator('main :is(h1, h2)').first().waitFor();
/** Waits until the drawing lies still with at least so many vertices. */
async function still(page, least) {
    await page.locator('[data-stage]').waitFor();
    await until(
        () =>
            page.evaluate((least) => {
                const { explorer } = document.querySelector('[role=application]').rhizome ?? {};
                return explorer && explorer.scene.nodes.size >= least && !explorer.running && explorer.busy === null;
            }, least),
        `${least} vertices lie still`,
        120_000,
    );
}

/** So many vertices and twice as many edges, which are only drawn. */
async function many(page, n) {
    await page.evaluate((n) => {
        const { explorer } = document.querySelector('[role=application]').rhizome;
        const vertices = Array.from({ length: n }, (_, i) => {
            return { key: `"v${i}"`, label: `label${i % 5}`, properties: { name: `vertex ${i}` } };
        });
        const edges = Array.from({ length: 2 * n }, (_, i) => {
            const ends = { source: `"v${i % n}"`, target: `"v${Math.floor(((i * 7919) % n) / 10)}"` };
            return { key: `S${i}`, label: 'edge', ...ends, properties: {} };
        });
        explorer.agreed = true;
        explorer.scene.add({ vertices, edges }, 'many');
        explorer.arrange();
    }, n);
}

const load = (seconds) => ({ graph: SHAPES, scenario: 'mixed', driver: 'closed', users: 4, seconds });
const running = async () => (JSON.parse(await call('GET', '/rhizome/load-tests')).run ?? { stage: 'ended' }).stage;

/** Name, address, what is done before the picture is taken, and whether it belongs to the documentation. */
function places(ids) {
    const drawn = (n) => (page) => still(page, n);
    return {
        overview: [
            at('overview'),
            (page) =>
                // A server with debug assertions may not count so much in its time.
                page
                    .locator('.total')
                    .filter({ hasNotText: /counting|正在/ })
                    .waitFor(),
        ],
        'overview-empty': [of(EMPTY, 'overview')],
        'explore-empty': [at('explore')],
        explore: [at('explore', { tour: 'friends' }), drawn(60), 'explorer-explore.png'],
        'explore-one': [at('explore', { tour: 'person' }), drawn(20)],
        'explore-path': [at('explore', { tour: 'path' }), drawn(3)],
        'explore-hierarchy': [at('explore', { tour: 'places' }), drawn(20)],
        'explore-shapes': [
            of(SHAPES, 'explore', { ids: ids.map((id) => JSON.stringify(id)).join(',') }),
            async (page) => {
                await still(page, 3);
                await page.evaluate(() => document.querySelector('[role=application]').rhizome.explorer.connect());
                await still(page, 3);
            },
        ],
        'explore-2000': [
            of(SHAPES, 'explore'),
            async (page) => {
                await page.locator('[data-stage]').waitFor();
                await many(page, 2000);
                await still(page, 2000);
            },
        ],
        'explore-20000': [
            of(SHAPES, 'explore'),
            async (page) => {
                await page.locator('[data-stage]').waitFor();
                await many(page, 20_000);
                await still(page, 20_000);
            },
        ],
        'explore-table': [
            at('explore', { tour: 'friends', view: 'table' }),
            (page) => page.locator('[data-row]').first().waitFor(),
        ],
        'query-error': [
            at('query', { lang: 'cypher', q: 'MATCH (p:person)-[:person_knows_person]->(f)\nRETRN p, f LIMIT 10' }),
            (page) => page.locator('.cm-lintRange-error').first().waitFor(),
        ],
        'query-table': [
            at('query', {
                lang: 'cypher',
                q: 'MATCH (p:person)-[:person_knows_person]->(f)\nRETURN p.firstName, f.firstName, f.gender LIMIT 20',
            }),
            async (page) => {
                await page.locator('button.primary').click();
                await page.getByRole('cell').first().waitFor();
            },
        ],
        'query-graph': [
            at('query', {
                lang: 'cypher',
                q: 'MATCH (p:person)-[k:person_knows_person]->(f)-[l:person_isLocatedIn_place]->(c)\nRETURN p, k, f, l, c LIMIT 40',
                view: 'graph',
            }),
            async (page) => {
                await page.locator('button.primary').click();
                await still(page, 20);
                await page.evaluate(() => {
                    const { explorer } = document.querySelector('[role=application]').rhizome;
                    explorer.select([explorer.scene.nodes.keys().next().value]);
                });
            },
            'explorer-results.png',
        ],
        'query-row': [
            at('query', {
                lang: 'cypher',
                q: 'MATCH (p:person) RETURN p, p.firstName AS name LIMIT 30;\nMATCH (p:place) RETURN p.name LIMIT 5',
            }),
            async (page) => {
                await page.locator('button.primary').click();
                await page.locator('[role=group] button').filter({ hasText: /^1:/ }).click();
                await page.locator('td button.number').nth(2).click();
                await page.locator('.row-panel').waitFor();
            },
        ],
        'query-plan': [
            at('query', {
                lang: 'gremlin',
                q: "g.V().hasLabel('person').out('person_knows_person').groupCount().by('gender')",
            }),
            async (page) => {
                await page
                    .getByRole('button', { name: /Profile|性能分析|剖析|分析/ })
                    .first()
                    .click();
                await page.locator('.plan tbody tr').first().waitFor();
            },
            'explorer-query.png',
        ],
        data: [
            at('data/vertices/person'),
            async (page) => {
                await page.locator('main [role=row] button, main td button').first().click();
                await page.locator('aside').first().waitFor();
            },
            'explorer-data.png',
        ],
        'data-edges': [at('data/edges/person_knows_person')],
        schema: [at('schema')],
        'schema-30': [of(SHAPES, 'schema')],
        'schema-keys': [at('schema', { view: 'propertykeys' })],
        'schema-label': [at('schema', { view: 'vertexlabels', sel: 'person' })],
        'schema-indexes': [at('schema', { view: 'indexlabels' })],
        import: [at('import')],
        'import-mapping': [
            of(SHAPES, 'import'),
            async (page) => {
                const good = Array.from({ length: 3000 }, (_, n) => `row ${n},${n}`);
                const rows = ['name,nth', ...good, ',1', 'a,b,c'];
                const buffer = Buffer.from(rows.join('\n'));
                await page
                    .locator('input[type=file]')
                    .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer });
                await page.locator('main table').first().waitFor();
                await page.locator('main button.primary').first().click();
                await page.locator('[data-rejected="2"]').waitFor();
                await page.locator('.said').filter({ hasText: /./ }).waitFor();
            },
            'explorer-import.png',
        ],
        tasks: [of(SHAPES, 'tasks')],
        graphs: [`${url}/ui/graphs`],
        metrics: [
            `${url}/ui/metrics`,
            async (page) => {
                if ((await running()) === 'ended') await call('POST', '/rhizome/load-tests', load(8));
                await page.locator('figure canvas').first().waitFor();
                // The table has the load of the test once the page has read the figures again.
                await page
                    .locator('th[scope=row]')
                    .filter({ hasText: /^(GET|POST) \{G\}/ })
                    .first()
                    .waitFor();
            },
        ],
        'load-test-running': [
            `${url}/ui/load-test`,
            async (page) => {
                if ((await running()) === 'ended') await call('POST', '/rhizome/load-tests', load(8));
                await page.reload();
                await page.locator('progress').waitFor();
                await page.locator('figure canvas').first().waitFor({ timeout: 60_000 });
            },
        ],
        'load-test': [
            `${url}/ui/load-test`,
            async (page) => {
                const { run } = JSON.parse(await call('GET', '/rhizome/load-tests'));
                if (run === null) await call('POST', '/rhizome/load-tests', load(8));
                await until(async () => (await running()) === 'ended', 'the load test ends');
                await page.reload();
                await page.locator('figure canvas').first().waitFor();
            },
            'explorer-load-test.png',
        ],
        nothing: [`${url}/ui/nowhere`],
    };
}

/** The login, and pages of a server with users. */
function placesOfUsers() {
    const page = (view) => [`${users}/ui/users#view=${view}`];
    const enter = async (page) => {
        await page.locator('dialog input').first().fill('admin');
        await page
            .locator('dialog input')
            .nth(1)
            .fill(process.env.RHIZOME_ADMIN_PASSWORD ?? '');
        await page.locator('dialog button[type=submit]').click();
        await page.locator('dialog').waitFor({ state: 'detached' });
    };
    return {
        login: [`${users}/ui/g/${GRAPH}/data`, (page) => page.locator('dialog').waitFor()],
        users: [
            `${users}/ui/users`,
            async (page) => {
                await enter(page);
                await page.locator('main table button').filter({ hasText: /^eve$/ }).click();
                await page.locator('main h2').filter({ hasText: /^eve$/ }).waitFor();
            },
            'explorer-users.png',
        ],
        groups: page('groups'),
        targets: page('targets'),
        me: page('me'),
    };
}

/** Users with rights, as a small company has them. */
async function people() {
    const authorization = `Basic ${Buffer.from(`admin:${process.env.RHIZOME_ADMIN_PASSWORD}`).toString('base64')}`;
    const ask = async (path, body) => {
        const init = { method: 'POST', headers: { authorization, 'content-type': 'application/json' } };
        const response = await fetch(users + path, { ...init, body: JSON.stringify(body) });
        const text = await response.text();
        check(response.ok, `${path}: ${response.status} ${text.slice(0, 300)}`);
        return JSON.parse(text);
    };
    const group = await ask('/auth/groups', { group_name: 'analysts', group_description: 'read people and places' });
    const resources = [{ type: 'VERTEX', label: 'person', properties: null }];
    const target = await ask('/auth/targets', {
        target_name: 'people',
        target_graph: GRAPH,
        target_url: '127.0.0.1',
        target_resources: resources,
    });
    await ask('/auth/accesses', { group: group.id, target: target.id, access_permission: 'READ' });
    for (const user_name of ['eve', 'liwei']) {
        const user = await ask('/auth/users', { user_name, user_password: `a secret of ${user_name}` });
        await ask('/auth/belongs', { user: user.id, group: group.id });
    }
}

const users = process.env.RHIZOME_AUTH_URL ?? '';
check(users !== '', 'RHIZOME_AUTH_URL names no server; run scripts/test-explorer.sh pictures');
check(pictures !== '', 'RHIZOME_PICTURES names no folder');
mkdirSync(pictures, { recursive: true });
const ids = await shapes();
await people();
const [only = '', onlyLook = ''] = process.argv.slice(2);
let wrong = 0;

/** One picture; true when it is as it should be. */
async function picture(page, origin, name, look, [address, before, document]) {
    const file = join(pictures, `${name}-${look}.png`);
    try {
        await page.goto('about:blank');
        await page.goto(address);
        await page.locator('main').waitFor();
        if (origin !== users) await page_(page);
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        await before?.(page);
        await settled(page);
        // Charts are drawn in the next frame.
        await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
        if (document !== undefined && docs !== '' && look === 'light-en') {
            await page.screenshot({ path: file });
            copyFileSync(file, join(docs, document));
        }
    } catch (error) {
        wrong += 1;
        console.log(`FAILED  ${name}-${look}: ${error.message}`);
    }
    await page.screenshot({ path: file });
}

const looks = [
    { dark: false, chinese: false, width: 1440, height: 900 },
    { dark: true, chinese: false, width: 1440, height: 900 },
    { dark: false, chinese: true, width: 1440, height: 900 },
    { dark: true, chinese: true, width: 1440, height: 900 },
    { dark: false, chinese: false, width: 1280, height: 720 },
    { dark: false, chinese: true, width: 360, height: 720 },
];
for (const { dark, chinese, width, height } of looks) {
    const theme = `${dark ? 'dark' : 'light'}-${chinese ? 'zh' : 'en'}`;
    const look = width === 1440 ? theme : `${theme}-${width}`;
    if (onlyLook !== '' && !new RegExp(onlyLook).test(look)) continue;
    for (const [origin, all] of [
        [url, places(ids)],
        [users, placesOfUsers()],
    ]) {
        const { page, context, complaints } = await open({ dark, chinese, width, height, origin });
        for (const [name, place] of Object.entries(all)) {
            if (only !== '' && !new RegExp(only).test(name)) continue;
            // The largest once: software WebGL takes its time. In a narrow window the drawing is only to be looked at.
            if (name === 'explore-20000' && look !== 'light-en') continue;
            if (width === 360 && /^(explore-|query-graph|groups|targets|me)/.test(name)) continue;
            await picture(page, origin, name, look, place);
        }
        if (complaints.length > 0) {
            wrong += 1;
            console.log(complaints.join('\n'));
        }
        await context.close();
    }
}
await close();
console.log(wrong === 0 ? `the pictures are in ${pictures}` : `${wrong} failed; the pictures are in ${pictures}`);
process.exitCode = wrong === 0 ? 0 : 1;
