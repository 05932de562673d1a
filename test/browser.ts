import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import type { Test } from 'tap';
import { PATIENCE_MS } from './patience.js';

/** Chromium on this machine, from the Debian package chromium; undefined without it. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** The `skip` of a test that needs a browser. */
export const WITHOUT_BROWSER = CHROMIUM === undefined && 'no Chromium on this machine (Debian package chromium)';

/** Starts a browser, which ends with the test. */
export async function browserFor(t: Test): Promise<Browser> {
  // Not in the test's folder: processes of the browser write to it until the last one has ended.
  const userDataDir = mkdtempSync(join(tmpdir(), 'svc-browser-'));
  const browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    userDataDir,
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: PATIENCE_MS,
    protocolTimeout: PATIENCE_MS,
  });
  t.teardown(async () => {
    await browser.close();
    rmSync(userDataDir, { recursive: true, force: true, maxRetries: 20 });
  });
  return browser;
}

/**
 * Checks that the page fits the window and that axe-core finds no serious problem. With SVC_SCREENSHOTS=FOLDER it also
 * stores an image.
 */
export async function checkPage(t: Test, page: Page, name: string): Promise<void> {
  const folder = process.env.SVC_SCREENSHOTS;
  const width = page.viewport()?.width ?? 0;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true });
  const title = `${name}, ${width} px`;
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${title}: no horizontal scrolling`);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  t.strictSame(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
    `${title}: accessible`,
  );
}
