import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { ROOT } from '../svcc/svcc.js';

// Documents name files of this repository and link to one another: what they name must be there.

/** Folders of the repository. */
const FOLDERS = [
  'bench',
  'compiler',
  'docs',
  'examples',
  'natives',
  'spec-tests',
  'svcc',
  'templates',
  'test',
  'tools',
  'vm',
];
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.includes('node_modules'))
    .map((path) => `/${folder}/${path}`),
);
const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...FILES.filter((path) => /^\/(docs|bench|spec-tests)\/.*\.md$/.test(path)).map((path) => path.slice(1)),
];

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
/** A page without its blocks of code. */
const proseOf = (page: string): string => textOf(page).replace(/^( *)```[^]*?^\1```/gm, '');

/** The anchors of a page, as GitHub makes them of headings: small letters, hyphens, a number behind those that come again. */
function anchorsOf(text: string): Set<string> {
  const counts = new Map<string, number>();
  return new Set(
    [...text.replace(/^```[^]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
      const anchor = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

/** Whether a path is there, named from the root, from the page's folder or from any folder: `docs/architecture.md` names `websocket/hub.ts`. */
function isThere(page: string, path: string): boolean {
  const bare = path.replace(/\/$/, '');
  return (
    existsSync(join(ROOT, bare)) ||
    existsSync(join(ROOT, dirname(page), bare)) ||
    FILES.some((file) => file.endsWith(`/${bare}`))
  );
}

t.test('every file and folder of the repository that a page names is there', async (t) => {
  let count = 0;
  for (const page of PAGES) {
    for (const [, path] of proseOf(page).matchAll(/`([\w./-]+)`/g)) {
      const isOfRepository =
        /^[\w./-]*\w\.(ts|unit|test)$/.test(path) || (FOLDERS.includes(path.split('/')[0]) && path.includes('/'));
      if (!isOfRepository) continue;
      count++;
      if (!isThere(page, path)) t.fail(`${page} names ${path}`);
    }
  }
  t.ok(count > 300, `${count} paths`);
});

t.test('every link within the repository leads to a file, and to a heading of it', async (t) => {
  let count = 0;
  for (const page of PAGES) {
    for (const [link, file, anchor] of proseOf(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const target = file === '' ? page : normalize(join(dirname(page), file));
      count++;
      if (!existsSync(join(ROOT, target))) t.fail(`${page}: ${link}`);
      else if (anchor !== undefined && !anchorsOf(textOf(target)).has(decodeURIComponent(anchor)))
        t.fail(`${page}: ${link}`, { anchor });
    }
  }
  t.ok(count > 100, `${count} links`);
});
