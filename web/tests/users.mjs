// Login, users and rights, against a server of its own with users in it (RHIZOME_AUTH_URL, RHIZOME_ADMIN_PASSWORD).
import { audit, check, equal, open, pictures, until } from './harness.mjs';

const server = process.env.RHIZOME_AUTH_URL;
const password = process.env.RHIZOME_ADMIN_PASSWORD ?? '';
const GRAPH = 'hugegraph';

/** Sends a request with the administrator's password. */
async function ask(method, path, body) {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    const init = { method, headers: { authorization, 'content-type': 'application/json' } };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(server + path, init);
    const text = await response.text();
    check(response.ok, `${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return text === '' ? null : JSON.parse(text);
}

/** A window on that server; the work's complaints are failures. */
async function within(work, options = {}) {
    check(server, 'RHIZOME_AUTH_URL names no server; run scripts/test-explorer.sh pages');
    const { page, context, complaints } = await open({ origin: server, ...options });
    try {
        await work(page, context);
        equal(complaints.join('\n'), '', 'complaints');
    } catch (error) {
        if (pictures !== '') await page.screenshot({ path: `${pictures}/failed-users.png` }).catch(() => undefined);
        throw error;
    } finally {
        await context.close();
    }
}

/** Logs in; `isIn` waits until the page is there. */
async function logIn(page, name, secret, isIn = true) {
    const login = page.getByRole('dialog', { name: 'Log in' });
    await login.getByLabel('Name').fill(name);
    await login.getByLabel('Password').fill(secret);
    await login.getByRole('button', { name: 'Log in' }).click();
    if (isIn) await login.waitFor({ state: 'detached' });
    return login;
}

/** A graph with people in it, once. */
async function people() {
    const { propertykeys } = await ask('GET', `/graphs/${GRAPH}/schema`);
    if (propertykeys.length > 0) return;
    await ask('POST', `/graphs/${GRAPH}/schema/propertykeys`, { name: 'name', data_type: 'TEXT' });
    for (const name of ['person', 'secret']) {
        await ask('POST', `/graphs/${GRAPH}/schema/vertexlabels`, {
            name,
            properties: ['name'],
            primary_keys: ['name'],
        });
        const vertices = ['ann', 'bob'].map((of) => ({ label: name, properties: { name: of } }));
        await ask('POST', `/graphs/${GRAPH}/graph/vertices/batch`, vertices);
    }
}

const data = `/ui/g/${GRAPH}/data/vertices/person`;

export const userChecks = {
    async 'login: wrong, right, kept by a reload, kept from scripts, ended by a logout elsewhere'() {
        await people();
        await within(async (page, context) => {
            await page.goto(server + data);
            let login = await logIn(page, 'admin', 'wrong password', false);
            await login.getByText('Name or password is wrong.').waitFor();
            equal((await context.cookies()).length, 0, 'cookies after a wrong password');
            login = await logIn(page, 'admin', password);
            await page.getByText('2 shown, that is all').waitFor();
            await login.waitFor({ state: 'detached' });
            const [cookie, ...others] = await context.cookies();
            equal(others.length, 0, 'further cookies');
            equal(`${cookie.name} ${cookie.httpOnly} ${cookie.sameSite}`, 'rhizome_session true Strict', 'the cookie');
            const kept = await page.evaluate(
                () => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie,
            );
            check(!kept.includes(password) && !kept.includes(cookie.value), `the browser keeps ${kept}`);
            await page.reload();
            await page.getByText('2 shown, that is all').waitFor();
            equal(await page.getByRole('dialog').count(), 0, 'dialogs after a reload');

            // What a page of another site can have sent is without the header, and changes nothing.
            const forged = { method: 'DELETE', headers: { cookie: `rhizome_session=${cookie.value}` } };
            const path = `/graphs/${GRAPH}/graph/vertices/${encodeURIComponent('"1:bob"')}?label=person`;
            equal((await fetch(server + path, forged)).status, 401, 'a cookie without the header of pages');
            const foreign = { ...forged.headers, 'x-rhizome-ui': '1', origin: 'http://evil.example' };
            equal((await fetch(server + path, { ...forged, headers: foreign })).status, 403, 'another origin');

            const second = await context.newPage();
            await second.goto(server + data);
            await second.getByText('2 shown, that is all').waitFor();
            await second.getByRole('button', { name: 'Log out: admin' }).click();
            await second.getByRole('dialog', { name: 'Log in' }).waitFor();
            equal((await context.cookies()).length, 0, 'cookies after the logout');
            const headers = { cookie: `rhizome_session=${cookie.value}`, 'x-rhizome-ui': '1' };
            equal((await fetch(`${server}/graphs`, { headers })).status, 401, 'the copied cookie after the logout');
            await second.close();
            await page.getByRole('link', { name: 'Schema' }).click();
            await page.getByRole('dialog', { name: 'Log in' }).waitFor();
        });
    },

    async 'login: a session that ends amid work comes back without a loss'() {
        await people();
        await within(async (page, context) => {
            await page.goto(`${server}/ui/g/${GRAPH}/query`);
            await logIn(page, 'admin', password);
            await page.getByRole('button', { name: 'Gremlin' }).click();
            // The check of the text would ask for the login too, at any moment: it is over first.
            const checked = page.waitForResponse((response) => response.url().endsWith('/rhizome/gremlin/check'));
            await page.locator('.cm-content').fill("g.V().hasLabel('person').count()");
            await checked;
            await context.clearCookies();
            await page.getByRole('button', { name: 'Run' }).click();
            const login = await logIn(page, 'admin', password);
            await login.waitFor({ state: 'detached' });
            const text = await page.locator('.cm-content').textContent();
            check(text.includes('hasLabel'), `the editor has ${text}`);
            await page.getByRole('button', { name: 'Run' }).click();
            await page.getByText('1 row in').waitFor();
        });
    },

    async 'users: a right from its making to what it lets see'() {
        await people();
        for (const [kind, name] of [
            ['targets', 'persons'],
            ['groups', 'readers'],
            ['users', 'eve'],
        ]) {
            const all = (await ask('GET', `/auth/${kind}?limit=-1`))[kind];
            const old = all.find((one) => Object.values(one).includes(name));
            if (old) await ask('DELETE', `/auth/${kind}/${encodeURIComponent(old.id)}`);
        }
        await within(async (page) => {
            await page.goto(`${server}/ui/users`);
            await logIn(page, 'admin', password);
            await page.getByLabel('Name').fill('eve');
            await page.getByLabel('Password').fill('a secret of eve');
            await page.getByRole('button', { name: 'Create', exact: true }).click();
            await page.getByRole('button', { name: 'Show: eve' }).waitFor();
            await page.getByRole('button', { name: 'Groups', exact: true }).click();
            await page.getByLabel('Name').fill('readers');
            await page.getByRole('button', { name: 'Create', exact: true }).click();
            await page.getByRole('button', { name: 'Show: readers' }).waitFor();
            await page.getByRole('button', { name: 'Targets', exact: true }).click();
            await page.getByLabel('Name').fill('persons');
            await page.getByLabel('Kind').selectOption('VERTEX');
            await page.getByRole('textbox', { name: 'Label' }).fill('person');
            await page.getByRole('button', { name: 'Create', exact: true }).click();
            await page.getByRole('cell', { name: 'VERTEX person' }).waitFor();
            await page.getByRole('button', { name: 'Groups', exact: true }).click();
            await page.getByRole('button', { name: 'Show: readers' }).click();
            await page.getByLabel('Target').selectOption({ label: 'persons' });
            await page.getByRole('button', { name: 'Give the group a right' }).click();
            await page.getByRole('button', { name: 'Remove: READ persons' }).waitFor();
            await page.getByRole('button', { name: 'Users', exact: true }).click();
            await page.getByRole('button', { name: 'Show: eve' }).click();
            await page.getByLabel('readers').check();
            await page.getByRole('cell', { name: 'VERTEX', exact: true }).waitFor();
            const found = await audit(page);
            check(found === '', found);
        });
        await within(async (page) => {
            await page.goto(server + data);
            await logIn(page, 'eve', 'a secret of eve');
            await page.getByText('2 shown, that is all').waitFor();
            await page.goto(`${server}/ui/users`);
            await page.getByText('You may see and change only what is your own.').waitFor();
            await page.getByRole('textbox', { name: 'Label' }).fill('person');
            await page.getByRole('button', { name: 'Ask' }).click();
            await page.getByText('Yes, all of it.').waitFor();
            await page.getByRole('textbox', { name: 'Label' }).fill('secret');
            await page.getByRole('button', { name: 'Ask' }).click();
            await page.getByText('Not all of it').waitFor();
            await page.getByRole('button', { name: 'Make a key' }).click();
            await page.getByText('This is the key').waitFor();
            await page.getByLabel('New password').fill('another secret of eve');
            await page.getByRole('button', { name: 'Save' }).click();
            await page.getByText('The password is changed.').waitFor();
            await page.reload();
            await page.getByRole('button', { name: 'Log out: eve' }).waitFor();
        });
    },

    async 'users: the login and the pages of users in every look'() {
        for (const dark of [false, true]) {
            for (const chinese of [false, true]) {
                await within(
                    async (page) => {
                        await page.goto(`${server}/ui/users`);
                        await page.getByRole('dialog').waitFor();
                        let found = await audit(page);
                        check(found === '', `login: ${found}`);
                        const [name, secret] = [
                            page.locator('dialog input').first(),
                            page.locator('dialog input').nth(1),
                        ];
                        await name.fill('admin');
                        await secret.fill(password);
                        await page.locator('dialog button[type=submit]').click();
                        for (const view of ['', '#view=groups', '#view=targets', '#view=me']) {
                            await page.goto(`${server}/ui/users${view}`);
                            await page.locator('main h1').waitFor();
                            await until(async () => (await page.locator('.skeleton').count()) === 0, 'it is there');
                            found = await audit(page);
                            check(found === '', `${view}: ${found}`);
                            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                            check(wide <= 0, `${view} is ${wide} pixels wider than the window`);
                        }
                    },
                    { dark, chinese },
                );
            }
        }
    },
};
