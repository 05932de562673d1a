import { memberHint } from '../diagnostics/foreignmodules.js';
import { type Problem, problem } from '../diagnostics/problem.js';
import type { Token, TokenType } from '../layout/token.js';
import { notPlainModule } from '../diagnostics/modulename.js';
import type { Failed } from './failed.js';
import { anyOf, expectedWords, shown } from './wording.js';

/** Where a parse failed: the token found there, the two before it, and what could have followed. */
export interface Place {
  found: Token | undefined;
  before: Token | undefined;
  earlier: Token | undefined;
  expected: ReadonlySet<TokenType>;
  opener: Token | null;
  failed: Failed;
}

type Case = (place: Place) => Problem | null;

/** Recognises mistakes that deserve a better message than the list of expected tokens. */
export function specialCase(place: Place): Problem | null {
  for (const test of CASES) {
    const found = test(place);
    if (found !== null) return found;
  }
  return null;
}

const STARTS_ARGUMENT: ReadonlySet<TokenType> = new Set<TokenType>([
  'IDENT',
  'LIT',
  'STR_BEG',
  'LABEL',
  'LBRACE',
  'LBRACK',
  'LAMBDA',
  'LPAREN',
]);
const PARAMETERS_IN_PARENTHESES = 'put the parameters in parentheses';

const CASES: Case[] = [
  missingQuote,
  missingThen,
  defParameters,
  lambdaParameters,
  commaBeforeBar,
  callWithoutParentheses,
  severalValues,
  doubledSign,
  strayPoint,
  danglingTernary,
  missingIn,
  reservedName,
  modulePath,
  arrowArgument,
  arrowKey,
  hashForBlock,
  braceForBlock,
];

function at(token: Token): [number, number] {
  return [token.start, Math.max(token.end, token.start)];
}

function unexpected({ found, expected }: Place, hint: string): Problem {
  const token = found as Token;
  return problem(
    'syntax-error',
    `unexpected ${shown(found)}: expected ${anyOf(expectedWords(expected))}`,
    ...at(token),
    [],
    hint,
  );
}

/** A word directly after a string that spans lines: a quote is missing on some earlier line. */
function missingQuote({ found, before, failed }: Place): Problem | null {
  if (found === undefined || before === undefined || found.start !== before.end) return null;
  const span = failed.spanning.find(({ end }) => end === before.end);
  if (span === undefined) return null;
  return problem(
    'unterminated-string',
    'this string has no closing quote',
    span.start,
    span.start + 1,
    [],
    'put the closing quote where the text ends',
  );
}

function missingThen(place: Place): Problem | null {
  const { found, expected, opener, before, failed } = place;
  if (
    found === undefined ||
    !expected.has('THEN') ||
    opener === null ||
    !STARTS_ARGUMENT.has(found.type) ||
    before === undefined ||
    before === opener
  )
    return null;
  if (opener.type === 'DEF' || failed.lineOf(opener.start) !== failed.lineOf(found.start)) return null;
  const word = opener.type === 'FOR' || opener.type === 'WHILE' ? 'do' : 'then';
  const head = opener.type === 'FOR' ? 'its collection' : 'what it tests';
  return problem(
    'syntax-error',
    `unexpected ${shown(found)}: expected a new line or \`${word}\` after \`${opener.text}\` and ${head}`,
    ...at(found),
    [],
    afterHead(before, found, failed.tokens[failed.failure.at + 1], word),
  );
}

/** What to do about `found` after the head of a block: an argument of a call in the head, or the block's body. */
function afterHead(before: Token, found: Token, next: Token | undefined, word: string): string | undefined {
  const isCall = found.type === 'IDENT' && next !== undefined && STARTS_ARGUMENT.has(next.type);
  if (before.type === 'IDENT' && !isCall) return 'a call with arguments needs parentheses here';
  return found.type === 'IDENT' ? `write \`${word}\` before it` : undefined;
}

function defParameters({ found, before, earlier }: Place): Problem | null {
  if (found === undefined || before?.type !== 'IDENT' || earlier?.type !== 'DEF') return null;
  if (found.type === 'ASGN')
    return problem(
      'syntax-error',
      'unexpected `=` after the name of a function',
      ...at(found),
      [],
      'write the body on the following lines, up to `end`',
    );
  if (!STARTS_ARGUMENT.has(found.type) && found.type !== 'SPLAT') return null;
  return problem(
    'syntax-error',
    `unexpected ${shown(found)} after the name of a function`,
    ...at(found),
    [],
    PARAMETERS_IN_PARENTHESES,
  );
}

function lambdaParameters({ found, before }: Place): Problem | null {
  if (found?.type !== 'IDENT' || before?.type !== 'LAMBDA') return null;
  return problem(
    'syntax-error',
    `unexpected ${shown(found)} after \`->\``,
    ...at(found),
    [],
    `${PARAMETERS_IN_PARENTHESES}: \`->(${found.text}) { … }\``,
  );
}

/** `|x, |` */
function commaBeforeBar({ found, before }: Place): Problem | null {
  if (found?.type !== 'PIPE' || before?.type !== 'COMMA') return null;
  return problem(
    'syntax-error',
    'unexpected `|` after `,`: expected a name',
    ...at(found),
    [],
    'leave out the comma, or write `_` after it for a value that is not used',
  );
}

/** `x = foo 1` */
function callWithoutParentheses({ found, before, expected, failed }: Place): Problem | null {
  if (found === undefined || before?.type !== 'IDENT' || !expected.has('BINOP') || !STARTS_ARGUMENT.has(found.type))
    return null;
  if (found.start === before.end || failed.lineOf(found.start) !== failed.lineOf(before.start)) return null;
  return problem(
    'call-needs-parentheses',
    `unexpected ${shown(found)} after \`${before.text}\`: inside an expression a call needs parentheses`,
    ...at(found),
    [],
    `write \`${before.text}(…)\``,
  );
}

