import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { parseStatement } from '../../compiler/earley.js';
import { tokenize } from '../../compiler/layout/tokenize.js';
import { plainParses } from './reference.js';
import { programs, torture } from './sources.js';
import { treeCases } from './trees.js';

/**
 * Every program of STRIDE is parsed; with SVC_LONG=1 all are. The torture file and the cases of trees have every form of
 * the grammar.
 */
const STRIDE = process.env.SVC_LONG === '1' ? 1 : 4;

const texts = [
  torture(),
  ...programs().filter((_, i) => i % STRIDE === 0),
  ...treeCases().map(({ source }) => ({ name: source, text: source })),
];

t.test('each statement has one parse, and lookahead does not change it', async (t) => {
  let statements = 0;
  for (const { name, text } of texts) {
    const { tokens, ends } = tokenize(text);
    let from = 0;
    for (const to of ends) {
      const plain = plainParses(tokens.slice(from, to));
      const { tree, failure } = parseStatement(tokens, from, to);
      if (plain.length > 1) t.fail(`${name}: ${plain.length} parses from token ${from}`);
      if (plain.length === 1) {
        // One assertion for each text, and for trees that differ: tap takes longer to compare a tree than to parse it twice.
        if (!isDeepStrictEqual(tree, plain[0])) t.strictSame(tree, plain[0], `${name}: tokens ${from} to ${to}`);
      } else if (failure === null) t.fail(`${name}: tokens ${from} to ${to} do not fail as they do without lookahead`);
      from = to;
      statements++;
    }
    t.pass(name);
  }
  t.comment(`${statements} statements`);
  t.ok(statements > 8000 / STRIDE, `${statements} statements`);
});

t.test('a failure is found at the same token as without lookahead', async (t) => {
  const { tokens, ends } = tokenize(torture().text);
  let from = 0;
  for (const to of ends) {
    const statement = tokens.slice(from, to);
    const wrong = statement.flatMap((token, index) => (index % 5 === 2 ? [token, token] : [token]));
    const { failure } = parseStatement(wrong, 0, wrong.length);
    if (failure !== null && failure.at < wrong.length) {
      t.strictSame(plainParses(wrong.slice(0, failure.at + 1)), [], 'no statement has this token here');
    }
    from = to;
  }
});
