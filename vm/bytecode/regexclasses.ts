/** Classes of regular expressions that hold classes, `[a-z&&[^aeiou]]`: V8 knows only those of characters and properties. */
import { complement, contains, intersection, MAX_CODE_POINT, merged, pairsOf, type Ranges } from './characterranges.js';
import { largeCaseGroups, variantsOfRange } from './regexcase.js';
import { isCased, opposite } from './regexproperties.js';

/** Characters and properties, which V8 can write as one class. */
export interface Flat {
  kind: 'flat';
  /** The content of the class as the expression writes it; null if the ranges were computed. */
  text: string | null;
  pairs: [number, number][];
  properties: string[];
}

export type CharacterSet = Flat | { kind: 'not'; of: Flat } | { kind: 'any' | 'all'; parts: readonly CharacterSet[] };

/** Maximum nesting of classes: each level may go through all ranges within it. */
export const MAX_CLASS_DEPTH = 50;

export function emptySet(): Flat {
  return { kind: 'flat', text: '', pairs: [], properties: [] };
}

export function rangesAsSet(ranges: Ranges, text: string | null = null): Flat {
  return { kind: 'flat', text, pairs: pairsOf(ranges), properties: [] };
}

const PART = /(\\[pP]\{[^}]*\})|(\\x[0-9a-f]{2}|\\t|[^\\])(?:-(\\x[0-9a-f]{2}|[^\\]))?/gu;

function codeOf(text: string): number {
  if (text === '\\t') return 9;
  return text[0] === '\\' ? parseInt(text.slice(2), 16) : (text.codePointAt(0) as number);
}

/** The set of a name, as `regexproperties.ts` writes it. */
export function namedAsSet(set: string, text: string): Flat {
  const flat: Flat = { ...emptySet(), text };
  for (const [, property, first, last = first] of set.matchAll(PART)) {
    if (property === undefined) flat.pairs.push([codeOf(first), codeOf(last)]);
    else flat.properties.push(property);
  }
  return flat;
}

/**
 * The ranges with what they lack of letters that have more than two cases: without regard to case, the opposite of
 * `a-zA-Z` must not hold K, which has the Kelvin sign as a third case.
 */
function withRareCases(ranges: number[]): number[] {
  const added = largeCaseGroups().flatMap((group) => {
    const missing = group.map((c) => c.codePointAt(0) as number).filter((code) => !contains(ranges, code));
    return missing.length === 1 ? missing : [];
  });
  if (added.length === 0) return ranges;
  return merged([...pairsOf(ranges), ...added.map((code) => [code, code] as const)]);
}

/** All other characters. */
export function not(set: CharacterSet, ignoreCase: boolean): CharacterSet {
  switch (set.kind) {
    case 'not':
      return set.of;
    case 'any':
      return common(set.parts.map((part) => not(part, ignoreCase)));
    case 'all':
      return union(set.parts.map((part) => not(part, ignoreCase)));
  }
  const { pairs, properties } = set;
  if (properties.length === 0) {
    const ranges = merged(pairs);
    return rangesAsSet(complement(ignoreCase ? withRareCases(ranges) : ranges, MAX_CODE_POINT));
  }
  const other = pairs.length === 0 && properties.length === 1 ? opposite(properties[0]) : null;
  return other === null ? { kind: 'not', of: set } : { ...emptySet(), text: null, properties: [other] };
}

/** The characters of any of the sets. */
export function union(parts: readonly CharacterSet[]): CharacterSet {
  if (parts.length === 1) return parts[0];
  const flats = parts.filter((part) => part.kind === 'flat');
  const others = parts.filter((part) => part.kind !== 'flat');
  const texts = flats.map((part) => part.text);
  const flat: Flat = {
    kind: 'flat',
    text: texts.includes(null) ? null : texts.join(''),
    pairs: flats.flatMap((part) => part.pairs),
    properties: flats.flatMap((part) => part.properties),
  };
  if (others.length === 0) return flat;
  const all = flat.pairs.length + flat.properties.length === 0 ? others : [flat, ...others];
  return all.length === 1 ? all[0] : { kind: 'any', parts: all };
}

/** The characters that all of the sets hold. */
export function common(parts: readonly CharacterSet[]): CharacterSet {
  if (parts.length === 1) return parts[0];
  const others: CharacterSet[] = [];
  let ranges: Ranges | null = null;
  for (const part of parts) {
    if (part.kind === 'flat' && part.properties.length === 0) {
      const own = merged(part.pairs);
      ranges = ranges === null ? own : intersection(ranges, own);
    } else others.push(part);
  }
  if (ranges === null) return { kind: 'all', parts: others };
  const flat = rangesAsSet(ranges);
  return ranges.length === 0 || others.length === 0 ? flat : { kind: 'all', parts: [flat, ...others] };
}

/** An expression for one character of a set, or one that is not in it. `content` writes the content of a class. */
export function setText(set: CharacterSet, negated: boolean, content: (flat: Flat) => string): string {
  if (set.kind === 'flat') return `[${negated ? '^' : ''}${content(set)}]`;
  if (set.kind === 'not') return setText(set.of, !negated, content);
  const texts = set.parts.map((part) => setText(part, negated, content));
  if ((set.kind === 'any') !== negated) return `(?:${texts.join('|')})`;
  const last = texts.pop() as string;
  return `(?:${texts.map((text) => `(?=${text})`).join('')}${last})`;
}

/** Maximum characters whose cases are compared to learn whether a set holds all cases of its letters. */
const MAX_COMPARED = 4096;

/** Whether a set certainly holds all cases of its letters. */
function holdsAllCases(set: CharacterSet): boolean {
  if (set.kind === 'not') return holdsAllCases(set.of);
  if (set.kind !== 'flat') return set.parts.every(holdsAllCases);
  if (set.properties.some(isCased)) return false;
  let left = MAX_COMPARED;
  return pairsOf(merged(set.pairs)).every(([lo, hi]) => {
    left -= hi - lo + 1;
    return left >= 0 && variantsOfRange(lo, hi)?.length === 0;
  });
}

/**
 * Whether ignoring case in the text of a set means the same as adding the other cases of all characters that it holds,
 * which is Ruby's meaning.
 */
export function mayIgnoreCase(set: CharacterSet): boolean {
  if (set.kind === 'flat') return true;
  if (set.kind === 'not') return holdsAllCases(set);
  if (!set.parts.every(mayIgnoreCase)) return false;
  return set.kind === 'any' || set.parts.filter((part) => !holdsAllCases(part)).length <= 1;
}

/** A range of characters as part of a class. */
export function rangeText(first: number, last: number): string {
  return first === last ? numbered(first) : `${numbered(first)}-${numbered(last)}`;
}

function numbered(code: number): string {
  const c = String.fromCodePoint(code);
  if (/[A-Za-z0-9]/.test(c)) return c;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** Index after the class that begins at `start`, with the classes in it; the end of the text if it is not closed. */
export function classEnd(source: string, start: number): number {
  let open = 0;
  for (let at = start; at < source.length; at++) {
    const c = source[at];
    if (c === '\\') at++;
    else if (c === '[') {
      open++;
      // A bracket that begins a class is a character.
      if (source[at + 1] === '^') at++;
      if (source[at + 1] === ']') at++;
    } else if (c === ']' && --open === 0) return at + 1;
  }
  return source.length;
}
