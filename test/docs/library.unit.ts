import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFile } from '#embed';
import t from 'tap';
import { WORDS } from '../../compiler/templates/template.js';
import { BOOKS, entriesOf, readChapter } from '../../tools/generate-library.js';
import { freePort } from '../freeport.js';
import { isInShare } from '../share.js';
import { readExpectations } from '../spec/program.js';
import { compare } from '../spec/report.js';
import { libraryOf } from '../../svcc/check.js';
import { createVm } from '../../svcc/fullvm.js';
import { nodeHost, processStreams } from '../../svcc/host.js';
import { ROOT } from '../svcc/svcc.js';

/** Port of servers in the examples; the test replaces it with a free one. */
const EXAMPLE_PORT = '18093';
/** Least numbers of entries: fewer mean that declarations are not found. */
const LEAST: Readonly<Record<string, number>> = { 'docs/library.md': 400, 'docs/web-reference.md': 100 };

/** A name without its type: `upcase` of `String.upcase`. */
function nameOf(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** How programs write methods that are not called by their names. */
const WRITTEN: Readonly<Record<string, string>> = { '[]': '[', '[]=': '] = ' };

for (const book of BOOKS)
  void t.test(book.path, (t) => {
    const folder = join(ROOT, book.folder);
    const entries = entriesOf(book);
    const examples = book.chapters.flatMap((name) => readChapter(book, name).examples);
    const heads = new Set(examples.flatMap((example) => example.heads));

    t.test('every file of examples is a chapter', async (t) => {
      const files = readdirSync(folder).filter((name) => name.endsWith('.svc'));
      t.strictSame(files.sort(), book.chapters.map((name) => `${name}.svc`).sort());
      for (const name of book.chapters) t.match(readChapter(book, name).title, /^[A-Z]\w+/, name);
    });

    t.test('every form of every declaration has a sentence', async (t) => {
      t.ok(entries.length >= LEAST[book.path], `${entries.length} entries`);
      const missing = entries.filter(({ forms }) => forms.some(({ doc }) => !/^[A-Z0-9].*\.$/.test(doc)));
      t.strictSame(
        missing.map(({ ids }) => ids[0]),
        [],
      );
    });

    t.test('every declaration has an example, and so has every alias', async (t) => {
      const missing = entries.flatMap(({ ids, names }) => {
        const shown = new Set(ids.filter((id) => heads.has(id)).map(nameOf));
        return names.filter((name) => !shown.has(name)).map((name) => ids.find((id) => nameOf(id) === name));
      });
      t.strictSame(missing, []);
    });

    t.test('templates have the lines that examples show', async (t) => {
      const shown = examples.flatMap(({ code }) => [...code.matchAll(/^# views\/(\S+): (.+)$/gm)]);
      for (const [, name, line] of shown)
        t.ok(
          readFileSync(join(folder, 'views', name), 'utf8')
            .split('\n')
            .includes(line),
          `${name}: ${line}`,
        );
      t.ok(book.hasPrelude || shown.length > 0);
    });

    t.test('every heading names declarations, which its example uses', async (t) => {
      const known = new Set(entries.flatMap(({ ids }) => ids));
      t.strictSame(
        [...heads].filter((head) => !known.has(head)),
        [],
      );
      const unused = examples.flatMap(({ heads, code }) =>
        heads.filter((head) => !code.includes(WRITTEN[nameOf(head)] ?? nameOf(head))),
      );
      t.strictSame(unused, []);
    });

    t.test('the examples of every chapter meet their expectations', async (t) => {
      for (const name of book.chapters.filter((name) => isInShare(name))) {
        const file = `${name}.svc`;
        const source = readFileSync(join(folder, file), 'utf8').replaceAll(EXAMPLE_PORT, String(await freePort()));
        const expected = readExpectations(source);
        const root = t.testdir({ [file]: source });
        // Templates are compiled with a program.
        if (existsSync(join(folder, 'views'))) cpSync(join(folder, 'views'), join(root, 'views'), { recursive: true });
        const outcome = await runFile(join(root, file), {
          args: expected.args,
          stdin: expected.stdin,
          virtual: expected.isVirtual,
        });
        const { actual, expected: right } = compare(file, expected, outcome);
        t.equal(actual, right, name);
      }
    });
    t.end();
  });

t.test('every word of templates is in the reference', async (t) => {
  const ids = new Set(BOOKS.flatMap(entriesOf).flatMap((entry) => entry.ids));
  t.strictSame(
    Object.keys(WORDS).filter((word) => !ids.has(`Template.${word}`)),
    [],
  );
});

t.test('everything that programs can call is in a reference', async (t) => {
  const vm = createVm(nodeHost(processStreams()), { process: { args: [], env: {} } });
  const { signatures, methods } = libraryOf(vm);
  const ids = new Set(BOOKS.flatMap(entriesOf).flatMap((entry) => entry.ids));
  const isIn = (owner: string, name: string): boolean => ids.has(`${owner}.${name}`) || ids.has(`Any.${name}`);
  const missing = [
    ...[...signatures.keys()].filter((name) => !ids.has(name)),
    ...[...methods].flatMap(([type, own]) =>
      [...own.keys()].filter((name) => !isIn(type, name)).map((name) => `${type}.${name}`),
    ),
  ];
  t.ok(methods.size > 40, `${methods.size} types`);
  // The compiler's own.
  t.strictSame(
    missing.filter((name) => !name.includes('%')),
    [],
  );
});
