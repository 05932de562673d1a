import { type Label, type Problem, problem } from '../diagnostics/problem.js';
import type { Item } from '../earley.js';
import type { Terminal } from '../generated/grammar.js';
import type { Token, TokenType } from '../layout/token.js';
import type { Failed } from './failed.js';
import { specialCase } from './special.js';
import { anyOf, construct, expectedWords, shown } from './wording.js';

/** Describes what is wrong with a statement that could not be parsed. */
export function explain(failed: Failed): Problem {
  const { tokens, failure, lineOf } = failed;
  const expected = new Set(failure.waiting.map(({ rule, dot }) => (rule.symbols[dot] as Terminal).type));
  const found = tokens[failure.at];
  const opener = innermostOpener(failure.waiting, tokens);
  const special = specialCase({
    found,
    before: tokens[failure.at - 1],
    earlier: tokens[failure.at - 2],
    expected,
    opener,
    failed,
  });
  if (special !== null) return special;
  const name = opener === null ? '' : construct(opener);
  const [start, end] = extent(found, tokens);
  const far = opener !== null && lineOf(opener.start) !== lineOf(start);
  const inside =
    opener === null || name === '' ? '' : ` in ${name}${far ? ` opened at line ${lineOf(opener.start)}` : ''}`;
  const labels: Label[] =
    far && (name !== '' || opener.type === 'CASE')
      ? [{ start: opener.start, end: opener.end, text: 'opened here' }]
      : [];
  return problem(
    'syntax-error',
    `unexpected ${shown(found)}${inside}: expected ${anyOf(expectedWords(expected))}`,
    start,
    end,
    labels,
  );
}

/** Offsets of the found token; for the end of a line, those directly after its last word. */
function extent(found: Token | undefined, tokens: readonly Token[]): [number, number] {
  if (found !== undefined && found.end > found.start) return [found.start, found.end];
  const start = found?.start ?? (tokens.at(-1) as Token).end;
  return [start, start];
}

/**
 * The token that opens the innermost construct around the failure: of the unfinished rules that start with a token, the
 * one that started last.
 */
function innermostOpener(waiting: readonly Item[], tokens: readonly Token[]): Token | null {
  let innermost = -1;
  const seen = new Set<Item>(waiting);
  for (const item of seen) {
    const { rule, dot, reference, wantedBy } = item;
    if (dot > 0 && typeof rule.symbols[0] !== 'string' && reference > innermost && isOpener(rule.symbols[0]))
      innermost = reference;
    for (const outer of wantedBy) seen.add(outer);
  }
  return innermost < 0 ? null : tokens[innermost];
}

const NO_OPENERS: ReadonlySet<TokenType> = new Set<TokenType>([
  'IDENT',
  'LABEL',
  'TLABEL',
  'SPLAT',
  'DOT',
  'BINOP',
  'MULTI',
  'QMARK',
]);

function isOpener({ type }: Terminal): boolean {
  return !NO_OPENERS.has(type);
}
