import type { Token } from '../../compiler/layout/token.js';
import { tokenize } from '../../compiler/layout/tokenize.js';
import { isColoured, type Paint } from './paint.js';

/** Maximum characters of an input that is coloured while it is typed. */
const MAX_COLOURED = 5000;

type Colour = Exclude<keyof Paint, 'error' | 'dim'>;

const TEXTS: ReadonlySet<Token['type']> = new Set(['STR_BEG', 'TEXT', 'STR_END']);
/** Words that the grammar takes for names. */
const OWN_WORDS = new Set(['loop', 'self']);
const VALUES = new Set(['nil', 'true', 'false']);

function colourOf(type: Token['type'], text: string): Colour {
  if (TEXTS.has(type)) return 'text';
  if (type === 'LABEL' || type === 'TLABEL') return 'constant';
  if (type === 'LIT') {
    if (/^\.?\d/.test(text)) return 'number';
    if (VALUES.has(text)) return 'constant';
    return /^[a-z]/.test(text) ? 'keyword' : 'text';
  }
  if (type === 'IDENT') {
    if (OWN_WORDS.has(text)) return 'keyword';
    return /^[A-Z]/.test(text) ? 'constant' : 'plain';
  }
  return /^[a-z]/.test(text) ? 'keyword' : 'plain';
}

/** Comments of a text between tokens. */
function gap(text: string, paint: Paint): string {
  return text.replaceAll(/#[^\n]*/g, (comment) => paint.comment(comment));
}

/** Colours each line of a text, since a terminal may begin anew after an end of line. */
function perLine(text: string, colour: (text: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : colour(line)))
    .join('\n');
}

/**
 * A line of an input in colours, with the same characters. `before` holds the lines of the input before it. Inputs that
 * are long, and commands such as `:doc`, stay as they are.
 */
export function highlighted(before: string, line: string, paint: Paint): string {
  if (!isColoured(paint) || before.length + line.length > MAX_COLOURED || (before === '' && /^\s*:[a-z]/.test(line)))
    return line;
  const start = before === '' ? 0 : before.length + 1;
  const whole = before === '' ? line : `${before}\n${line}`;
  let at = start;
  let out = '';
  for (const token of tokenize(whole).tokens) {
    const from = Math.max(token.start, at);
    if (token.end <= from) continue;
    out += gap(whole.slice(at, from), paint);
    const colour = colourOf(token.type, whole.slice(token.start, token.end));
    out += perLine(whole.slice(from, token.end), paint[colour]);
    at = token.end;
  }
  return out + gap(whole.slice(at), paint);
}
