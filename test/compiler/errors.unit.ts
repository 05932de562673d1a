import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CODES } from '../../compiler/diagnostics/codes.js';
import { renderDiagnostic } from '../../compiler/diagnostics/render.js';
import { expectedWords } from '../../compiler/errors/wording.js';
import type { TokenType } from '../../compiler/layout/token.js';
import { keywords } from '../../compiler/layout/words.js';
import { parse } from '../../compiler/parse.js';
import { mistakes } from './sources.js';

// UPDATE_GOLDEN=1 accepts new messages; read the diff.
const update = process.env['UPDATE_GOLDEN'] !== undefined;
const seen = new Set<string>();

/** Source and messages together, for readers of the golden file. */
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

t.test('each code has a case', async (t) => {
  // Sources that are too large for files are in test/compiler/hostile.unit.ts. A file cannot hold a lone surrogate.
  for (const code of ['statement-too-long', 'file-too-large', 'invalid-text', 'internal-error']) seen.add(code);
  // Those of templates are in test/compiler/templates.unit.ts.
  for (const code of ['unclosed-tag', 'template-place', 'template-value', 'unknown-template']) seen.add(code);
  t.strictSame(
    Object.keys(CODES).filter((code) => !seen.has(code)),
    [],
  );
});

t.test('a statement with an error is an error node; the others are parsed', async (t) => {
  const { module } = parse('t.svc', 'a = 1\nb = = 2\nc = 3\n');
  t.strictSame(
    module.stmts.map(({ type }) => type),
    ['Assign', 'Error', 'Assign'],
  );
});

t.test('inside a block only the statement with the error is lost', async (t) => {
  const { module } = parse('t.svc', 'def f(a)\n  x = = 1\n  y = 2\nend\n');
  const [def] = module.stmts;
  t.strictSame(def?.type === 'Def' ? def.body.stmts.map(({ type }) => type) : [], ['Error', 'Assign']);
});

t.test('messages name no symbol of the grammar', async (t) => {
  const grammar = readFileSync(join(import.meta.dirname, '../../compiler/grammar/svc.ne'), 'utf8');
  const types = new Set(
    [...grammar.replace(/^#.*/gm, '').matchAll(/%([A-Z_]{2,})/g)].map(([, type]) => type as TokenType),
  );
  t.ok(types.size > 60);
  const known = new Set([...keywords(), 'as']);
  for (const type of types)
    for (const shown of expectedWords(new Set([type]))) {
      const word = /^`(\w+)`$/.exec(shown)?.[1];
      t.ok(word === undefined || known.has(word), `${type}: ${shown}`);
    }
});
