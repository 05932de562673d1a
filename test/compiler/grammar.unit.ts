import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { rules } from '../../compiler/generated/grammar.js';
import { lalrConflicts } from '../../tools/check-grammar.js';
import { generateGrammar } from '../../tools/generate-grammar.js';
import { LalrAutomaton } from '../../tools/lalr.js';

const ROOT = resolve(import.meta.dirname, '..', '..');

t.test('the grammar is LALR(1) without conflicts, hence unambiguous', async (t) => {
  t.strictSame(lalrConflicts(), []);
});

t.test('the check finds a conflict', async (t) => {
  const ambiguous = [
    { name: 'top', symbols: ['e'], postprocess: null },
    { name: 'e', symbols: ['e', { type: 'PLUS' }, 'e'], postprocess: null },
    { name: 'e', symbols: [{ type: 'ONE' }], postprocess: null },
  ];
  t.equal(new LalrAutomaton(ambiguous, 'top').conflicts().length, 1);
});

t.test('the generated files match the grammar', async (t) => {
  for (const [path, text] of generateGrammar()) t.equal(text, readFileSync(join(ROOT, path), 'utf8'), path);
});

t.test('no rule is right-recursive, which is quadratic in an Earley parser', async (t) => {
  for (const { name, symbols } of rules)
    if (symbols.length > 1 && symbols.at(-1) === name) t.fail(`${name} ends with itself`);
});
