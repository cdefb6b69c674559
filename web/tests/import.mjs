// The Import page: what explorer.mjs runs beside its own checks.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, check, equal, heap, until, url } from './harness.mjs';

const GRAPH = 'explorer_import';
const ROWS = 100_000;
const at = (...parts) => `${url}/ui/g/${[GRAPH, ...parts].map(encodeURIComponent).join('/')}`;

async function make() {
    const { graphs } = JSON.parse(await call('GET', '/graphs'));
    if (graphs.includes(GRAPH)) {
        await call('DELETE', `/graphs/${GRAPH}?confirm_message=${encodeURIComponent("I'm sure to drop the graph")}`);
    }
    await call('POST', `/graphs/${GRAPH}`, {});
    const define = (kind, body) => call('POST', `/graphs/${GRAPH}/schema/${kind}`, body);
    for (const [name, data_type] of Object.entries({ name: 'TEXT', age: 'INT', weight: 'DOUBLE' })) {
        await define('propertykeys', { name, data_type });
    }
    const person = { name: 'person', properties: ['name', 'age'], primary_keys: ['name'], nullable_keys: ['age'] };
    await define('vertexlabels', person);
    const ends = { source_label: 'person', target_label: 'person' };
    await define('edgelabels', { name: 'knows', ...ends, properties: ['weight'], nullable_keys: ['weight'] });
}

/** Opens the page and gives it a file. */
async function choose(page, file) {
    await page.goto(at('import'));
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('region', { name: 'Preview' }).waitFor();
}

const text = (name, content) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
const count = async (page, name) => Number(await page.locator(`[data-${name}]`).getAttribute(`data-${name}`));
const stored = async (kind, label) => {
    const gremlin = `g.${kind}().hasLabel('${label}').count()`;
    const body = { gremlin, bindings: {}, language: 'gremlin-groovy', aliases: { graph: GRAPH, g: `__g_${GRAPH}` } };
    return JSON.parse(await call('POST', '/gremlin', body)).result.data[0];
};

/** Lets the browser save a file, and gives its text. */
async function saved(page, press) {
    const [file] = await Promise.all([page.waitForEvent('download'), press()]);
    return readFileSync(await file.path(), 'utf8');
}

