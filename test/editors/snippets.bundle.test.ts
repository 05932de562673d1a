import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Finding } from '../../svcc/check.js';
import { ROOT, svcc } from '../svcc/svcc.js';

// `svcc check` finds nothing in the snippets of the extension for VS Code, with the values that their places begin with.

interface Snippet {
  prefix: string;
  body: string[];
  description: string;
}

const FOLDER = join(ROOT, 'editors/vscode/snippets');

/** Definitions of the names that stand for those of a program. */
const AROUND = `use "svcauth"
app = web_app()
app.templates("views")
def condition() = now() == nil
def elements() = [1, 2]
def value() = 5
def event() = json_parse("[]")
`;
/** Statements for places that are empty at first. */
const EMPTY = 'log.info("here")';
/** Snippets that already contain a part of AROUND. */
const OWN = /^(app|templates)$/;

function snippets(file: string): [name: string, snippet: Snippet][] {
  return Object.entries(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Record<string, Snippet>);
}

/** The text of a snippet after it was inserted: each place has its first value, or `empty`. */
function inserted({ body }: Snippet, empty: string): string {
  let text = body.join('\n');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/\$\{\d+:((?:[^{}\\]|\{[^{}]*\}|\\.)*)\}/g, '$1');
  }
  return text.replace(/^(\s*)\$\d$/gm, `$1${empty}`).replace(/\$\d/g, '');
}

t.test('programs', async (t) => {
  const folder = t.testdir({ views: { 'page.html.erb': '<p></p>', 'layout.html.erb': '<%= yield %>' } });
  const files = snippets('svc.json').map(([name, snippet], index) => {
    const path = join(folder, `${index}.svc`);
    const around = OWN.test(snippet.prefix)
      ? AROUND.replace(snippet.prefix === 'app' ? /^app.*\n/gm : /^app\.templates.*\n/m, '')
      : AROUND;
    writeFileSync(path, `${around}${inserted(snippet, EMPTY)}\n`);
    return { name, path };
  });
  t.ok(files.length > 30, `${files.length} snippets`);
  const { stdout } = await svcc(['check', '--json', ...files.map(({ path }) => path)]);
  const findings = (JSON.parse(stdout) as Finding[]).filter(({ severity }) => severity === 'error');
  t.strictSame(
    findings.map(({ file, line, message }) => {
      const name = files.find(({ path }) => path === file)?.name;
      return `${name}: ${message}: ${readFileSync(file, 'utf8').split('\n')[line - 1]}`;
    }),
    [],
  );
});

t.test('templates', async (t) => {
  const folder = t.testdir({ 'app.svc': 'app = web_app()\napp.templates("views")\n' });
  mkdirSync(join(folder, 'views'));
  writeFileSync(join(folder, 'views/_note.html.erb'), '<p><%= note %></p>');
  for (const [index, [, snippet]] of snippets('template.json').entries())
    writeFileSync(join(folder, `views/page${index}.html.erb`), `${inserted(snippet, 'nil')}\n`);
  const { stdout, exitCode } = await svcc(['check', join(folder, 'app.svc')]);
  t.equal(exitCode, 0, stdout);
});

t.test('each has a prefix of its own and a description', async (t) => {
  for (const file of ['svc.json', 'template.json']) {
    const all = snippets(file).map(([, snippet]) => snippet);
    t.equal(new Set(all.map(({ prefix }) => prefix)).size, all.length);
    for (const { description } of all) t.match(description, /^\p{Lu}.*\w$/u);
  }
});
