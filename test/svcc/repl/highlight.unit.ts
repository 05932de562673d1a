import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { highlighted } from '../../../svcc/repl/highlight.js';
import { paintFor } from '../../../svcc/repl/paint.js';
import { ROOT } from '../svcc.js';

const colours = paintFor(true, { TERM: 'xterm' });
/** Letters in place of the escapes. */
const LETTERS: Readonly<Record<string, string>> = { 32: 't', 34: 'k', 35: 'c', 36: 'n', 90: '#' };

/** The colours as letters: `k(def) f`. */
function shown(line: string, before = ''): string {
  return highlighted(before, line, colours).replaceAll(/\u001b\[(\d+)m(.*?)\u001b\[0m/g, (_, code: string, text) => {
    return `${LETTERS[code]}(${text})`;
  });
}

t.test('words, texts, numbers, comments', (t) => {
  const cases: [string, string][] = [
    ['def f(a: Int, b: 2) = a + 1.5', 'k(def) f(c(a): Int, c(b): n(2)) = a + n(1.5)'],
    ['puts "a #{b + 1} c" # hi', 'puts t(")t(a )#{b + n(1)}t( c)t(") #(# hi)'],
    ['x = [nil, true, :sym, /a+/i]', 'x = [c(nil), c(true), t(:sym), t(/a+/i)]'],
    ['return x if not Foo.bar?', 'k(return) x k(if) k(not) c(Foo).bar?'],
    ['loop { |x| break }', 'k(loop) { |x| k(break) }'],
    // Unfinished.
    ['puts "abc', 'puts t("abc)'],
    ["x = f('a", "x = f(t('a)"],
    ['def', 'k(def)'],
    ['a +', 'a +'],
    ['', ''],
    [':doc upcase', ':doc upcase'],
  ];
  for (const [line, expected] of cases) t.equal(shown(line), expected, line);
  t.end();
});

t.test('what a line means depends on those before it', (t) => {
  t.equal(shown('b" + 1', 'x = "a'), 't(b") + n(1)');
  t.equal(shown(':b => 1', 'x = {'), 't(:b) => n(1)');
  t.equal(shown('a" # b\nc # d', 'x = 1'), 'at(" # b)\nc #(# d)', 'an entry of the history may have several lines');
  t.end();
});

t.test('no character is changed, in any part of a program', (t) => {
  let count = 0;
  const folder = join(ROOT, 'spec-tests/language');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.svc'),
  )) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    for (let i = 0; i < lines.length; i += 7) {
      const line = lines[i].slice(0, 1 + ((i * 13) % 60));
      const found = stripVTControlCharacters(highlighted(lines.slice(Math.max(0, i - 3), i).join('\n'), line, colours));
      if (found !== stripVTControlCharacters(line)) t.fail(`${name}:${i + 1}: ${found}`);
      count++;
    }
  }
  t.ok(count > 500, `${count} lines`);
  t.end();
});

t.test('no colours where the terminal has none, and for long inputs', (t) => {
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
    t.equal(highlighted('', 'def f', paintFor(true, env)), 'def f');
  const long = `x = ${'1 + '.repeat(2000)}1`;
  t.equal(highlighted('', long, colours), long);
  t.end();
});
