import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createHighlighterCore, type LanguageRegistration } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { createOnigurumaEngine } from 'shiki/engine/oniguruma';
import t from 'tap';
import { tokenize } from '../../compiler/layout/tokenize.js';
import { loadColours } from '../../tools/colour.js';
import { SVC } from '../../tools/textmate/svc.js';
import { type Fence, readFences } from '../docs/blocks.js';

// Colours of the code in the documentation.

const ROOT = resolve(import.meta.dirname, '../..');
/** Contrast that the guidelines for accessible pages (WCAG 2.2, AA) demand of small text. */
const MIN_CONTRAST = 4.5;
/** Fences whose code leaves something out, so that no program is complete. */
const INCOMPLETE = /…/;

const PAGES = ['README.md', 'CONTRIBUTING.md'].concat(
  readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
);
const fences: Fence[] = PAGES.flatMap((path) => readFences(path, readFileSync(join(ROOT, path), 'utf8')));

const ENTITIES: Record<string, string> = { '&#x3C;': '<', '&#x26;': '&' };
const textOf = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(/&#x3C;|&#x26;/g, (entity) => ENTITIES[entity]);

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

const colours = await loadColours();
const coloured = fences.map((fence) => ({ ...fence, html: colours.html(fence.text, fence.language) }));

t.test('each block of the documentation is coloured, and keeps its text', async (t) => {
  const lost: string[] = [];
  let plain = 0;
  for (const { place, text, html } of coloured) {
    if (textOf(html) !== text) lost.push(place);
    if (new Set(html.match(/<span style="color:[^;"]*/g)).size < 2) plain++;
  }
  t.strictSame(lost, []);
  t.ok(fences.length > 1000, `${fences.length} blocks`);
  t.ok(plain < fences.length / 20, `${plain} blocks with one colour`);
});

t.test('text and background differ enough in both themes', async (t) => {
  const weak = new Set<string>();
  for (const { html } of coloured) {
    const [, light, dark] = /background-color:(#\w+);--shiki-dark-bg:(#\w+)/.exec(html) as RegExpExecArray;
    for (const [, onLight, onDark] of html.matchAll(/color:(#\w{6});--shiki-dark:(#\w{6})/g)) {
      if (contrast(onLight, light) < MIN_CONTRAST) weak.add(`${onLight} on ${light}`);
      if (contrast(onDark, dark) < MIN_CONTRAST) weak.add(`${onDark} on ${dark}`);
    }
  }
  t.strictSame([...weak], []);
});

t.test('blocks that are called `ruby` are Svc', async (t) => {
  const blocks = fences.filter(({ language, text }) => language === 'ruby' && !INCOMPLETE.test(text));
  t.ok(blocks.length > 10, `${blocks.length} blocks`);
  for (const { place, text } of blocks) t.strictSame(tokenize(text).problems, [], place);
});

t.test('the engine for browsers colours as that of VS Code does', async (t) => {
  const theme = 'github-light-default';
  const svc = { ...SVC, name: 'svc' } as unknown as LanguageRegistration;
  const [one, other] = await Promise.all(
    [createJavaScriptRegexEngine(), createOnigurumaEngine(import('shiki/wasm'))].map((engine) =>
      createHighlighterCore({ engine, themes: [import('shiki/themes/github-light-default.mjs')], langs: [svc] }),
    ),
  );
  const different = fences.filter(
    ({ place, language, text }) =>
      language === 'svc' &&
      place.startsWith('docs/language.md') &&
      one.codeToHtml(text, { lang: 'svc', theme }) !== other.codeToHtml(text, { lang: 'svc', theme }),
  );
  t.strictSame(
    different.map(({ place }) => place),
    [],
  );
});

t.test('markup in code is escaped', async (t) => {
  const html = colours.html('puts "</pre><script>alert(1)</script>"\n', 'svc');
  t.notMatch(html, /<script/);
  t.match(html, /&#x3C;script/);
});

t.test('a language without colours is an error', async (t) => {
  t.throws(() => colours.html('x', 'cobol'), /no colours for the language 'cobol'/);
});
