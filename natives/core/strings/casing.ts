import { STEP } from '../../../vm/values/steps.js';
import { slice } from '../../../vm/values/text/codepoints.js';
import { UnitText } from '../../../vm/values/text/textbuilder.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Row } from '../declare.js';
import { made, madeInSteps, overText, stepEnd } from './stepwise.js';

// Regexes with classes of characters are made when they are first used: making these took a millisecond of each start.

const upper = (text: string): string => text.toUpperCase();
const lower = (text: string): string => text.toLowerCase();

/**
 * Positions where a text may be cut for conversion to lower case. That of a capital sigma depends on the letters around
 * it, but not beyond one of these characters.
 */
function lowerBorder(text: string): RegExp | null {
  return text.includes('Σ') ? /[^\p{Cased}\p{Case_Ignorable}]/gu : null;
}

function lowerSteps(text: string): Generator<void, string, void> {
  return madeInSteps(text, lower, lowerBorder(text));
}

/** First character in upper case, the rest in lower case. */
function capitalize(text: string): string {
  const first = slice(text, 0, 1);
  return initial(first) + text.slice(first.length).toLowerCase();
}

/** A character at the start of a word: of several letters in upper case, as those of ß, only the first one is large. */
function initial(first: string): string {
  const large = first.toUpperCase();
  if (large.length <= first.length) return large;
  // An iota below a letter stays there.
  if (large.endsWith('\u0399')) {
    const title = `${large.slice(0, -1)}\u0345`;
    return title.length === 2 ? title.normalize() : title;
  }
  return large.replace(/(?<=\p{Lu})\p{Lu}+/u, (others) => others.toLowerCase());
}

function* capitalizeSteps(text: string): Generator<void, string, void> {
  const first = slice(text, 0, 1);
  return initial(first) + (yield* lowerSteps(text.slice(first.length)));
}

function swapCase(text: string): string {
  const out = new UnitText();
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number;
    if (code > 0xffff) i++;
    if (code < 0x80) out.unit(isLetter(code) ? code ^ 0x20 : code);
    else out.text(swapped(String.fromCodePoint(code)));
  }
  return out.end();
}

/** Whether an ASCII character is a letter. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function swapped(c: string): string {
  return c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase();
}

/** Capitalizes words, which are runs of letters, digits and apostrophes: the s of `o'neil's` stays lower case. */
function title(text: string): string {
  return text.replace(/[\p{L}\p{M}\p{N}'\u2019]+/gu, capitalize);
}

/** Positions where a text may be cut for `title`. */
function titleBorder(): RegExp {
  return /[^\p{L}\p{M}\p{N}'\u2019]/gu;
}

/** A kind of text: `every` matches its characters, and `some` one of them. */
interface Kind {
  readonly every: RegExp;
  readonly some: RegExp;
}

const alpha = (): Kind => ({ every: /^[\p{L}\p{M}]*$/u, some: /\p{L}/u });
const digit = (): Kind => ({ every: /^\p{Nd}*$/u, some: /\p{Nd}/u });
const alnum = (): Kind => ({ every: /^[\p{L}\p{M}\p{N}]*$/u, some: /[\p{L}\p{N}]/u });
const space = (): Kind => ({ every: /^\s*$/u, some: /\s/u });
const inUpperCase = (): Kind => ({ every: /^[^\p{Ll}\p{Lt}]*$/u, some: /\p{Lu}/u });
const inLowerCase = (): Kind => ({ every: /^[^\p{Lu}\p{Lt}]*$/u, some: /\p{Ll}/u });

function* kindSteps(text: string, { every, some }: Kind): Generator<void, boolean, void> {
  let found = false;
  for (let lo = 0; lo < text.length;) {
    const hi = stepEnd(text, lo);
    const part = text.slice(lo, hi);
    if (!every.test(part)) return false;
    found ||= some.test(part);
    lo = hi;
    if (lo < text.length) yield;
  }
  return found;
}

function kind(name: string, what: string, make: () => Kind): Row {
  let wanted: Kind | null = null;
  return [
    name,
    '',
    'Boolean',
    `Whether the text ${what}; false for the empty text.`,
    (vm: NativeContext, text: string) => overText(vm, name, text, kindSteps(text, (wanted ??= make()))),
  ];
}

/** Whether two texts are equal except for case. */
function* sameSteps(text: string, other: string): Generator<void, boolean, void> {
  return (yield* foldSteps(text)) === (yield* foldSteps(other));
}

/** Upper case first: it expands ß. */
function* foldSteps(text: string): Generator<void, string, void> {
  return yield* lowerSteps(yield* madeInSteps(text, upper));
}

// prettier-ignore
export const casingRows: readonly Row[] = [
  ['upcase', '', 'String', 'The text in upper case.', (vm: NativeContext, text: string) => made(vm, 'upcase', text, upper)],
  ['downcase', '', 'String', 'The text in lower case.', (vm: NativeContext, text: string) => (text.length <= STEP ? text.toLowerCase() : vm.inPieces('downcase', lowerSteps(text)))],
  ['capitalize', '', 'String', 'The text in lower case with its first character in upper case.', (vm: NativeContext, text: string) => (text.length <= STEP ? capitalize(text) : vm.inPieces('capitalize', capitalizeSteps(text)))],
  ['swapcase', '', 'String', 'The text with upper and lower case exchanged.', (vm: NativeContext, text: string) => made(vm, 'swapcase', text, swapCase)],
  ['title', '', 'String', 'The text with each word capitalized.', (vm: NativeContext, text: string) => made(vm, 'title', text, title, titleBorder())],
  kind('alpha?', 'consists of letters', alpha),
  kind('digit?', 'consists of decimal digits', digit),
  kind('alnum?', 'consists of letters and digits', alnum),
  kind('space?', 'consists of blanks and ends of lines', space),
  kind('upper?', 'has letters, all in upper case', inUpperCase),
  kind('lower?', 'has letters, all in lower case', inLowerCase),
  ['casecmp?', 'other: String', 'Boolean', 'Whether two texts are equal except for case.', (vm: NativeContext, text: string, other: string) => overText(vm, 'casecmp?', text.length > other.length ? text : other, sameSteps(text, other))],
];
