import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { ParsedFiles } from '../../../compiler/analysis/parsedfiles.js';
import { parse } from '../../../compiler/parse.js';

const FOLDER = join(import.meta.dirname, '../../../examples');

/** The statements that an earlier version of the text declares are added to broken ones: they are left out here. */
function withoutStubs(module: ReturnType<typeof parse>['module'], count: number): unknown {
  return { ...module, stmts: module.stmts.slice(0, count) };
}

t.test('a text that changes is parsed as if it were new', (t) => {
  const rounds = process.env.SVC_LONG === undefined ? 12 : 200;
  let state = 3;
  const random = (limit: number): number => (state = (state * 1103515245 + 12345) % 2147483648) % limit;
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.svc'))) {
    const files = new ParsedFiles();
    let text = readFileSync(join(FOLDER, name), 'utf8');
    const original = text;
    for (let i = 0; i < rounds; i++) {
      const known = files.parse(name, text);
      const fresh = parse(name, text);
      t.strictSame(known.diagnostics, fresh.diagnostics);
      // tap compares large trees slowly.
      t.ok(isDeepStrictEqual(withoutStubs(known.module, fresh.module.stmts.length), fresh.module), name);
      const at = random(text.length);
      const inserted = [
        'x',
        '\n',
        '# a\n',
        'y = 1\n',
        'end\n',
        '"',
        ' ',
        '(',
        'def f(a, b: 2) = a\n',
        'z = {query: {page: Int = 1}}\n',
      ][random(10)];
      // Mostly correct texts.
      text = i % 3 === 2 ? original : `${text.slice(0, at)}${inserted}${text.slice(at + random(3))}`;
      if (i % 4 === 0) text = `# a line more\n${original}`;
    }
  }
  t.end();
});

t.test('a tree may be changed', (t) => {
  const files = new ParsedFiles();
  const text = 'record A(x) do\n  def f() = x\nend\nputs A(1).f\n';
  const first = files.parse('a', text).module;
  first.stmts.length = 0;
  const second = files.parse('a', text).module;
  t.equal(second.stmts.length, 2);
  Object.assign(second.stmts[1], { type: 'Error' });
  t.strictSame(files.parse('a', `\n${text}`).module, parse('a', `\n${text}`).module);
  t.end();
});

t.test('files are forgotten', (t) => {
  const files = new ParsedFiles();
  for (const name of ['a', 'b', 'c']) files.parse(name, 'x = 1');
  files.retain((path) => path === 'b');
  t.equal(files.size, 1);
  t.end();
});

t.test('trees that are too deep are not kept', (t) => {
  const files = new ParsedFiles();
  const text = `x = ${'1 + '.repeat(20_000)}1\n`;
  for (let i = 0; i < 2; i++) t.strictSame(files.parse('a', text).diagnostics, []);
  t.end();
});

t.test('names of broken statements stay declared', (t) => {
  const files = new ParsedFiles();
  const text = 'def one(a, b = 2)\n  a\nend\nrecord Two(x)\nTHREE = 3\nenum Four(p, q)\n';
  files.parse('a', text);
  const broken = text
    .replace('one(a', 'one((a')
    .replace('Two(x)', 'Two(x')
    .replace('= 3', '= = 3')
    .replace('(p, q)', '(p, q');
  const names = files
    .parse('a', broken)
    .module.stmts.flatMap((node) => ('name' in node && typeof node.name === 'object' ? [node.name] : []));
  for (const name of ['one', 'Two']) {
    const found = names.find((node) => node.name === name);
    t.equal(broken.slice(found?.start, found?.end), name, 'at its present place');
  }
  t.strictSame(
    parse('a', broken).module.stmts.filter(({ type }) => type === 'Def'),
    [],
    'the parser alone loses them',
  );
  t.end();
});
