import { decodePercent } from '../../http/percent.js';

/**
 * Replaces a slash written as %2F, which is data. NUL is free for this: paths and patterns that contain one are
 * refused.
 */
export const ESCAPED_SLASH = '\0';

/** One segment of a route pattern. Literal text is percent-decoded, since it is compared with decoded segments. */
export type Segment =
  | { kind: 'literal'; text: string }
  | { kind: 'param' }
  // The literals around the parameters: `a-:x.:y` has ['a-', '.', ''].
  | { kind: 'parts'; literals: string[] }
  | { kind: 'rest' };

/** A parsed route pattern: its segments, and the names of its parameters from left to right. */
export interface Pattern {
  segments: Segment[];
  names: string[];
}

const PARAMETER = /:([\p{L}\p{M}\p{N}_]*)/u;
const NAME = /^[\p{L}\p{M}\p{N}_]+$/u;

/** Parses segments one at a time; knows the whole pattern for error messages. */
class PatternParser {
  readonly names: string[] = [];

  constructor(private readonly pattern: string) {}

  fail(why: string): never {
    throw new Error(`route pattern ${JSON.stringify(this.pattern)}: ${why}`);
  }

  segment(text: string, isLast: boolean): Segment {
    if (text.startsWith('*')) return this.rest(text, isLast);
    if (text.includes('*')) this.fail('"*" may only begin the last segment (write %2A for the character)');
    // Pieces at even indexes are literals, those at odd indexes names.
    const pieces = text.split(PARAMETER);
    if (pieces.length === 1) return { kind: 'literal', text: this.literal(text) };
    const literals = pieces.filter((_, i) => i % 2 === 0).map((literal) => this.literal(literal));
    if (literals.slice(1, -1).includes('')) this.fail('two parameters need text between them');
    for (let i = 1; i < pieces.length; i += 2) this.name(pieces[i]);
    return pieces.length === 3 && literals.join('') === '' ? { kind: 'param' } : { kind: 'parts', literals };
  }

  private rest(text: string, isLast: boolean): Segment {
    if (!isLast) this.fail(`"${text}" must be the last segment`);
    this.name(text.length > 1 ? text.slice(1) : 'splat');
    return { kind: 'rest' };
  }

  private name(name: string): void {
    if (name === '') this.fail('a parameter needs a name after ":"');
    if (!NAME.test(name)) this.fail(`"${name}" is not a parameter name`);
    if (this.names.includes(name)) this.fail(`the parameter "${name}" appears twice`);
    this.names.push(name);
  }

  private literal(text: string): string {
    const decoded = decodePercent(text);
    if (decoded === null || decoded.includes('\0')) this.fail(`"${text}" contains an invalid percent-escape or a NUL`);
    return decoded.replaceAll('/', ESCAPED_SLASH);
  }
}

/**
 * Parses a route pattern: literal text, `:name` (a whole segment or a part of one), and `*name` or `*` (named "splat")
 * as the last segment. Throws an Error that quotes the pattern when it has no leading slash, an empty or repeated name,
 * or a `*` elsewhere.
 */
export function parsePattern(pattern: string): Pattern {
  const parser = new PatternParser(pattern);
  if (!pattern.startsWith('/')) parser.fail('it must begin with "/"');
  if (pattern.includes('?')) parser.fail('it is matched against the path only, which never contains "?"');
  const texts = pattern.slice(1).split('/');
  const segments = texts.map((text, i) => parser.segment(text, i === texts.length - 1));
  return { segments, names: parser.names };
}

/** Like startsWith, but without a call when the first character differs. */
function standsAt(literal: string, text: string, at: number): boolean {
  for (let i = 0; i < literal.length; i++) if (text.charCodeAt(at + i) !== literal.charCodeAt(i)) return false;
  return true;
}

/**
 * Whether the segment `text[start, end)` consists of `literals` with at least one character between each two. Writes
 * the start and end of parameter i to `offsets[2i]` and `offsets[2i + 1]`; each parameter but the last is as short as
 * possible.
 */
export function matchParts(
  literals: readonly string[],
  text: string,
  start: number,
  end: number,
  offsets: number[],
): boolean {
  const last = literals.length - 1;
  // The first and the last literal are anchored. Taking the leftmost position of those between finds a match whenever
  // one exists.
  const limit = end - literals[last].length;
  let at = start + literals[0].length;
  if (at >= limit || !standsAt(literals[0], text, start) || !standsAt(literals[last], text, limit)) return false;
  for (let i = 1; i < last; i++) {
    const next = text.indexOf(literals[i], at + 1);
    if (next < 0 || next + literals[i].length >= limit) return false;
    offsets[2 * i - 2] = at;
    offsets[2 * i - 1] = next;
    at = next + literals[i].length;
  }
  offsets[2 * last - 2] = at;
  offsets[2 * last - 1] = limit;
  return true;
}

const textLength = (literals: readonly string[]): number => literals.reduce((sum, literal) => sum + literal.length, 0);

/**
 * Compares the literals of two segments with parts, most specific first: more literal text, then the longer start. The
 * rest makes the order independent of registration. Returns 0 only for equal ones.
 */
export function compareParts(a: readonly string[], b: readonly string[]): number {
  const difference = textLength(b) - textLength(a) || b[0].length - a[0].length;
  if (difference !== 0) return difference;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
