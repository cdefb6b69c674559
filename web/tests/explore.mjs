// The Explore page: what explorer.mjs runs beside its own checks.
import { execFileSync } from 'node:child_process';
import { call, check, equal, heap, open, place, tasksEnd, until, url } from './harness.mjs';

const STAR = 'explorer_star';
/** Neighbours of the vertex in the middle: three pages. */
const RAYS = 120;
const HUB = '1:hub';
const at = (values = {}) => `${url}/ui/g/${STAR}/explore#${new URLSearchParams(values)}`;
const ray = (n) => `1:ray${String(n).padStart(3, '0')}`;
const key = (id) => JSON.stringify(id);

/** A star, with two edges side by side, a loop, and one vertex that only a ray leads to. */
async function star() {
    const { graphs } = JSON.parse(await call('GET', '/graphs'));
    if (graphs.includes(STAR)) {
        await call('DELETE', `/graphs/${STAR}?confirm_message=${encodeURIComponent("I'm sure to drop the graph")}`);
    }
    await call('POST', `/graphs/${STAR}`, {});
    const define = (kind, body) => call('POST', `/graphs/${STAR}/schema/${kind}`, body);
    for (const [name, data_type] of Object.entries({ name: 'TEXT', age: 'INT', nth: 'INT' })) {
        await define('propertykeys', { name, data_type });
    }
    await define('vertexlabels', { name: 'person', properties: ['name', 'age'], primary_keys: ['name'] });
    const ends = { source_label: 'person', target_label: 'person' };
    await define('edgelabels', { name: 'knows', ...ends, properties: [] });
    const often = { properties: ['nth'], sort_keys: ['nth'], frequency: 'MULTIPLE' };
    await define('edgelabels', { name: 'calls', ...ends, ...often });
    const names = ['hub', 'far', ...Array.from({ length: RAYS }, (_, n) => `ray${String(n).padStart(3, '0')}`)];
    const vertices = names.map((name, age) => ({ label: 'person', properties: { name, age } }));
    await call('POST', `/graphs/${STAR}/graph/vertices/batch`, vertices);
    const edge = (label, outV, inV, properties = {}) => {
        return { label, outV, inV, outVLabel: 'person', inVLabel: 'person', properties };
    };
    const edges = Array.from({ length: RAYS }, (_, n) => edge('knows', HUB, ray(n)));
    edges.push(edge('knows', ray(7), '1:far'), edge('calls', ray(1), ray(2), { nth: 1 }));
    edges.push(edge('calls', ray(1), ray(2), { nth: 2 }), edge('calls', ray(1), ray(1), { nth: 3 }));
    await call('POST', `/graphs/${STAR}/graph/edges/batch`, edges);
    await tasksEnd(STAR);
}
let made = false;

/** Opens the page with these vertices and waits until they lie still. */
async function explore(page, ids, values = {}) {
    if (!made) await star();
    made = true;
    await page.goto(at({ ...(ids.length > 0 && { ids: ids.join(',') }), ...values }));
    await page.locator('[data-stage]').waitFor();
    await still(page, ids.length);
}

/** Waits until so many vertices are drawn and nothing moves. */
async function still(page, vertices) {
    await until(async () => {
        const now = await state(page);
        return now.nodes.length === vertices && !now.running && !now.busy && (await counts(page))[0] === vertices;
    }, `${vertices} vertices are drawn`);
}

/** What the page holds. */
function state(page) {
    return page.evaluate(() => {
        const { explorer, stage } = document.querySelector('[role=application]').rhizome;
        const { nodes, edges, selection, filter, expansions } = explorer.scene.save();
        const line = (list) => list.map((one) => JSON.stringify(one)).sort();
        return {
            nodes: nodes.map(({ vertex }) => vertex.key).sort(),
            edges: edges.map(({ edge }) => edge.key).sort(),
            whole: { nodes: line(nodes), edges: line(edges), expansions: line(expansions), filter: line(filter) },
            places: nodes.map(({ vertex, x, y }) => `${vertex.key} ${Math.round(x)} ${Math.round(y)}`).sort(),
            selection: [...selection],
            foreground: [...explorer.foreground()].sort(),
            running: explorer.running,
            busy: explorer.busy !== null,
            layout: explorer.layout,
            colours: [...explorer.scene.nodes.values()].map((node) => explorer.looks().node(node).color),
            kind: stage.kind,
        };
    });
}

/** Vertices and edges as the bar below the drawing says. */
async function counts(page) {
    const text = await page.locator('[data-drawn]').textContent();
    return text.match(/\d[\d,]*/g).map((digits) => Number(digits.replaceAll(',', '')));
}

