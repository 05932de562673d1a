import type { RawToken } from '../lexer.js';
import type { Layout } from './layout.js';
import { Token } from './token.js';

const DIGITS = '[0-9]+(?:_[0-9]+)*';
const GOOD = new RegExp(
  `^(?:0|[1-9][0-9]*(?:_[0-9]+)*|${DIGITS}(?:\\.${DIGITS})(?:[eE][-+]?[0-9]+|d)?|(?:0|[1-9][0-9]*(?:_[0-9]+)*)d|${DIGITS}[eE][-+]?[0-9]+|0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*)$`,
);

/** Maximum digits of a number literal: the time to read one grows with the square of its length. */
const MAX_LENGTH = 50_000;

/** Maximum digits of a Decimal on each side of its point. */
const MAX_DECIMAL_DIGITS = 1000;

function isLongDecimal(text: string): boolean {
  const parts = text.slice(0, -1).replaceAll('_', '').split('.');
  return /^[0-9].*d$/.test(text) && !/^0[xX]/.test(text) && parts.some(({ length }) => length > MAX_DECIMAL_DIGITS);
}

/** Emits a number. A malformed one is reported, and is still a number for the grammar. */
export function number(layout: Layout, raw: RawToken): void {
  const { text, offset } = raw;
  const end = offset + text.length;
  if (text.length > MAX_LENGTH) {
    layout.report(
      'bad-number',
      `a number has at most ${MAX_LENGTH} digits`,
      offset,
      end,
      [],
      'compute it, as in `10 ** 100_000`',
    );
    layout.push(new Token('LIT', '0', offset, end));
    return;
  }
  if (isLongDecimal(text)) {
    const what = `a Decimal has at most ${MAX_DECIMAL_DIGITS} digits on each side of its point`;
    layout.report('bad-number', what, offset, end);
    layout.push(new Token('LIT', '0', offset, end));
    return;
  }
  if (!GOOD.test(text)) layout.report('bad-number', `\`${text}\` is not a number`, offset, end, [], hint(text));
  layout.emit('LIT', raw);
}

function hint(text: string): string {
  if (/^0[xX]/.test(text)) return '`0x` is followed by digits 0-9 and a-f';
  if (/^0[bB]/.test(text)) return '`0b` is followed by digits 0 and 1';
  if (/^0[oO]/.test(text)) return '`0o` is followed by digits 0 to 7';
  if (/^0[0-9_]+$/.test(text)) return 'a number does not start with 0; octal numbers are written `0o17`';
  if (/_/.test(text) && /^[0-9_]+$/.test(text)) return '`_` stands between two digits';
  if (/^[0-9_]+(?:\.[0-9_]+)?[eE][-+]?[0-9]+d$/.test(text))
    return 'a Decimal has no exponent: write its digits, as in `1000d`';
  return 'a name cannot start with a digit';
}
