import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { CODES } from '../../compiler/diagnostics/codes.js';
import { renderDiagnostic } from '../../compiler/diagnostics/render.js';
import { parse } from '../../compiler/parse.js';
import { mistakes } from './sources.js';

// To accept new messages run with UPDATE_GOLDEN=1 and read the difference.
const update = process.env['UPDATE_GOLDEN'] !== undefined;
const seen = new Set<string>();

/** Source and messages together, so that a reader can judge one by the other. */
function report(name: string, text: string): string {
  const { diagnostics } = parse(name, text);
  for (const { code } of diagnostics) seen.add(code);
  const messages = diagnostics.map((diagnostic) => `${renderDiagnostic(diagnostic, text)}\n  [${diagnostic.code}]\n`);
  return `${text.trimEnd().slice(0, 400)}\n\n${messages.join('\n')}`;
}

t.test('messages', async (t) => {
  const cases = mistakes();
  t.equal(cases.length > 60, true);
  for (const { name, text, golden } of cases) {
    const found = report(name.slice(name.lastIndexOf('/') + 1), text);
    if (update) writeFileSync(golden, found);
    t.equal(found, existsSync(golden) ? readFileSync(golden, 'utf8') : '', name);
    t.equal(parse(name, text).diagnostics.length > 0, true, `${name} is wrong`);
  }
});

t.test('each code is shown by some case', async (t) => {
  // Too large for files; test/compiler/hostile.unit.ts makes them. Half a surrogate cannot be written to a file.
  for (const code of ['statement-too-long', 'file-too-large', 'invalid-text', 'internal-error']) seen.add(code);
  t.strictSame(
    Object.keys(CODES).filter((code) => !seen.has(code)),
    [],
  );
});

t.test('a statement that failed is an error node, and the others keep their place', async (t) => {
  const { module } = parse('t.svc', 'a = 1\nb = = 2\nc = 3\n');
  t.strictSame(
    module.stmts.map(({ type }) => type),
    ['Assign', 'Error', 'Assign'],
  );
});

t.test('inside a block only the statement that failed is lost', async (t) => {
  const { module } = parse('t.svc', 'def f(a)\n  x = = 1\n  y = 2\nend\n');
  const [def] = module.stmts;
  t.strictSame(def?.type === 'Def' ? def.body.stmts.map(({ type }) => type) : [], ['Error', 'Assign']);
});
