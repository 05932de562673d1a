import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { compile, type Diagnostic, renderDiagnostic } from '../../compiler/index.js';
import { MEMBERS } from '../../compiler/diagnostics/foreignmodules.js';
import { libraryNames } from '../../svcc/library.js';

// Mistakes of people who know other languages. UPDATE_GOLDEN=1 accepts new messages; read the diff.
const update = process.env['UPDATE_GOLDEN'] !== undefined;
const FOLDER = join(import.meta.dirname, 'fixtures', 'habits');
const PRELUDE = join(import.meta.dirname, '../../compiler/prelude');

const environment = { natives: libraryNames(), builtinModules: new Set<string>(), load: () => null };

function diagnosticsOf(text: string): Diagnostic[] {
  return compile('app.svc', text, environment).diagnostics;
}

/** The programs of a file, which lines `# ---` separate. */
function programsOf(path: string): string[] {
  return readFileSync(path, 'utf8').split(/^# ---\n/m);
}

function report(text: string): string {
  const messages = diagnosticsOf(text).map((found) => `${renderDiagnostic(found, text)}\n  [${found.code}]\n`);
  return `${text.trimEnd()}\n\n${messages.join('\n')}`;
}

t.test('each mistake has one message', async (t) => {
  let count = 0;
  for (const name of readdirSync(FOLDER).filter((name) => name.endsWith('.svc') && name !== 'accepted.svc')) {
    const programs = programsOf(join(FOLDER, name));
    count += programs.length;
    for (const text of programs) t.equal(diagnosticsOf(text).length, 1, text);
    const golden = join(FOLDER, name.replace(/\.svc$/, '.txt'));
    const found = programs.map(report).join('\n----------\n\n');
    if (update) writeFileSync(golden, found);
    t.equal(found, existsSync(golden) ? readFileSync(golden, 'utf8') : '', name);
  }
  t.equal(count > 200, true);
});

t.test('programs that define the words themselves compile', async (t) => {
  for (const text of programsOf(join(FOLDER, 'accepted.svc'))) t.strictSame(diagnosticsOf(text), [], text);
});

t.test('a mistake of another kind keeps its message beside the words', async (t) => {
  const text = 'puts(1\nhtml = "if (x) {"\nfunction = 1\nx = function + // 2\n';
  t.match(
    diagnosticsOf(text).map(({ message }) => message),
    [/`\)`|expected/],
  );
});

t.test('a word that is a variable of the program has no message on lines without an error', async (t) => {
  for (const text of ['try = 5\nputs(1\ntry\n', 'xs = []\nxs.each { |a, *try|\ntry\n}\nputs(1\n'])
    t.match(
      diagnosticsOf(text).map(({ message }) => message),
      [/expected `\)` to close/],
    );
});

t.test('the calls that stand in place of modules of other languages are in the library', async (t) => {
  const prelude = readdirSync(PRELUDE).map((name) => readFileSync(join(PRELUDE, name), 'utf8'));
  const names = new Set([...libraryNames(), ...prelude.flatMap((text) => text.match(/(?<=^def )\w+/gm) ?? [])]);
  for (const [module, members] of Object.entries(MEMBERS))
    for (const [member, text] of Object.entries(members))
      for (const [, name] of text.matchAll(/`(?:[a-z] = )?([a-z]\w*)\(/g))
        t.ok(names.has(name), `${module}.${member}: ${name}`);
});
