// Checks of several pages that explorer.mjs runs beside its own.
import { readFileSync } from 'node:fs';
import { PEOPLE } from './fixtures.mjs';
import { audit, call, check, equal, open, place, until, url } from './harness.mjs';

const at = (...parts) => `${url}/ui/g/${[PEOPLE, ...parts].map(encodeURIComponent).join('/')}`;
const state = (values) => `#${new URLSearchParams(values)}`;

/** Lets the browser save a file; gives its name and its bytes. */
async function saved(page, press) {
    const [file] = await Promise.all([page.waitForEvent('download'), press()]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

/** What the page Explore holds; null while it is being made. */
const explorer = (page, what) =>
    page.evaluate((what) => {
        const explorer = document.querySelector('[role=application]')?.rhizome?.explorer;
        if (!explorer) return null;
        const nodes = [...explorer.scene.nodes.values()];
        if (what === 'count') return nodes.length;
        if (what === 'running') return explorer.running || explorer.busy !== null;
        if (what === 'colours') return nodes.map((node) => explorer.looks().node(node).color);
        return [...explorer.scene.selection];
    }, what);

async function drawn(page, vertices) {
    await page.locator('[data-stage]').waitFor();
    await until(
        async () => (await explorer(page, 'count')) === vertices && !(await explorer(page, 'running')),
        `${vertices} vertices are drawn`,
    );
}

export const moreChecks = {
    async 'everything is found by its name, by keyboard'(page) {
        await page.goto(at('overview'));
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        await page.keyboard.press('Control+k');
        const field = page.getByRole('combobox', { name: 'Find anything' });
        await field.fill('person data');
        // Labels are offered once the schema is read.
        await page
            .locator('[role=option]:first-child .kind')
            .filter({ hasText: /^data$/ })
            .waitFor();
        await page.keyboard.press('Enter');
        await page.getByText('50 shown, there are more').waitFor();
        check(page.url().endsWith('/data/vertices/person'), page.url());
        await page.keyboard.press('Control+k');
        await field.fill('metr');
        await page.getByRole('option', { name: /Metrics/ }).click();
        await page.getByRole('heading', { name: 'Metrics' }).waitFor();
        await page.keyboard.press('Control+k');
        await field.fill('1:person007');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('Enter');
        await drawn(page, 1);
        equal(await explorer(page, 'selection'), '"1:person007"', 'the selection');
        // The page is the same; what it shows is not.
        await page.keyboard.press('Control+k');
        await field.fill('1:person008');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('Enter');
        await until(async () => String(await explorer(page, 'selection')) === '"1:person008"', 'another vertex');
        await page.keyboard.press('Control+k');
        await page.keyboard.press('Escape');
        await field.waitFor({ state: 'detached' });
    },

    async 'queries: a mistake in Gremlin is underlined, its plan is a tree'(page) {
        await page.goto(
            at('query') + state({ lang: 'gremlin', q: "g.V().hasLabel('person').\n  outt('knows').limit(3)" }),
        );
        await page.locator('.cm-lintRange-error').filter({ hasText: 'outt' }).waitFor();
        await page.goto(at('query') + state({ lang: 'gremlin', q: "g.V().hasLabel('person').repeat(out()).times(2)" }));
        await page.reload();
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByRole('columnheader', { name: 'Operator' }).waitFor();
        check((await page.locator('.plan tbody tr').count()) >= 2, 'the plan has less than two lines');
        equal(await page.locator('.cm-lintRange-error').count(), 0, 'underlined words of a text that is right');
    },

    async 'a query runs, is ended by somebody else, and stays among the slow ones'(page) {
        const slow = "g.V().as('a').V().as('b').V().as('c').V().as('d').where('a', neq('d')).count()";
        const aliases = { graph: PEOPLE, g: `__g_${PEOPLE}` };
        const body = { gremlin: slow, bindings: {}, language: 'gremlin-groovy', aliases };
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
        const ended = fetch(`${url}/gremlin`, init).then((response) => response.status);
        await page.goto(at('tasks'));
        const end = page.getByRole('button', { name: /^End query \d+/ });
        await end.waitFor();
        // It is one of the slow ones only after it has run that long.
        const age = async () => {
            const { queries } = JSON.parse(await call('GET', `/graphs/${PEOPLE}/queries`));
            return queries.find(({ gremlin }) => gremlin === slow)?.age_ms ?? 0;
        };
        const { slow_query_ms } = JSON.parse(await call('GET', `/rhizome/queries/slow?graph=${PEOPLE}`));
        await until(async () => (await age()) > slow_query_ms, 'the query is slow');
        await end.click();
        check((await ended) >= 400, 'the query was answered');
        await end.waitFor({ state: 'detached' });
        const line = page.locator('details').filter({ hasText: "where('a', neq('d'))" }).first();
        await line.locator('summary').click();
        await line.getByText('Final Plan').waitFor();
    },

    async 'graphs: modes, compaction, a snapshot and back'(page) {
        await page.goto(`${url}/ui/graphs`);
        await page.getByRole('button', { name: `Upkeep: ${PEOPLE}` }).click();
        await page.getByLabel('Mode', { exact: true }).selectOption('LOADING');
        await page.getByText('properties that must be there may be missing').waitFor();
        equal(JSON.parse(await call('GET', `/graphs/${PEOPLE}/mode`)).mode, 'LOADING', 'the mode');
        await page.getByLabel('Mode', { exact: true }).selectOption('NONE');
        await page.getByText('Ordinary work.').waitFor();
        await page.getByRole('button', { name: 'Compact' }).click();
        await page.getByText(/^Compacted in/).waitFor();
        await page.getByRole('button', { name: 'Make a snapshot' }).click();
        await page.getByText(/^The snapshot was made in/).waitFor();
        const vertex = { label: 'person', properties: { name: 'after the snapshot', age: 1 } };
        const { id } = JSON.parse(await call('POST', `/graphs/${PEOPLE}/graph/vertices`, vertex));
        await page.getByRole('button', { name: 'Go back to the snapshot' }).click();
        await page.getByRole('dialog').getByRole('textbox').fill(PEOPLE);
        await page.getByRole('dialog').getByRole('button').first().click();
        await page.getByText('The graph is as it was').waitFor();
        const path = `/graphs/${PEOPLE}/graph/vertices/${encodeURIComponent(JSON.stringify(id))}`;
        equal((await fetch(url + path)).status, 404, 'the vertex that came later');
    },

    async 'explore: edited in place, saved as a scene, exported as PNG, SVG, CSV and JSON'(page) {
        await page.goto(at('explore') + state({ ids: '1:person020,1:person021', sel: '1:person020' }));
        await drawn(page, 2);
        await page.getByRole('complementary', { name: 'Selection' }).getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('city').fill('Erfurt');
        await page.getByRole('button', { name: 'Save', exact: true }).last().click();
        await until(
            async () =>
                (await call('GET', `/graphs/${PEOPLE}/graph/vertices/${encodeURIComponent('"1:person020"')}`)).includes(
                    'Erfurt',
                ),
            'the city is stored',
        );
        await page.getByRole('button', { name: 'Edit' }).waitFor();
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('two of them');
        await page.getByRole('button', { name: 'Save', exact: true }).first().click();
        await page.getByRole('button', { name: /^two of them/ }).waitFor();
        const exporting = (what) => saved(page, () => page.getByLabel('Export').selectOption(what));
        const png = await exporting('png');
        equal(png.bytes.subarray(1, 4).toString(), 'PNG', 'the first bytes of the picture');
        const svg = (await exporting('svg')).bytes.toString();
        check(svg.includes('<svg') && svg.includes('person020'), svg.slice(0, 300));
        const json = JSON.parse((await exporting('json')).bytes.toString());
        check(JSON.stringify(json).includes('Erfurt'), 'the JSON is without the city');
        const graphson = (await exporting('graphson')).bytes
            .toString()
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
        equal(graphson.map(({ label }) => label).join(), 'person,person', 'the labels in GraphSON');
        const csv = (await exporting('csvVertices')).bytes.toString();
        check(csv.includes('Erfurt') && csv.trim().split(/\r?\n/).length === 3, csv);
        // The scene comes back by its name, from everywhere.
        await page.goto(at('overview'));
        await page.getByRole('link', { name: /^two of them/ }).click();
        await drawn(page, 2);
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Find anything' }).fill('two of');
        await page.getByRole('option', { name: /two of them/ }).waitFor();
        await page.keyboard.press('Escape');
    },

    async 'explore: a scene that is kept on the server is there for another browser'(page) {
        const list = async () => {
            const told = JSON.parse(await call('GET', `/rhizome/documents?graph=${PEOPLE}&kind=scene`));
            return told.documents.map(({ name }) => name);
        };
        for (const name of await list()) {
            await call('DELETE', `/rhizome/document?graph=${PEOPLE}&kind=scene&name=${encodeURIComponent(name)}`);
        }
        await page.goto(at('explore') + state({ ids: '1:person030,1:person031,1:person032' }));
        await drawn(page, 3);
        const scenes = page.getByRole('complementary', { name: 'Add' });
        await scenes.getByRole('textbox', { name: 'Name', exact: true }).fill('for all / 人');
        await scenes.getByRole('textbox', { name: 'Note' }).fill('three <b>people</b>');
        await scenes.getByLabel('Where it is kept').selectOption('server');
        await scenes.getByRole('button', { name: 'Save', exact: true }).click();
        await scenes.getByText('for everybody, by anonymous').waitFor();
        equal(await list(), ['for all / 人'], 'the scenes of the server');
        const other = await open();
        try {
            await other.page.goto(at('overview'));
            await other.page.getByRole('link', { name: /^for all .*three <b>people/ }).click();
            await drawn(other.page, 3);
            await other.page.getByRole('button', { name: 'Remove for all / 人' }).click();
            await until(async () => (await list()).length === 0, 'the scene is gone');
            equal(other.complaints.join('\n'), '', 'complaints');
        } finally {
            await other.context.close();
        }
    },

    async 'explore: arrows and names are left out where drawing is slow, and come back'(page) {
        const ids = Array.from({ length: 30 }, (_, n) => `1:person${String(n + 40).padStart(3, '0')}`);
        await page.goto(at('explore') + state({ ids: ids.join(',') }));
        await drawn(page, 30);
        await page.getByRole('button', { name: 'Fit' }).click();
        // A window in which every frame takes long, as on a machine without a graphics card.
        await page.evaluate(() => {
            const request = window.requestAnimationFrame.bind(window);
            window.requestAnimationFrame = (draw) =>
                request((now) => {
                    const end = performance.now() + 70;
                    while (performance.now() < end);
                    draw(now);
                });
        });
        const box = await page.locator('[role=application]').boundingBox();
        await page.mouse.move(box.x + box.width / 2, box.y + 20);
        // What the page says and does is noted within it: how soon after another this window sees it differs.
        await page.evaluate(() => {
            const { explorer } = document.querySelector('[role=application]').rhizome;
            window.levels = [];
            setInterval(() => {
                if (explorer.plain === (window.levels.at(-1)?.plain ?? 0)) return;
                window.levels.push({ plain: explorer.plain, notice: explorer.notice });
            }, 5);
        });
        const plain = () => page.evaluate(() => document.querySelector('[role=application]').rhizome.explorer.plain);
        let by = 20;
        await until(async () => {
            by = -by;
            await page.mouse.wheel(0, by);
            return (await plain()) === 2;
        }, 'names are left out');
        const levels = await page.evaluate(() => window.levels);
        equal(levels.map((one) => one.plain).join(' '), '1 2', 'what was left out, in turn');
        check(levels[0].notice.includes('so edges have no arrows.'), `first it said: ${levels[0].notice}`);
        await page.getByText('names appear for what is selected').first().waitFor();
        const shown = () =>
            page.evaluate(() => {
                const { overlay, drawOverlay } = document.querySelector('[role=application]').rhizome;
                drawOverlay();
                return overlay.shown;
            });
        await until(async () => (await shown()) === 0, 'no names');
        await page.getByRole('button', { name: 'Draw all again' }).click();
        await until(async () => (await shown()) > 0, 'the names are back');
        equal(await plain(), 0, 'what is left out');
    },

    async 'queries: the selection alone runs, and favourites go to a file and back'(page) {
        await page.goto(at('query') + state({ lang: 'cypher', q: 'RETURN 1 AS one' }));
        await page.locator('.cm-content').click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type('\nRETURN 2 AS two');
        await page.keyboard.press('Shift+Home');
        await page.keyboard.press('Control+Enter');
        await page.getByRole('columnheader', { name: 'two' }).waitFor();
        const text = await page.locator('.cm-content').textContent();
        check(text.includes('RETURN 1'), `the editor has ${text}`);
        await page.getByRole('button', { name: 'Keep as favourite' }).click();
        const { name, bytes } = await saved(page, () =>
            page.getByRole('button', { name: 'Save favourites to a file' }).click(),
        );
        equal(name, 'favourites.json', 'the name of the file');
        await page.getByRole('button', { name: /^Remove: RETURN 1/ }).click();
        await page.getByText('None yet. Favourites are kept').waitFor();
        const give = (buffer) =>
            page
                .locator('input[type=file]')
                .setInputFiles({ name: 'favourites.json', mimeType: 'application/json', buffer });
        await give(Buffer.from('[]'));
        await page.getByText('This file has no favourites of this page.').waitFor();
        await give(bytes);
        await page.getByRole('button', { name: /^Remove: RETURN 1/ }).waitFor();
        // With a name and in a folder, also in the file and after a reload.
        await page.getByRole('button', { name: /^Name and folder: RETURN 1/ }).click();
        await page.getByLabel('Name', { exact: true }).fill('first <b>steps</b>');
        await page.getByLabel('Folder', { exact: true }).fill('for / 新人');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.locator('summary').filter({ hasText: 'for / 新人 1' }).waitFor();
        const again = await saved(page, () => page.getByRole('button', { name: 'Save favourites to a file' }).click());
        const [favourite] = JSON.parse(again.bytes.toString()).queries;
        equal(`${favourite.folder}: ${favourite.name}`, 'for / 新人: first <b>steps</b>', 'the favourite in the file');
        await page.reload();
        await page.locator('details').getByRole('button', { name: 'Use first <b>steps</b>' }).waitFor();
        await page.getByRole('button', { name: 'Remove: first <b>steps</b>' }).click();
        await page.getByText('None yet. Favourites are kept').waitFor();
        await give(again.bytes);
        await page.locator('summary').filter({ hasText: 'for / 新人 1' }).waitFor();
    },

    async 'queries: several statements run one after another, up to the one that fails'(page) {
        const cypher = (statement) => call('POST', `/db/${PEOPLE}/query/v2`, { statement });
        const three =
            "RETURN 'a;b' AS one;\nMATCH (n:person {name: 'person044'}) SET n.city = 'Gera';\nRETURN 3 AS three;";
        await page.goto(at('query') + state({ lang: 'cypher', q: three }));
        await page.getByRole('button', { name: 'Run' }).click();
        await page.getByRole('columnheader', { name: 'three' }).waitFor();
        await page.getByRole('button', { name: 'Statement 1', exact: true }).click();
        await page.getByRole('cell', { name: 'a;b' }).waitFor();
        check(
            (await cypher("MATCH (n:person {name: 'person044'}) RETURN n.city")).includes('Gera'),
            'nothing was stored',
        );
        const broken = `${three}\nRETURN 1 / 0 AS never;\nMATCH (n:person {name: 'person044'}) SET n.city = 'Suhl'`;
        await page.goto(at('query') + state({ lang: 'cypher', q: broken }));
        await page.reload();
        await page.getByRole('button', { name: 'Run' }).click();
        await page.getByText('Statement 4 of 5 failed.').waitFor();
        check(
            (await cypher("MATCH (n:person {name: 'person044'}) RETURN n.city")).includes('Gera'),
            'the last one ran',
        );
        // Where it is wrong is shown in the statement it is about.
        await page.goto(at('query') + state({ lang: 'cypher', q: 'RETURN 1;\n\nMATCH (n) RETRN n' }));
        await page.reload();
        await page.locator('.cm-lintRange-error').filter({ hasText: 'RETRN' }).waitFor();
    },

    async 'overview: an empty graph takes the demo, which the first view shows'(page) {
        const graph = 'explorer_demo';
        const { graphs } = JSON.parse(await call('GET', '/graphs'));
        const drop = () =>
            call('DELETE', `/graphs/${graph}?confirm_message=${encodeURIComponent("I'm sure to drop the graph")}`);
        if (graphs.includes(graph)) await drop();
        await call('POST', `/graphs/${graph}`, {});
        await page.goto(`${url}/ui/g/${graph}/overview`);
        await page.getByRole('button', { name: 'Load a small demo' }).click();
        await page.locator('[data-stage]').waitFor();
        const isThere = async () => (await explorer(page, 'count')) > 40 && !(await explorer(page, 'running'));
        await until(isThere, 'friends of the demo are drawn');
        await page.goto(`${url}/ui/g/${graph}/overview`);
        await page.getByText(/^172 vertices, \d+ edges/).waitFor();
        await drop();
    },

    async 'queries: a result is a drawing that expands, and rows are copied whole'(page) {
        const text = "MATCH (a:person {name: 'person001'})-[r:knows]->(b) RETURN a, r, b";
        await page.goto(at('query') + state({ lang: 'cypher', q: text, view: 'graph' }));
        await page.getByRole('button', { name: 'Run' }).click();
        await drawn(page, 2);
        await page
            .locator('[data-drawn]')
            .filter({ hasText: /^2 .* 1 / })
            .waitFor();
        const { x, y } = await place(page, '1:person000');
        await page.mouse.dblclick(x, y);
        await drawn(page, 4);
        await page.getByText('1:person000', { exact: true }).waitFor();
        check(
            (await page.getByRole('link', { name: 'Open in Explore' }).getAttribute('href')).includes('#ids='),
            'no link',
        );
        await page.getByRole('button', { name: 'Table', exact: true }).click();
        await page.getByRole('button', { name: 'Row 1', exact: true }).click();
        await page.getByRole('button', { name: 'Copy row as JSON' }).click();
        await page.getByText('Copied: Row 1').waitFor();
        const row = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
        equal(`${row.a.elementId} ${row.r.type} ${row.b.elementId}`, '1:person001 knows 1:person000', 'the copied row');
        await page.getByRole('button', { name: 'Copy: b' }).click();
        await page.getByText('Copied: b').waitFor();
        const one = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
        equal(one.properties.name, 'person000', 'the copied value');
        const json = await saved(page, () => page.getByRole('button', { name: 'Save as JSON' }).click());
        equal(JSON.parse(json.bytes.toString()).length, 1, 'rows in the file');
        const found = await audit(page);
        check(found === '', found);
    },

    async 'load test: started from the page, watched, cancelled, reported'(page) {
        page.setDefaultTimeout(180_000);
        await page.goto(`${url}/ui/load-test`);
        const panel = page.locator('section').filter({ hasText: 'A test by this server' }).first();
        await panel.getByRole('combobox', { name: 'Scenario' }).selectOption('single-vertex');
        await panel.getByRole('combobox', { name: 'Graph' }).selectOption(PEOPLE);
        await panel.getByRole('spinbutton', { name: 'Users' }).fill('2');
        await panel.getByRole('spinbutton', { name: 'Seconds' }).fill('600');
        await panel.getByRole('button', { name: 'Start' }).click();
        await panel.getByText(/requests, 0 errors so far/).waitFor();
        // Another window sees it too.
        await page.reload();
        await panel.getByText(/requests, 0 errors so far/).waitFor();
        await panel.locator('figure canvas').first().waitFor();
        await panel.getByRole('button', { name: 'Cancel' }).click();
        await panel.getByText('The run was interrupted.').waitFor();
        await panel.getByRole('spinbutton', { name: 'Seconds' }).fill('2');
        await panel.getByRole('button', { name: 'Start' }).click();
        await panel.getByText('The run was interrupted.').waitFor({ state: 'detached' });
        const cells = panel.getByRole('row').filter({ hasText: 'single-vertex' }).getByRole('cell');
        await cells.first().waitFor();
        check(Number((await cells.nth(2).textContent()).replaceAll(',', '')) > 0, 'there are no samples');
        const report = await saved(page, () => panel.getByRole('button', { name: 'Save the report' }).click());
        check(report.bytes.toString().includes('<!DOCTYPE html>'), 'the report is no page');
        const results = await saved(page, () => panel.getByRole('button', { name: 'Save results.json' }).click());
        equal(JSON.parse(results.bytes.toString()).format_version, 1, 'the version of the file');
        await page.locator('input[type=file]').setInputFiles({
            name: 'results.json',
            mimeType: 'application/json',
            buffer: results.bytes,
        });
        await until(
            async () => (await page.getByRole('row').filter({ hasText: 'single-vertex' }).count()) === 2,
            'both',
        );
        const { edgelabels } = JSON.parse(await call('GET', `/graphs/${PEOPLE}/schema`));
        equal(edgelabels.map(({ name }) => name).join(), 'knows', 'the labels of the graph after the tests');
    },

    async 'metrics: the charts show what was before the page was opened'(page) {
        const moments = async () => JSON.parse(await call('GET', '/rhizome/metrics/series')).at_s.length;
        await until(async () => (await moments()) > 2, 'the server has noted figures');
        // A rate of the page's own needs a second reading, which it does not get.
        let asked = 0;
        await page.route(
            ({ pathname }) => pathname === '/metrics',
            (route) => {
                asked += 1;
                return asked > 1 ? undefined : route.continue();
            },
        );
        await page.goto(`${url}/ui/metrics`);
        const figure = page.locator('dl div').first().locator('dd');
        await until(async () => /\d/.test((await figure.textContent()) ?? ''), 'a rate at once');
    },

    async 'explore: what an algorithm finds is shown by colour and size'(page) {
        await page.goto(at('explore') + state({ label: 'person' }));
        await drawn(page, 50);
        const before = await explorer(page, 'colours');
        await page.getByLabel('Algorithm').selectOption('pagerank');
        await page.getByRole('button', { name: 'Analyse' }).click();
        await page.locator('[data-figure="50"]').waitFor();
        const after = await explorer(page, 'colours');
        check(new Set(after).size > 1 && String(after) !== String(before), `the colours are ${after}`);
        await page.getByText(/^50 of 50 drawn vertices have a value/).waitFor();
        await page.getByLabel('Algorithm').selectOption('algo.louvain');
        await page.getByRole('button', { name: 'Analyse' }).click();
        await page.getByRole('heading', { name: 'Communities (Louvain)' }).waitFor();
        const groups = await explorer(page, 'colours');
        check(new Set(groups).size > 1 && String(groups) !== String(after), `the colours of groups are ${groups}`);
        await page.getByRole('button', { name: 'Back to the styles' }).click();
        equal(await explorer(page, 'colours'), before, 'the colours of the styles');
    },

    async 'explore: the tools are one row at 1280 pixels'(page) {
        await page.goto(at('explore') + state({ ids: '1:person020' }));
        await drawn(page, 1);
        const tools = page.getByRole('toolbar').first().locator('button, select');
        const tops = await tools.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
        check(tops.length > 5 && Math.max(...tops) - Math.min(...tops) < 8, `the tops of the tools are ${tops}`);
    },

    async 'load test: a command is made, results are shown'(page) {
        await page.goto(`${url}/ui/load-test`);
        const form = page.locator('section').filter({ hasText: 'The command for a test from another machine' });
        await form.getByLabel('Scenario').selectOption('batch-edge');
        await form.getByLabel('Users').fill('7');
        await page
            .getByText(`rhizome bench run --url ${url} --scenario batch-edge --driver closed --concurrency 7`)
            .waitFor();
        const series = [0, 1, 2].map((second) => ({
            second,
            completed: 90 + second,
            errors: 0,
            mean_us: 900,
            p99_us: 2100,
        }));
        const row = {
            driver: 'closed',
            concurrency: 7,
            offered_per_s: null,
            duration_s: 3,
            samples: 273,
            cut_short: false,
        };
        const times = {
            mean_us: 900,
            min_us: 300,
            max_us: 9000,
            p50_us: 800,
            p90_us: 1500,
            p95_us: 1800,
            p99_us: 2100,
        };
        const rates = { error_percent: 0, throughput_per_s: 91, kb_per_s: 12.5, elements_per_s: 91, errors: [] };
        const whole = { ...row, ...times, p999_us: 4000, ...rates, series, series_bucket_s: 1 };
        const results = {
            format_version: 1,
            tool_version: '1',
            started_at: '2026-01-01T00:00:00Z',
            command_line: 'rhizome bench run',
            target: { url, product: 'Rhizome', version: '1', engine: 'memory', durability: null },
            machine: { cpu_model: 'A processor', cores: 2, memory_bytes: 1 << 30, os: 'Linux' },
            scenarios: [{ name: 'batch-edge', point: '', rows: [whole], peak: null, failure: null, notes: [] }],
            interrupted: false,
        };
        const file = (value) => ({ name: 'results.json', mimeType: 'application/json', buffer: Buffer.from(value) });
        await page.locator('input[type=file]').setInputFiles(file('{}'));
        await page.getByText('This is no results.json of rhizome bench').waitFor();
        await page.locator('input[type=file]').setInputFiles(file(JSON.stringify(results)));
        const cells = page.getByRole('row').filter({ hasText: 'batch-edge' }).getByRole('cell');
        await cells.first().waitFor();
        const found = (await cells.allTextContents()).map((one) => one.trim()).join(' ');
        equal(found, '7  273 0.9 0.3 0.8 1.5 1.8 2.1 4 9 0 91 12.5', 'the figures');
        await page.locator('canvas').first().waitFor();
    },

    async 'the files in the binary keep to their budget'() {
        const manifest = JSON.parse(readFileSync(new URL('../dist/manifest.json', import.meta.url), 'utf8'));
        const inBinary = manifest.reduce(
            (sum, file) => sum + (file.br === undefined ? file.bytes : file.br + file.gz),
            0,
        );
        check(inBinary > 100_000 && inBinary <= 1_200_000, `the binary holds ${inBinary} bytes, above 1,200,000`);
        const size = (file) => file.gz ?? file.bytes;
        const renderer = manifest.filter(({ path }) => /(Explore|Inspector|renderer|layout)/.test(path));
        const explore = renderer.reduce((sum, file) => sum + size(file), 0);
        check(explore > 50_000 && explore <= 260_000, `Explore adds ${explore} bytes, above 260,000`);
    },
};
