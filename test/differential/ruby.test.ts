import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { compileText, machine, start } from '../vm/support/machine.js';

/** A text that is valid in both languages. */
interface Snippet {
  /** Chapter and title. */
  id: string;
  text: string;
}

/** Output of a snippet as one line; an uncaught error is its last part. */
type Output = string;

/** A row of the table of differences. */
interface Difference {
  ruby: Output;
  svc: Output;
  why: string;
}

/** Names of Ruby's errors that have another name in Svc. */
const ERRORS: Readonly<Record<string, string>> = {
  NoMethodError: 'AttributeError',
  NoMatchingPatternError: 'NoMatchError',
  NoMatchingPatternKeyError: 'NoMatchError',
  FloatDomainError: 'ValueError',
};

/** Separates lines of an output in the table. */
const LINE = ' ⏎ ';

/** Prints values in the form that `runner.rb` uses as well. */
const PRELUDE = 'def show(*values) values.each { puts it.inspect } end\n';

const folder = new URL('snippets/', import.meta.url);
const page = new URL('../../docs/ruby-differences.md', import.meta.url);

function snippetsIn(file: string): Snippet[] {
  const chapter = file.replace(/\.rb$/, '');
  const [, ...parts] = readFileSync(new URL(file, folder), 'utf8').split(/^## /m);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    return { id: `${chapter}: ${part.slice(0, end)}`, text: part.slice(end + 1).trimEnd() };
  });
}

function output(lines: string, error: string | null): Output {
  const parts = lines.split('\n');
  if (parts.at(-1) === '') parts.pop();
  if (error !== null) parts.push(`error: ${error}`);
  return parts.join(LINE);
}

function inRuby(snippets: readonly Snippet[]): Output[] {
  const runner = new URL('runner.rb', import.meta.url).pathname;
  const input = JSON.stringify(snippets.map(({ text }) => text));
  const { stdout, stderr, status } = spawnSync('ruby', ['-W0', '-EUTF-8:UTF-8', runner], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`ruby: ${stderr}`);
  const results = JSON.parse(stdout) as { output: string; error: string | null }[];
  return results.map((one) => output(one.output, one.error && (ERRORS[one.error] ?? one.error)));
}

function inSvc({ text }: Snippet): Output {
  const { program, diagnostics } = compileText(PRELUDE + text);
  if (program === null) return output('', `compile error, ${diagnostics[0]?.message ?? ''}`);
  const made = machine();
  start(made, PRELUDE + text);
  made.host.runAll();
  return output(made.host.lines().join('\n'), made.reports[0]?.replace(/:[^]*/, '') ?? null);
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function uncode(cell: string): string {
  return cell.trim().replace(/^`|`$/g, '').replaceAll('\\|', '|');
}

/** Rows of the page's table, by their snippets. */
function differences(): Map<string, Difference> {
  const rows = new Map<string, Difference>();
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    const cells = line.split(/(?<!\\)\|/);
    if (cells.length !== 6 || !/^ `/.test(cells[2] ?? '')) continue;
    const [, id = '', ruby = '', svc = '', why = ''] = cells;
    rows.set(id.trim(), { ruby: uncode(ruby), svc: uncode(svc), why: why.trim() });
  }
  return rows;
}

const snippets = readdirSync(folder).sort().flatMap(snippetsIn);

t.test('snippets have names of their own, and there are at least 500', async (t) => {
  const names = new Set(snippets.map(({ id }) => id));
  t.equal(names.size, snippets.length);
  t.equal(new Set(snippets.map(({ text }) => text)).size, snippets.length);
  t.ok(snippets.length >= 500, `${snippets.length} snippets`);
});

const missing = spawnSync('ruby', ['-v']).error ? 'ruby is not installed' : false;

t.test('Svc prints what Ruby prints, but for the table of differences', { skip: missing }, async (t) => {
  const known = differences();
  const expected = inRuby(snippets);
  for (const [i, snippet] of snippets.entries()) {
    const [ruby, svc, row] = [expected[i] ?? '', inSvc(snippet), known.get(snippet.id)];
    known.delete(snippet.id);
    const actual = `| ${snippet.id} | ${code(ruby)} | ${code(svc)} |`;
    if (ruby === svc) t.notOk(row, `${snippet.id}: a row of the table, without a difference`);
    else if (row === undefined) t.fail(actual, { text: snippet.text });
    else {
      t.equal(actual, `| ${snippet.id} | ${code(row.ruby)} | ${code(row.svc)} |`, snippet.id);
      t.not(row.why, '', `${snippet.id}: a reason`);
    }
  }
  t.strictSame([...known.keys()], [], 'all rows of the table have a snippet');
});