/** Requests to the API while something is done. */
async function requests(page, work) {
    const sent = [];
    const note = (request) => {
        if (!new URL(request.url()).pathname.startsWith('/ui/')) sent.push(request.url());
    };
    page.on('request', note);
    await work();
    page.off('request', note);
    return sent;
}

async function doubleClick(page, id) {
    const { x, y } = await place(page, id);
    await page.mouse.dblclick(x, y);
}

/** The expanded star: the first 50 of its rays. */
async function expanded(page) {
    await explore(page, [HUB]);
    await doubleClick(page, HUB);
    await still(page, 51);
}

export const exploreChecks = {
    async 'explore: a double click expands by 50, counts all, and gets to the end in two requests each'(page) {
        await explore(page, [HUB]);
        const kout = await call(
            'GET',
            `/graphs/${STAR}/traversers/kout?source=${encodeURIComponent(key(HUB))}&max_depth=1`,
        );
        const all = JSON.parse(kout).vertices;
        // A vertex that is shown alone is selected, and its neighbours are counted a moment later: that is over first.
        const isCounted = (key) => {
            const { explorer } = document.querySelector('[role=application]').rhizome;
            return explorer.scene.degrees(key) !== null && explorer.scene.degrees(key) !== undefined;
        };
        await until(() => page.evaluate(isCounted, key(HUB)), 'the neighbours are counted');
        let sent = await requests(page, async () => {
            await doubleClick(page, HUB);
            await still(page, 51);
        });
        check(sent.length <= 2, `a double click made ${sent.length} requests: ${sent.join(' ')}`);
        await page.locator('[data-of]').getByText(`50 of ${all.length} neighbours`).waitFor();
        for (const shown of [100, all.length]) {
            const before = new Set((await state(page)).nodes);
            sent = await requests(page, async () => {
                await page.locator('[data-of] + button').click();
                await still(page, shown + 1);
            });
            check(sent.length <= 2, `more made ${sent.length} requests`);
            const after = (await state(page)).nodes;
            equal(after.filter((one) => before.has(one)).length, before.size, 'what was drawn before');
        }
        const drawn = new Set((await state(page)).nodes);
        check(
            all.every((one) => drawn.has(key(one))),
            'not all neighbours of kout are drawn',
        );
        await page.locator('[data-of]').waitFor({ state: 'detached' });
    },

    async 'explore: collapse, undo and redo restore the scene exactly'(page) {
        await explore(page, [HUB, ray(3)]);
        const first = await state(page);
        await doubleClick(page, HUB);
        await still(page, 51);
        const second = await state(page);
        await page.getByRole('button', { name: 'Collapse' }).click();
        await still(page, 2);
        equal((await state(page)).whole.edges, first.whole.edges, 'the collapsed scene');
        await page.getByRole('button', { name: 'Undo' }).click();
        await still(page, 51);
        equal(JSON.stringify((await state(page)).whole), JSON.stringify(second.whole), 'the scene after undo');
        await page.getByRole('button', { name: 'Undo' }).click();
        await still(page, 2);
        equal(JSON.stringify((await state(page)).whole), JSON.stringify(first.whole), 'the scene after two');
        await page.getByRole('button', { name: 'Redo' }).click();
        await still(page, 51);
        equal(JSON.stringify((await state(page)).whole), JSON.stringify(second.whole), 'the scene done again');
    },

    async 'explore: the legend counts what is drawn, filters, and styles by property last'(page) {
        await explore(page, [ray(1), ray(2)]);
        await page.getByRole('button', { name: 'Connect' }).click();
        await until(async () => (await counts(page))[1] === 3, 'parallel edges and the loop');
        equal((await page.locator('[data-legend="vertex person"]').textContent()).trim(), '2', 'drawn persons');
        equal((await page.locator('[data-legend="edge calls"]').textContent()).trim(), '3', 'drawn calls');
        await page.getByRole('button', { name: 'Hide or show calls' }).click();
        await until(async () => (await counts(page))[1] === 0, 'no edges are left');
        await page.getByRole('button', { name: 'Hide or show calls' }).click();
        await until(async () => (await counts(page))[1] === 3, 'edges are back');
        await page.getByRole('button', { name: 'Style of person' }).click();
        const plain = (await state(page)).colours;
        await page.getByLabel('Colour by').selectOption('age');
        const scaled = (await state(page)).colours;
        check(scaled[0] !== scaled[1], `both colours are ${scaled[0]}`);
        check(String(plain) !== String(scaled), 'the colours are as before');
        await until(() => page.url().includes('scene='), 'the address holds the scene');
        await page.reload();
        await page.locator('[data-stage]').waitFor();
        await still(page, 2);
        equal((await state(page)).colours, scaled, 'the colours after reload');
    },

    async 'explore: the shortest path is that of the API, in the foreground and listed'(page) {
        await explore(page, [ray(3), '1:far']);
        const query = new URLSearchParams({ source: key(ray(3)), target: key('1:far'), max_depth: '5' });
        const { path } = JSON.parse(await call('GET', `/graphs/${STAR}/traversers/shortestpath?${query}`));
        await page.evaluate(
            (keys) => {
                document.querySelector('[role=application]').rhizome.explorer.select(keys);
            },
            [key(ray(3)), key('1:far')],
        );
        await page.locator('[role=application]').focus();
        await page.keyboard.press('p');
        await page.locator('[data-path]').waitFor();
        equal(await page.locator('[data-path]').getAttribute('data-path'), path.join(' '), 'the path');
        await still(page, path.length);
        const { foreground } = await state(page);
        check(
            path.every((id) => foreground.includes(key(id))),
            `in the foreground: ${foreground.join(' ')}`,
        );
        equal(foreground.length, 2 * path.length - 1, 'vertices and edges in the foreground');
        await page.keyboard.press('Escape');
        equal((await state(page)).foreground.length, 0, 'the foreground after Escape');
    },

    async 'explore: an address shows the same scene in another browser'(page) {
        await expanded(page);
        await page.getByRole('button', { name: 'Pin', exact: true }).click();
        await page.getByLabel('Layout', { exact: true }).selectOption('radial');
        await still(page, 51);
        // What is copied is the scene as it is now, whatever the address still says.
        await page.getByLabel('Export').selectOption('link');
        await page.getByText('The link is in the clipboard.').first().waitFor();
        const link = await page.evaluate(() => navigator.clipboard.readText());
        check(link.startsWith(`${url}/ui/g/${STAR}/explore#`), `the link is ${link}`);
        await until(() => page.url() === link, 'the address is the same');
        const here = await state(page);
        const other = await open();
        const sent = await requests(other.page, async () => {
            await other.page.goto(link);
            await other.page.locator('[data-stage]').waitFor();
            await still(other.page, 51);
        });
        const there = await state(other.page);
        for (const part of ['nodes', 'edges', 'places', 'selection', 'layout']) equal(there[part], here[part], part);
        equal(there.whole.expansions, here.whole.expansions, 'how far it is expanded');
        check(
            sent.every((one) => !/\bjobs\b/.test(one)),
            'a link started a task',
        );
        equal(other.complaints.join('\n'), '', 'complaints');
        await other.context.close();
    },

    async 'explore: of 1,000 late answers in any order the last asked for is shown'(page) {
        await explore(page, [HUB]);
        await page.evaluate(async () => {
            const { explorer } = document.querySelector('[role=application]').rhizome;
            const real = window.fetch;
            // Answers come late and in any order, and nobody can end these requests.
            window.fetch = async (address) => {
                await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
                const id = decodeURIComponent(String(address).split('/').at(-1)).slice(1, -1);
                return new Response(JSON.stringify({ id, label: 'person', type: 'vertex', properties: { name: id } }));
            };
            const all = Array.from({ length: 1000 }, (_, n) => explorer.addKeys([JSON.stringify(`late${n}`)]));
            await Promise.all(all);
            window.fetch = real;
        });
        await still(page, 2);
        const { nodes } = await state(page);
        equal(nodes.join(' '), `${key(HUB)} "late999"`, 'what is drawn');
    },

    async 'explore: an action copied as curl gives the same answer in a shell'(page) {
        await explore(page, [ray(3), '1:far']);
        await page.locator('[role=application]').focus();
        await page.evaluate(
            (keys) => {
                document.querySelector('[role=application]').rhizome.explorer.select(keys);
            },
            [key(ray(3)), key('1:far')],
        );
        await page.keyboard.press('p');
        await page.locator('[data-path]').waitFor();
        await page.locator('footer').getByLabel('Copy as').selectOption('curl');
        let command = '';
        await until(async () => {
            command = await page.evaluate(() => navigator.clipboard.readText());
            return command.startsWith('curl ') && command.includes('/shortestpath');
        }, 'the command is in the clipboard');
        const answer = JSON.parse(execFileSync('bash', ['-c', `${command} -sS`], { encoding: 'utf8' }));
        equal(answer.path.join(' '), await page.locator('[data-path]').getAttribute('data-path'), 'the path');
    },

    async 'explore: everything by the keyboard alone'(page) {
        await explore(page, []);
        await page.locator('body').press('/');
        await page.keyboard.type(HUB);
        await page.keyboard.press('Enter');
        await still(page, 1);
        await page.locator('[role=application]').focus();
        equal((await state(page)).selection, key(HUB), 'the selection');
        await page.keyboard.press('e');
        await still(page, 51);
        await page.keyboard.press('ArrowRight');
        const [neighbour] = (await state(page)).selection;
        check(neighbour !== key(HUB), 'the arrow led nowhere');
        await page.locator('[role=status]', { hasText: 'person ray' }).waitFor({ state: 'attached' });
        await page.keyboard.press('x');
        await until(async () => (await counts(page))[0] === 50, 'one vertex is hidden');
        await page.keyboard.press('Control+z');
        await until(async () => (await counts(page))[0] === 51, 'it is back');
        await page.keyboard.press('i');
        equal((await state(page)).selection.length, 50, 'the inverted selection');
        await page.keyboard.press('Escape');
        equal((await state(page)).selection.length, 0, 'the selection after Escape');
        await page.keyboard.press('t');
        const row = page.locator(`[data-row='${key(HUB)}']`);
        await row.getByRole('checkbox').focus();
        await page.keyboard.press('Space');
        equal((await state(page)).selection, key(HUB), 'the selection of the table');
        await page.locator('body').press('t');
        await page.locator('[role=application]').focus();
        await page.keyboard.press('Shift+E');
        await still(page, 1);
        await page.keyboard.press('?');
        await page.getByRole('dialog').getByText('shortest path').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
    },

    async 'explore: the tools are one row where there is room'(page) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await explore(page, [HUB]);
        const tools = page.getByRole('toolbar').first().getByRole('button');
        const tops = await tools.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
        check(tops.length > 5 && new Set(tops).size === 1, `the tops of the tools are ${tops}`);
    },

    async 'explore: an id with every digit and hostile texts stay what they are'(page) {
        await explore(page, [HUB]);
        const hit = await page.evaluate(() => {
            const { explorer } = document.querySelector('[role=application]').rhizome;
            const script = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
            explorer.scene.add(
                {
                    vertices: [{ key: '9223372036854775807', label: script, properties: { name: script } }],
                    edges: [
                        { key: 'Sx', label: script, source: '"1:hub"', target: '9223372036854775807', properties: {} },
                    ],
                },
                script,
            );
            explorer.select(['9223372036854775807']);
            return window.hit;
        });
        equal(hit, undefined, 'window.hit');
        equal(await page.locator('[data-id]').textContent(), '9223372036854775807', 'the id');
        equal(await page.evaluate(() => window.hit), undefined, 'window.hit');
        check(
            (await page.locator('aside').first().textContent()).includes('<script>window.hit=1'),
            'not shown literally',
        );
    },

    async 'explore: 20,000 vertices and 40,000 edges keep to their bounds'(page) {
        page.setDefaultTimeout(180_000);
        await explore(page, []);
        if ((await state(page)).kind !== 'webgl') throw new Error('this browser draws without WebGL2');
        await page.evaluate(() => {
            const { explorer } = document.querySelector('[role=application]').rhizome;
            const n = 20_000;
            const name = (i) => String.fromCodePoint(0x4e00 + ((i * 7) % 6000), 0x4e00 + ((i * 13) % 6000));
            const vertices = Array.from({ length: n }, (_, i) => {
                return { key: `"v${i}"`, label: `label${i % 5}`, properties: { name: name(i) } };
            });
            const edges = Array.from({ length: 2 * n }, (_, i) => {
                const ends = { source: `"v${i % n}"`, target: `"v${(i * 7919 + 13) % n}"` };
                return { key: `S${i}`, label: 'edge', ...ends, properties: {} };
            });
            explorer.agreed = true;
            explorer.scene.add({ vertices, edges }, 'many');
            explorer.arrange();
        });
        const running = () =>
            page.evaluate(() => document.querySelector('[role=application]').rhizome.explorer.running);
        await until(async () => (await counts(page))[0] === 20_000, '20,000 vertices are drawn', 180_000);
        await until(async () => !(await running()), 'the layout has stopped', 180_000);
        const shown = await page.evaluate(() => {
            const { overlay, drawOverlay } = document.querySelector('[role=application]').rhizome;
            drawOverlay();
            return overlay.shown;
        });
        const hides = () => page.evaluate(() => document.querySelector('[role=application]').rhizome.stage.hidesEdges);
        check(await hides(), 'edges are drawn while the view moves');
        const bytes = await heap(page);
        check(bytes <= 250e6, `the heap has ${bytes} bytes`);
        check(shown > 0 && shown <= 200, `${shown} labels are drawn`);
    },
};