/** `x = 1, 2` */
function severalValues(place: Place): Problem | null {
  const { found, expected } = place;
  if (found?.type !== 'COMMA' || !expected.has('SEP')) return null;
  return unexpected(place, 'several values make a vector in brackets: `[1, 2]`');
}

/** `===` and `::` */
function doubledSign({ found, before }: Place): Problem | null {
  if (found === undefined || before === undefined || found.start !== before.end) return null;
  if (before.text === '==' && found.text === '=')
    return problem('no-operator', 'Svc has no `===`', before.start, found.end, [], '`==` compares');
  if (before.text === '!=' && found.text === '=')
    return problem('no-operator', 'Svc has no `!==`', before.start, found.end, [], '`!=` compares');
  return null;
}

/** `.5` and `Mod::name` */
function strayPoint(place: Place): Problem | null {
  const { found, failed } = place;
  if (found?.type === 'DOT' && /[0-9]/.test(failed.text[found.end] ?? ''))
    return unexpected(place, 'a decimal point needs a digit in front: `0.5`');
  if (found?.type === 'COLON' && failed.text[found.end] === ':')
    return problem('no-operator', 'Svc has no `::`', found.start, found.end + 1, [], memberOf(place) ?? 'write `.`');
  return null;
}

/** What to write instead of `Mod::name`, for modules of other languages. */
function memberOf({ found, before, failed }: Place): string | null {
  if (found === undefined || before === undefined) return null;
  return memberHint(before.text, `.${failed.text.slice(found.end + 1, found.end + 100)}`);
}

function danglingTernary(place: Place): Problem | null {
  const { found, expected, failed } = place;
  if (!expected.has('COLON') || expected.has('COMMA') || found?.type !== 'SEP') return null;
  const question = failed.tokens.slice(0, failed.failure.at).findLast(({ type }) => type === 'QMARK');
  if (question === undefined) return null;
  return problem('syntax-error', 'unexpected end of the line: expected `:` and the other value', ...at(found), [
    { start: question.start, end: question.end, text: 'of this `?`' },
  ]);
}

function missingIn(place: Place): Problem | null {
  const { found, expected } = place;
  if (found?.type !== 'IDENT' || !expected.has('IN')) return null;
  return unexpected(place, 'write `for x in xs`');
}

const KEYWORDS: ReadonlySet<TokenType> = new Set<TokenType>([
  'IF',
  'UNLESS',
  'WHILE',
  'FOR',
  'CASE',
  'BEGIN',
  'DEF',
  'IN',
  'MOD',
  'END',
]);

/** A keyword where only a name is allowed. */
function reservedName({ found, expected }: Place): Problem | null {
  if (
    found === undefined ||
    !KEYWORDS.has(found.type) ||
    !expected.has('IDENT') ||
    expected.has('LIT') ||
    !/^[a-z]+$/.test(found.text)
  )
    return null;
  return problem(
    'reserved-word',
    `\`${found.text}\` is a reserved word and cannot be a name`,
    ...at(found),
    [],
    `choose another name, such as \`${found.text}_\``,
  );
}

/** `require "a#{b}"` */
function modulePath({ found, before }: Place): Problem | null {
  if (found === undefined || before?.type !== 'USE') return null;
  return notPlainModule(before.text, ...at(found));
}

/** `f(a => 1)` */
function arrowArgument(place: Place): Problem | null {
  if (place.found?.type !== 'FATARROW' || place.opener?.type !== 'LCALL') return null;
  return unexpected(place, 'an argument is named with `name: value`');
}

/** `in {5 => x}`: in a pattern, `=>` names the value before it. */
function arrowKey({ found, opener, expected, failed }: Place): Problem | null {
  if (opener?.type !== 'LBRACE' || !expected.has('COLON') || (found?.type !== 'RBRACE' && found?.type !== 'COMMA'))
    return null;
  const { tokens, failure } = failed;
  const before = tokens.slice(tokens.indexOf(opener) + 1, failure.at);
  const arrow = before.findLast(({ type, text }) => type === 'COMMA' || (type === 'BINOP' && text === '=>'));
  if (arrow?.text !== '=>') return null;
  const key = before[before.indexOf(arrow) - 1];
  return problem(
    'pattern',
    'a hash pattern has no `=>`: its keys are names and texts before `:`',
    ...at(arrow),
    [],
    /^["']/.test(key?.text ?? '')
      ? `write \`{${key.text}: …}\``
      : `read other keys in a condition: \`in Hash => h if h[${key?.text ?? '…'}] == …\``,
  );
}

/** `x = foo {a: 1}` */
function hashForBlock({ found, before, earlier }: Place): Problem | null {
  if (found?.type !== 'LABEL' || before?.type !== 'LBLOCK') return null;
  const hint =
    earlier?.type === 'IDENT' ? `write \`${earlier.text}({${found.text}: …})\`` : 'put the hash in parentheses';
  return problem(
    'syntax-error',
    `unexpected ${shown(found)}: \`{\` after a name opens a block, not a hash`,
    ...at(found),
    [],
    hint,
  );
}

/** `foo "a" { 1 }` */
function braceForBlock(place: Place): Problem | null {
  if (place.found?.type !== 'LBRACE' || !place.expected.has('DO_CMD')) return null;
  return unexpected(place, 'after arguments without parentheses a block is written `do … end`');
}