export const importChecks = {
    async 'import: 100,000 rows with 7 bad ones, busy answers on the way'(page) {
        page.setDefaultTimeout(300_000);
        await make();
        const bad = new Map([
            [3, 'p3,x'],
            [499, 'p499,1.5'],
            [500, 'p500'],
            [777, ',7'],
            [50_000, 'p50000,1,2'],
            [99_998, 'p99998,99999999999'],
            [99_999, 'p99999,many'],
        ]);
        const rows = Array.from({ length: ROWS }, (_, n) => bad.get(n) ?? `p${n},${n % 90}`);
        let sent = 0;
        await page.route('**/graph/vertices/batch*', (route) => {
            sent += 1;
            if (sent % 40 !== 7) return route.continue();
            const body = '{"exception":"X","message":"busy","cause":""}';
            return route.fulfill({
                status: 503,
                headers: { 'retry-after': '1' },
                contentType: 'application/json',
                body,
            });
        });
        await choose(page, text('people.csv', `name,age\n${rows.join('\n')}\n`));
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        let before = 0;
        await until(
            async () => {
                const now = await page.evaluate(() => document.querySelector('progress')?.value ?? 0);
                check(now >= before, `the progress fell from ${before} to ${now}`);
                before = now;
                return (await page.getByText('Finished in').count()) > 0;
            },
            'the import ends',
            300_000,
        );
        equal(await count(page, 'read'), ROWS, 'rows read');
        equal(await count(page, 'stored'), ROWS - 7, 'rows stored');
        equal(await count(page, 'rejected'), 7, 'rows rejected');
        equal(await stored('V', 'person'), ROWS - 7, 'vertices in the graph');
        await page.getByText(/the server was busy \d+ times/).waitFor();
        const reasons = await saved(page, () => page.getByRole('button', { name: 'Save rows and reasons' }).click());
        const lines = reasons.trim().split('\n').slice(1);
        equal(lines.length, 7, 'reasons');
        const found = lines.map((line) => Number(line.split(',')[0])).sort((a, b) => a - b);
        equal(
            found,
            [...bad.keys()].map((n) => n + 2),
            'the lines that are rejected',
        );
        check(reasons.includes('column age has no value of type INT'), reasons);
        const again = await saved(page, () => page.getByRole('button', { name: 'Save these rows' }).click());
        equal(again.split('\n')[0], 'name,age', 'the header of the rejected rows');
    },

    async 'import: edges by the keys of their ends, and what refers to nobody'(page) {
        await make();
        const people = ['ann', 'b!b:b', '人'].map((name) => ({ label: 'person', properties: { name } }));
        await call('POST', `/graphs/${GRAPH}/graph/vertices/batch`, people);
        const lines = [
            '{"from":"ann","to":"b!b:b","weight":0.5}',
            '{"from":"人","to":"ann"}',
            '{"from":"ann","to":"who"}',
            'x',
        ];
        await choose(page, text('edges.jsonl', lines.join('\n')));
        await page.getByLabel('Each row becomes').selectOption('edge');
        await page.getByText('From: person').waitFor();
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByText('Finished in').waitFor();
        equal(await count(page, 'stored'), 2, 'edges stored');
        equal(await count(page, 'rejected'), 2, 'rows rejected');
        equal(await stored('E', 'knows'), 2, 'edges in the graph');
        await page.getByRole('cell', { name: 'the line is not JSON' }).waitFor();
        const mapping = JSON.parse(
            await saved(page, () => page.getByRole('button', { name: 'Save the mapping' }).click()),
        );
        equal(mapping.structs[0].edges[0].source, 'from', 'the source of the mapping');
        await page.getByRole('link', { name: 'Show the data' }).click();
        await page.getByText('2 shown, that is all').waitFor();
    },

    async 'import: a minute of rows, during which the page answers'(page) {
        page.setDefaultTimeout(120_000);
        await make();
        const folder = mkdtempSync(join(tmpdir(), 'explorer-import-'));
        try {
            const path = join(folder, 'people.csv');
            writeFileSync(path, 'name,age\n');
            // More than any machine stores in a minute.
            for (let part = 0; part < 40; part += 1) {
                const rows = Array.from({ length: ROWS }, (_, n) => `m${part * ROWS + n},${n % 90}`);
                appendFileSync(path, `${rows.join('\n')}\n`);
            }
            await choose(page, path);
            await page.getByRole('button', { name: 'Import', exact: true }).click();
            await page.locator('progress').waitFor();
            await until(async () => (await count(page, 'stored')) > 0, 'rows');
            const end = Date.now() + 60_000;
            let [stored, value, opened, most] = [0, 0, 0, 0];
            while (Date.now() < end) {
                // Everything of the page works meanwhile.
                await page.keyboard.press('Control+k');
                await page.getByRole('combobox', { name: 'Find anything' }).fill('person');
                await page.getByRole('listbox', { name: 'Find anything' }).getByRole('option').first().waitFor();
                await page.keyboard.press('Escape');
                await page.getByRole('combobox', { name: 'Find anything' }).waitFor({ state: 'detached' });
                opened += 1;
                await until(async () => (await count(page, 'stored')) > stored, `more than ${stored} rows are stored`);
                const progress = Number(await page.locator('progress').getAttribute('value'));
                check(progress >= value, `the progress fell from ${value} to ${progress}`);
                [stored, value] = [await count(page, 'stored'), progress];
                most = Math.max(most, await heap(page));
                check(most < 300e6, `the heap has ${most} bytes`);
            }
            check(opened > 0, 'the page was not used within the minute');
            equal(await count(page, 'rejected'), 0, 'rows rejected');
            await page.getByRole('button', { name: 'Cancel' }).first().click();
            await page.getByText('Cancelled.').waitFor();
            const used = `used ${opened} times, at most ${Math.round(most / 1e6)} MB of heap`;
            console.log(`        ${stored} rows in a minute, ${used}`);
        } finally {
            rmSync(folder, { recursive: true });
        }
    },

    async 'import: cancelled, and a file of 1.2 GB in little memory'(page) {
        await make();
        const many = Array.from({ length: ROWS }, (_, n) => `p${n},${n % 90}`).join('\n');
        // The server takes ten batches and does not answer the others: the import cannot end before it is cancelled.
        let sent = 0;
        const isBatch = (address) => address.pathname.endsWith('/graph/vertices/batch');
        await page.route(isBatch, (route) => {
            sent += 1;
            return sent > 10 ? undefined : route.continue();
        });
        await choose(page, text('people.csv', `name,age\n${many}\n`));
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await until(
            async () => (await page.locator('[data-stored]').count()) > 0 && (await count(page, 'stored')) === 5000,
            'the rows of ten batches are stored',
        );
        await page.getByRole('button', { name: 'Cancel' }).first().click();
        await page.getByText('Cancelled.').waitFor();
        equal(await count(page, 'stored'), 5000, 'rows that the page says are stored');
        equal(await stored('V', 'person'), 5000, 'vertices in the graph');
        await page.unroute(isBatch);
        const folder = mkdtempSync(join(tmpdir(), 'explorer-import-'));
        try {
            const path = join(folder, 'large.csv');
            writeFileSync(path, `name,age\n${Array.from({ length: 5000 }, (_, n) => `q${n},1`).join('\n')}\n`);
            execFileSync('truncate', ['-s', '1200M', path]);
            await choose(page, path);
            await page.getByText('1.2 GiB').waitFor();
            await page.getByRole('button', { name: 'Import', exact: true }).click();
            await page.getByText(/The row in line 5,?002 is longer than 4 MiB/).waitFor();
            equal(await count(page, 'stored'), 5000, 'rows before the broken one');
            const bytes = await heap(page);
            check(bytes < 300e6, `the heap has ${bytes} bytes`);
        } finally {
            rmSync(folder, { recursive: true });
        }
    },
};
