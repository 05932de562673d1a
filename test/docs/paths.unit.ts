import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { ROOT } from '../svcc/svcc.js';

// Files and headings that documents name or link to must exist.

/** Folders of the repository. */
const FOLDERS = [
  'bench',
  'compiler',
  'docs',
  'editors',
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
  ...FILES.filter((path) => /^\/(docs|bench|spec-tests|examples|editors)\/.*\.md$/.test(path)).map((path) =>
    path.slice(1),
  ),
];

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const anchors = new Map<string, Set<string>>();
/** A page without blocks of code. */
const proseOf = (page: string): string => textOf(page).replace(/^( *)```[^]*?^\1```/gm, '');

/** Anchors of headings, by the rules of GitHub: lower case, hyphens, a number after repeated ones. */
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

function anchorsIn(page: string): Set<string> {
  const found = anchors.get(page) ?? anchorsOf(textOf(page));
  anchors.set(page, found);
  return found;
}

/** Whether a path exists in the root, the page's folder, or any folder: `docs/architecture.md` names `websocket/hub.ts`. */
function isThere(page: string, path: string): boolean {
  const bare = path.replace(/\/$/, '');
  return (
    existsSync(join(ROOT, bare)) ||
    existsSync(join(ROOT, dirname(page), bare)) ||
    FILES.some((file) => file.endsWith(`/${bare}`))
  );
}

t.test('every file and folder that a page names exists', async (t) => {
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

t.test('every link within the repository has a target', async (t) => {
  let count = 0;
  for (const page of PAGES) {
    for (const [link, file, anchor] of proseOf(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const target = file === '' ? page : normalize(join(dirname(page), file));
      count++;
      if (!existsSync(join(ROOT, target))) t.fail(`${page}: ${link}`);
      else if (anchor !== undefined && !anchorsIn(target).has(decodeURIComponent(anchor)))
        t.fail(`${page}: ${link}`, { anchor });
    }
  }
  t.ok(count > 100, `${count} links`);
});
