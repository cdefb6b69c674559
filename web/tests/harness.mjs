// What the checks of the explorer share: a browser whose every complaint is a failure, and the server's API.
import { request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const url = process.env.RHIZOME_URL;
if (url === undefined) throw new Error('RHIZOME_URL names no server; run scripts/test-explorer.sh pages');
export const pictures = process.env.RHIZOME_PICTURES ?? '';

export const axe = createRequire(import.meta.url)('axe-core').source;

/** Fails with a text unless a condition holds. */
export function check(condition, text) {
    if (!condition) throw new Error(text);
}

/** Fails unless both are the same text. */
export function equal(found, wanted, text = '') {
    check(String(found) === String(wanted), `${text} is ${String(found).slice(0, 500)}, not ${String(wanted)}`);
}

/** Sends a request to the API; gives the text of the answer, and fails on an error status. */
export async function call(method, path, body) {
    const init = { method, headers: { 'content-type': 'application/json' } };
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url + path, init);
    const text = await response.text();
    check(response.ok, `${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text;
}

/** A GET with exactly these headers, undecoded. */
export function get(path, headers = {}) {
    return new Promise((resolve, reject) => {
        const sent = httpRequest(url + path, { headers }, (response) => {
            const pieces = [];
            response.on('data', (piece) => pieces.push(piece));
            response.on('end', () =>
                resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) }),
            );
        });
        sent.on('error', reject);
        sent.end();
    });
}

/** How long a condition is waited for: many times what it takes on two slow cores that have other work too. */
export const PATIENCE_MS = 90_000;

/** Waits until a condition holds. */
export async function until(condition, text, ms = PATIENCE_MS) {
    const end = Date.now() + ms;
    for (;;) {
        // Asked once more after the deadline, so that it is not missed where the question itself takes long.
        const isLate = Date.now() >= end;
        if (await condition()) return;
        check(!isLate, `not within ${ms} ms: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/** Waits until the tasks of a graph have ended. */
export async function tasksEnd(graph) {
    await until(async () => {
        const { tasks } = JSON.parse(await call('GET', `/graphs/${graph}/tasks`));
        return tasks.every((task) => ['success', 'failed', 'cancelled'].includes(task.task_status.toLowerCase()));
    }, `the tasks of ${graph} end`);
}

let browser;

/** Opens a window; `complaints` collects what the browser finds wrong. */
export async function open({ dark = false, chinese = false, width = 1280, height = 720, origin = url } = {}) {
    browser ??= await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        // No name leads anywhere: what the pages need must be in the binary.
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        locale: chinese ? 'zh-CN' : 'en-US',
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
        // Chromium writes this for every answer that is an error; the checks that provoke one look at what is shown.
        if (message.text().startsWith('Failed to load resource')) return;
        // Software WebGL is slow where it reads pixels, and says so.
        if (message.text().includes('GL Driver Message')) return;
        if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
    });
    page.on('request', (sent) => {
        const address = new URL(sent.url());
        if (['http:', 'https:', 'ws:', 'wss:'].includes(address.protocol) && address.origin !== origin) {
            complaints.push(`a request to another host: ${sent.url()}`);
        }
    });
    await page.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) =>
            console.error(
                `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
            ),
        );
    });
    return { page, context, complaints };
}

export async function close() {
    await browser?.close();
}

/** The bytes that a page's objects hold, after those that nothing refers to any more are gone. */
export async function heap(page) {
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    await session.detach();
    return usedSize;
}

/** Waits until a page has no request under way and shows nothing that stands for what is still to come. */
export async function settled(page) {
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    // Pages that ask again and again have pauses; a page that never has one is looked at as it is.
    await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
    await page.locator('.skeleton').waitFor({ state: 'detached' });
}

/** Where a drawn vertex is in the window, as soon as it is at the same place in several frames. */
export function place(page, id) {
    return page.evaluate(async (key) => {
        const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
        const root = document.querySelector('[role=application]');
        const now = () => {
            const { explorer, stage } = root.rhizome;
            const { x, y } = stage.screen(explorer.scene.nodes.get(key));
            const box = root.getBoundingClientRect();
            return { x: box.x + x, y: box.y + y };
        };
        let last = now();
        for (let same = 0; same < 3;) {
            await frame();
            const { x, y } = now();
            same = x === last.x && y === last.y ? same + 1 : 0;
            last = { x, y };
        }
        return last;
    }, JSON.stringify(id));
}

/** What axe finds wrong with a page, as one text. */
export async function audit(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    return found.violations
        .map((one) => `${one.id} (${one.help}): ${one.nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`)
        .join('\n');
}
