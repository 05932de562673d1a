import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, HTTPResponse, Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { browserFor, checkPage, WITHOUT_BROWSER } from '../../browser.js';
import { PATIENCE_MS } from '../../patience.js';
import { ROOT, Svcc, svcc } from '../../svcc/svcc.js';
import { get } from '../support/serve.js';

// examples/helpdesk: its own tests, its artefact, and its pages in Chromium.

const FOLDER = join(ROOT, 'examples/helpdesk');
const TESTS = readdirSync(join(FOLDER, 'tests'))
  .filter((name) => name.endsWith('_test.svc'))
  .map((name) => `tests/${name}`);
const PASSWORD = 'correct horse';

/** Starts a program of the helpdesk in a folder; it is killed when the test ends. */
async function start(t: Test, cwd: string, program: string): Promise<number> {
  const server = new Svcc(['run', '--port', '0', program], { cwd });
  t.teardown(() => server.child.kill('SIGKILL'));
  return server.port();
}

/** A copy of the example, in which it can write. */
function copy(t: Test): string {
  const cwd = t.testdir({});
  cpSync(FOLDER, cwd, { recursive: true });
  return cwd;
}

t.test('its own tests pass', async (t) => {
  const { stdout, exitCode } = await svcc(['test', '--reporter', 'tap'], {
    cwd: FOLDER,
    env: { TMPDIR: t.testdir({}), SVC_CLOCK: 'virtual' },
  });
  t.notMatch(stdout, /^not ok/m);
  t.ok((stdout.match(/^ok /gm)?.length ?? 0) > 15, stdout);
  t.equal(exitCode, 0);
});

t.test('`svcc check` finds nothing', async (t) => {
  const { stdout, exitCode } = await svcc(['check', '--strict', 'app.svc', ...TESTS], { cwd: FOLDER });
  t.strictSame([stdout, exitCode], ['', 0]);
});

t.test('the artefact has templates, migrations and static files', async (t) => {
  const cwd = t.testdir({});
  const artefact = join(cwd, 'helpdesk.svcb');
  const compiled = await svcc(['compile', 'app.svc', '--assets', 'public', '-o', artefact], { cwd: FOLDER });
  t.equal(compiled.exitCode, 0, compiled.stderr);
  const port = await start(t, cwd, artefact);
  t.match(await get(port, '/login'), { status: 200, body: /<h1>Log in<\/h1>/ });
  t.match(await get(port, '/assets/helpdesk.css'), { status: 200, body: /--ink/ });
});

const WIDTHS = [390, 1280];

/** A visitor with cookies of their own, and what the browser has complained about. */
interface Visitor {
  page: Page;
  complaints: string[];
}

async function visitor(browser: Browser, url: string, width: number): Promise<Visitor> {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setViewport({ width, height: 800 });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  // Chromium reports the statuses of the pages themselves as well, such as 422 for a form with mistakes.
  page.on('console', (line) => {
    if (line.type() === 'error' && !/status of (404|422)/.test(line.text())) complaints.push(line.text());
  });
  await page.goto(`${url}/login`);
  return { page, complaints };
}

/** Clicks, and waits for the page that follows. */
async function follow(page: Page, selector: string): Promise<HTTPResponse | null> {
  const [response] = await Promise.all([page.waitForNavigation(), page.click(selector)]);
  return response;
}

async function logIn({ page }: Visitor, name: string): Promise<void> {
  await page.type('[name=email]', `${name}@example.org`);
  await page.type('[name=password]', PASSWORD);
  await follow(page, 'main button');
}

/** Checks the page that is shown. */
async function look(t: Test, { page, complaints }: Visitor, name: string): Promise<void> {
  await checkPage(t, page, `desk-${name}`);
  t.strictSame(complaints, [], `${name}: nothing on the console`);
}

/** Looks at the main pages. */
async function lookAtPages(t: Test, visitor: Visitor, url: string): Promise<void> {
  const { page } = visitor;
  await look(t, visitor, 'login');
  await page.goto(`${url}/signup`);
  await page.type('[name=email]', 'ann');
  await page.$eval('main form', (form) => ((form as unknown as { noValidate: boolean }).noValidate = true));
  t.equal((await follow(page, 'main button'))?.status(), 422);
  await look(t, visitor, 'signup');

  await page.goto(`${url}/login`);
  await logIn(visitor, 'ann');
  await look(t, visitor, 'list');
  await page.goto(`${url}/tickets?status=all&page=2`);
  await look(t, visitor, 'list-2');
  await page.goto(`${url}/tickets?q=nothing`);
  await look(t, visitor, 'list-empty');

  await page.goto(`${url}/tickets/new`);
  await page.$eval('main form', (form) => ((form as unknown as { noValidate: boolean }).noValidate = true));
  t.equal((await follow(page, 'main button'))?.status(), 422);
  t.equal(await page.$$eval('[aria-invalid=true]', (fields) => fields.length), 2);
  await look(t, visitor, 'new');

  await page.goto(`${url}/tickets/4`);
  await look(t, visitor, 'ticket');
  await page.goto(`${url}/tickets/4/edit`);
  await look(t, visitor, 'edit');
  t.equal((await page.goto(`${url}/nothing`))?.status(), 404);
  await look(t, visitor, 'not-found');
}

/** An agent comments while a customer looks at the ticket. */
async function commentLive(t: Test, customer: Visitor, agent: Visitor, url: string): Promise<void> {
  const path = `${url}/tickets/8`;
  await customer.page.goto(path);
  await logIn(agent, 'eve');
  await agent.page.goto(path);
  const text = `Please <b>restart</b> it (${agent.page.viewport()?.width}).`;
  await agent.page.type('[name=text]', text);
  await follow(agent.page, 'main form.card button');
  await look(t, agent, 'agent');
  const isShown = `[...document.querySelectorAll('.comment .text')].filter((it) => it.textContent === ${JSON.stringify(text)}).length === 1`;
  await customer.page.waitForFunction(isShown);
  t.ok(await agent.page.evaluate(isShown), 'the comment is shown once on the own page');
  await look(t, customer, 'live');

  await customer.page.goto(`${url}/api/docs`);
  await customer.page.waitForSelector('.opblock');
  t.strictSame(customer.complaints, [], 'the page of the API complies with the Content-Security-Policy');
  await customer.page.goto(`${url}/login`);
  await customer.page.keyboard.press('Tab');
  t.equal(await customer.page.evaluate('document.activeElement.textContent'), 'Skip to the content');
}

t.test('the pages in a browser', { skip: WITHOUT_BROWSER }, async (t) => {
  const url = `http://127.0.0.1:${await start(t, copy(t), 'app.svc')}`;
  const browser = await browserFor(t);
  for (const width of WIDTHS) {
    const ann = await visitor(browser, url, width);
    await lookAtPages(t, ann, url);
    await commentLive(t, ann, await visitor(browser, url, width), url);
  }
});
