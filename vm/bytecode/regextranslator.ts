import { DIGIT, SPACE, WORD, type Ranges } from './characterranges.js';
import { inClass, variants, variantsOfRange } from './regexcase.js';
import {
  classEnd,
  common,
  emptySet,
  MAX_CLASS_DEPTH,
  mayIgnoreCase,
  namedAsSet,
  not,
  rangesAsSet,
  rangeText,
  setText,
  union,
  type CharacterSet,
  type Flat,
} from './regexclasses.js';
import { opposite, posixSet, propertySet, withBothCases } from './regexproperties.js';

const HEX = '0-9a-fA-F';
const HEX_DIGIT: Ranges = [48, 57, 65, 70, 97, 102];
/** All characters but hexadecimal digits, as parts of a class. */
const NOT_HEX = '\\0-\\/:-@G-`g-\\u{10ffff}';
/** Escapes of sets in a class: how they are written, and what they match, or what they do not. */
const CLASS_SETS: Readonly<Record<string, readonly [text: string, ranges: Ranges, negated: boolean]>> = {
  d: ['\\d', DIGIT, false],
  D: ['\\D', DIGIT, true],
  w: ['\\w', WORD, false],
  W: ['\\W', WORD, true],
  s: ['\\s', SPACE, false],
  S: ['\\S', SPACE, true],
  h: [HEX, HEX_DIGIT, false],
  H: [NOT_HEX, HEX_DIGIT, true],
};
/**
 * Ruby's anchors in V8's syntax. Only `\n` ends a line. `^` does not match after a `\n` at the end of the text; `$`
 * also matches before it. If an expression has `^`, V8's flag m is set: V8 finds its own `^` and `$` fast, but they
 * also match at other line ends, which the lookarounds exclude.
 */
export const LINE_START = '^(?<![^\\n]|\\n(?![^]))';
export const LINE_END = '$(?![^\\n])';
export const TEXT_START = '^(?<![^])';
export const TEXT_END = '$(?![^])';
/** `$` without the flag m. */
export const PLAIN_LINE_END = '(?=\\n|$)';
const ANCHORS: Readonly<Record<string, string>> = { A: TEXT_START, z: TEXT_END, Z: `(?=\\n?${TEXT_END})` };
const ANCHORS_WITHOUT_LINES: Readonly<Record<string, string>> = { A: '^', z: '$', Z: '(?=\\n?$)' };
/** `\R` never matches the `\r` of `\r\n` alone. */
const LINE_BREAK = '(?:\\r\\n|\\r(?!\\n)|[\\n\\v\\f\\x85\\u2028\\u2029])';

/** Escapes of single characters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
};
/** Those that V8 does not know, and `\b` in a class. */
const WRITTEN: Readonly<Record<string, string>> = { a: '\\x07', e: '\\x1b' };
const SETS = /^[dDwWsS]$/;

/** What to write instead of escapes of Ruby that are not translated. */
const HINTS: Readonly<Record<string, string>> = {
  K: 'write a lookbehind, `(?<=…)`',
  G: 'use `scan` or `gsub`',
  X: '`chars` returns code points',
  g: 'expressions cannot call groups',
  Q: 'write `#{Regex.escape(text)}`',
  k: 'write `\\k<name>`',
  p: 'write `\\p{Name}`',
  u: 'write `\\u` with four digits, or `\\u{…}`',
  x: 'write `\\x` with one or two hexadecimal digits',
};

/** An expression that is invalid; the message completes "bad regular expression /…/: ". */
export class BadRegex extends Error {}

/** Which flags hold at a place. */
interface State {
  ignoreCase: boolean;
  dotAll: boolean;
  extended: boolean;
}

/** An open group. */
interface Group extends State {
  /** Index in the output where the group begins, to repeat it. */
  start: number;
  /** Brackets to write at its end. */
  close: string;
}

/** What must be known about the whole expression before it is written. */
export interface Facts {
  /** Whether it has `^`, so that V8's flag m is set. */
  lines: boolean;
  /** Whether parts of it regard case, and parts of it do not. */
  regardsCase: boolean;
  ignoresCase: boolean;
}

const ESCAPE_NUMBER = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F ]+)\}|x([0-9a-fA-F]{1,2})|(0[0-7]{0,2})|c([A-Za-z]))/y;
/** In a class there are no back-references: `\1` is a character. */
const CLASS_NUMBER = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F ]+)\}|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|c([A-Za-z]))/y;
const PROPERTY = /\\([pP])\{(\^?)([^}]*)\}/y;
const REFERENCE = /\\([1-9]\d*)/y;
const NAMED_REFERENCE = /\\k<([A-Za-z_$][\w$]*)>/y;
const POSIX = /\[:(\^?)(\w+):\]/y;
const QUANTIFIER = /[*+?]|\{(\d*)(,?)(\d*)\}/y;
const FLAGS = /\(\?([imsx]*)(?:-([imsx]*))?([:)])/y;
const FLAGS_INSIDE = /\(\?[imsx]*(?:-[imsx]*)?[:)]/;
const NAME = /\(\?(?:<([A-Za-z_$][\w$]*)>|'([A-Za-z_$][\w$]*)')/y;
const LOOK = /\(\?(?:<?[=!]|:)/y;
const GROUPS = /\\[\s\S]|\[|\((?:\?(?:<([^=!>][^>]*)>|'([^']*)')|(?!\?))/g;
const MINUS = rangesAsSet([45, 45], '\\-');
/** A bracket that closes a class, and what is before it. */
const CLOSING = /(?:\\[\s\S]|[^\]\\])*\]/y;

/** Capture groups: how many there are, and their names. */
function captures(source: string): { count: number; names: ReadonlySet<string> } {
  const names = new Set<string>();
  let count = 0;
  GROUPS.lastIndex = 0;
  for (let found = GROUPS.exec(source); found !== null; found = GROUPS.exec(source)) {
    const [all, name, quoted] = found;
    if (all === '[') GROUPS.lastIndex = classEnd(source, found.index);
    else if (all.startsWith('(')) {
      count++;
      names.add(name ?? quoted);
    }
  }
  return { count, names };
}

/** Maximum number of quantifiers after the first one of a part, each of which makes a group. */
const MAX_REPETITIONS = 20;
/** Maximum number of negated classes within classes: each takes some hundredths of a millisecond. */
const MAX_NEGATED = 500;
/** Maximum number of characters in the ranges of an expression whose cases are compared. */
const MAX_COMPARED = 1 << 16;

/** One member of a class: a character, with its text, or a set, whose code is −1. */
interface Member {
  text: string;
  code: number;
  set: CharacterSet;
}

/** Translates an expression in Ruby's syntax to V8's. */
export class Translator {
  readonly facts: Facts = { lines: false, regardsCase: false, ignoresCase: false };
  private at = 0;
  private readonly out: string[] = [];
  private readonly groups: Group[] = [];
  private state: State;
  /** Index in the output of what a quantifier repeats; −1 if there is nothing. */
  private atom = -1;
  private readonly captures: { count: number; names: ReadonlySet<string> };
  /** Whether flags change within the expression. */
  readonly mixed: boolean;

  /** Length of the output after the last quantifier, and how many quantifiers precede it directly. */
  private repeatedTo = -1;
  private repetitions = 0;
  private negatedClasses = 0;
  /** Number of characters in ranges whose cases were compared. */
  private compared = 0;

  /** @param known facts found by a first translation; in the first one a guess */
  constructor(
    private readonly source: string,
    private readonly flags: string,
    private readonly known: Facts,
  ) {
    this.state = { ignoreCase: flags.includes('i'), dotAll: /[ms]/.test(flags), extended: flags.includes('x') };
    this.captures = captures(source);
    this.mixed = FLAGS_INSIDE.test(source);
  }

  /** @throws BadRegex */
  translate(): string {
    const root: Group = { ...this.state, start: 0, close: '' };
    this.groups.push(root);
    while (this.at < this.source.length) this.part();
    if (this.groups.length > 1) throw new BadRegex('a group is not closed');
    return this.out.join('') + root.close;
  }

  /** Whether letters are written in all their cases, because V8's flag i holds for whole expressions only. */
  private get spellsCases(): boolean {
    return this.state.ignoreCase && this.known.regardsCase;
  }

  private get lines(): boolean {
    return this.known.lines;
  }

  private taken(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  private write(text: string): void {
    this.atom = this.out.length;
    this.out.push(text);
  }

  private anchor(text: string): void {
    this.write(text);
    this.atom = -1;
  }

  private sees(): void {
    if (!this.mixed) return;
    if (this.state.ignoreCase) this.facts.ignoresCase = true;
    else this.facts.regardsCase = true;
  }

  private part(): void {
    const { source, state } = this;
    const c = source[this.at];
    if (state.extended && /\s/.test(c)) return void this.at++;
    if (state.extended && c === '#') {
      const end = source.indexOf('\n', this.at);
      this.at = end < 0 ? source.length : end + 1;
      return;
    }
    if (c === '\\') return this.escape();
    if (c === '[') return this.characterClass();
    if (c === '(') return this.open();
    if (c === ')') return this.close();
    if ('*+?{'.includes(c) && this.quantifier()) return;
    this.at++;
    if (c === '|') {
      this.out.push('|');
      this.atom = -1;
    } else if (c === '^') {
      this.facts.lines = true;
      this.anchor(LINE_START);
    } else if (c === '$') this.anchor(this.lines ? LINE_END : PLAIN_LINE_END);
    else if (c === '.') this.write(this.dot());
    else this.character(this.wholeCharacter(c));
  }

  /** The character that begins with unit `c`, which has been read. */
  private wholeCharacter(c: string): string {
    const code = this.source.codePointAt(this.at - 1) as number;
    if (code <= 0xffff) return c;
    this.at++;
    return String.fromCodePoint(code);
  }

  private dot(): string {
    if (!this.state.dotAll) return '[^\\n]';
    return /[ms]/.test(this.flags) ? '.' : '[^]';
  }

  /** A character that stands for itself, written as `text`. */
  private character(c: string, text = c): void {
    const all = this.mixed ? variants(c) : [c];
    if (all.length > 1) this.sees();
    if (/^\d/.test(text) && /\\\d+$/.test(this.out.at(-1) ?? '')) this.out.push('(?:)');
    this.write(all.length > 1 && this.spellsCases ? `[${all.map(inClass).join('')}]` : text);
  }

  private open(): void {
    const look = this.taken(LOOK);
    if (look !== null) return this.group(look[0], this.state);
    const name = this.taken(NAME);
    if (name !== null) return this.group(`(?<${name[1] ?? name[2]}>`, this.state);
    if (!this.source.startsWith('(?', this.at)) {
      this.at++;
      return this.group('(', this.state);
    }
    if (this.source.startsWith('(?#', this.at)) return this.comment();
    const flags = this.taken(FLAGS);
    if (flags === null) this.refuseGroup();
    const [, on, off = '', end] = flags;
    const before = this.state;
    const state = this.changed(on, off);
    if (end === ':') return this.group('(?:', before, state);
    // `(?i)` holds to the end of the group around it, alternatives included.
    this.out.push('(?:');
    this.groups[this.groups.length - 1].close += ')';
    this.state = state;
    this.atom = -1;
  }

  private refuseGroup(): never {
    const start = this.source.slice(this.at, this.at + 3);
    if (start === '(?>') throw new BadRegex('`(?>…)` is not known: expressions cannot be kept from trying again');
    if (start === '(?P') throw new BadRegex('`(?P…` is not known: write `(?<name>…)` and `\\k<name>`');
    throw new BadRegex(`\`${start}\` opens no group that is known`);
  }

  private comment(): void {
    const end = this.source.indexOf(')', this.at);
    if (end < 0) throw new BadRegex('the comment `(?#` is not closed');
    this.at = end + 1;
  }

  private changed(on: string, off: string): State {
    const has = (flags: string, letters: RegExp): boolean => letters.test(flags);
    const { ignoreCase, dotAll, extended } = this.state;
    return {
      ignoreCase: (ignoreCase || has(on, /i/)) && !has(off, /i/),
      dotAll: (dotAll || has(on, /[ms]/)) && !has(off, /[ms]/),
      extended: (extended || has(on, /x/)) && !has(off, /x/),
    };
  }

  /** Opens a group; `outer` holds again after its end. */
  private group(text: string, outer: State, inner = outer): void {
    this.groups.push({ ...outer, start: this.out.length, close: '' });
    this.out.push(text);
    this.state = inner;
    this.atom = -1;
  }

  private close(): void {
    this.at++;
    if (this.groups.length === 1) throw new BadRegex('unmatched `)`');
    const { start, close, ...state } = this.groups.pop() as Group;
    this.out.push(`${close})`);
    this.state = state;
    this.atom = start;
  }

  /** Reads a quantifier; returns false for a brace that stands for itself. */
  private quantifier(): boolean {
    const found = this.taken(QUANTIFIER);
    if (found === null) return false;
    const [text, min, comma, max] = found;
    const counted = text[0] === '{';
    if (counted && (min === '' ? comma === '' || max === '' : comma === '' && max !== '')) {
      this.at -= text.length;
      return false;
    }
    if (this.atom < 0) throw new BadRegex(`there is nothing to repeat before \`${text}\``);
    if (this.source[this.at] === '+' && !counted)
      throw new BadRegex(`\`${text}+\` is not known: expressions cannot be kept from trying again`);
    const lazy = this.source[this.at] === '?';
    if (lazy) this.at++;
    const start = this.atom;
    this.groupRepeated(start);
    this.out.push(counted && min === '' ? `{0,${max}}` : text);
    if (lazy && counted && comma === '') {
      // Ruby's `a{2}?` is `(?:a{2})?`.
      this.out.splice(start, 0, '(?:');
      this.out.push(')?');
    } else if (lazy) this.out.push('?');
    this.repeatedTo = this.out.length;
    return true;
  }

  /** Puts what begins at `start` into a group if it is a repetition, so that it can be repeated again: `a{2}+`. */
  private groupRepeated(start: number): void {
    if (this.repeatedTo !== this.out.length) {
      this.repetitions = 0;
      return;
    }
    if (++this.repetitions > MAX_REPETITIONS)
      throw new BadRegex(`a part is repeated more than ${MAX_REPETITIONS} times in a row`);
    this.out.splice(start, 0, '(?:');
    this.out.push(')');
  }

  private escape(): void {
    const { source, at } = this;
    const letter = source[at + 1];
    if (letter === undefined) throw new BadRegex('`\\` at the end');
    const reference = this.reference();
    if (reference !== null) {
      this.sees();
      if (this.spellsCases) throw new BadRegex('a back-reference cannot ignore case in a part of an expression');
      return this.write(reference);
    }
    const named = this.namedCharacter();
    if (named !== null) return this.character(...named);
    const set = this.namedSet();
    if (set !== null) return this.write(/^\\[pP]\{[^}]*\}$/.test(set) ? set : `[${set}]`);
    this.at += 2;
    if (SETS.test(letter)) this.write(`\\${letter}`);
    else if (letter === 'h') this.write(`[${HEX}]`);
    else if (letter === 'H') this.write(`[^${HEX}]`);
    else if (letter === 'R') this.write(LINE_BREAK);
    else if (letter === 'b' || letter === 'B') this.anchor(`\\${letter}`);
    else if ('AzZ'.includes(letter)) this.anchor((this.lines ? ANCHORS : ANCHORS_WITHOUT_LINES)[letter]);
    else if (Object.hasOwn(CHARACTERS, letter)) this.character(CHARACTERS[letter], WRITTEN[letter] ?? `\\${letter}`);
    else if (/[A-Za-z0-9]/.test(letter)) refuseEscape(letter);
    else {
      const whole = this.wholeCharacter(letter);
      this.character(whole, escapedText(whole));
    }
  }

  private reference(): string | null {
    const { count, names } = this.captures;
    const number = this.taken(REFERENCE);
    if (number !== null) {
      if (Number(number[1]) > count) throw new BadRegex(`\`${number[0]}\`: there is no group ${number[1]}`);
      return number[0];
    }
    const name = this.taken(NAMED_REFERENCE);
    if (name === null) return null;
    if (!names.has(name[1])) throw new BadRegex(`\`${name[0]}\`: there is no group of this name`);
    return name[0];
  }

  /** A character given by its number, and how it is written; null if there is none here. */
  private namedCharacter(numbers = ESCAPE_NUMBER): [character: string, text: string] | null {
    const found = this.taken(numbers);
    if (found === null) return null;
    const [all, four, braced, two, octal, control] = found;
    if (control !== undefined) return [String.fromCharCode(control.charCodeAt(0) & 31), all];
    if (braced !== undefined) return this.braced(braced.trim().split(/ +/));
    if (four !== undefined) return [String.fromCharCode(parseInt(four, 16)), all];
    const code = two === undefined ? parseInt(octal, 8) & 255 : parseInt(two, 16);
    return [String.fromCharCode(code), `\\x${code.toString(16).padStart(2, '0')}`];
  }

  private braced(numbers: readonly string[]): [character: string, text: string] {
    for (const number of numbers)
      if (number === '' || parseInt(number, 16) > 0x10ffff) throw new BadRegex(`\`\\u{${number}}\` is no character`);
    // Several numbers are several characters: the first ones are written here.
    while (numbers.length > 1) {
      const [first] = numbers;
      this.character(String.fromCodePoint(parseInt(first, 16)), `\\u{${first}}`);
      numbers = numbers.slice(1);
    }
    return [String.fromCodePoint(parseInt(numbers[0], 16)), `\\u{${numbers[0]}}`];
  }

  /** The parts of a class that a property stands for, or an escape for its opposite; null if there is no property here. */
  private namedSet(): string | null {
    const found = this.taken(PROPERTY);
    if (found === null) return null;
    const [all, letter, hat, name] = found;
    const named = this.ofName(propertySet(name), all);
    const set = this.spellsCases ? withBothCases(named) : named;
    if ((letter === 'P') === (hat === '^')) return set;
    return opposite(set) ?? `^${set}`;
  }

  private ofName(set: string | null | undefined, all: string): string {
    if (set === null || set === undefined) throw new BadRegex(`\`${all}\`: there is no property of this name`);
    this.sees();
    return set;
  }

  /** The set of a property or of a POSIX bracket in a class; null if there is none here. */
  private setInClass(): CharacterSet | null {
    const posix = this.taken(POSIX);
    const found = posix ?? this.taken(PROPERTY);
    if (found === null) return null;
    const set = posix === null ? propertySet(found[3]) : posixSet(found[2]);
    const negated = posix === null ? (found[1] === 'P') !== (found[2] === '^') : found[1] === '^';
    const known = this.ofName(set, found[0]);
    const named = namedAsSet(known, this.spellsCases ? withBothCases(known) : known);
    return negated ? this.opposite(named) : named;
  }

  private characterClass(): void {
    const { set, negated } = this.readClass(1);
    if (this.state.ignoreCase && !mayIgnoreCase(set))
      throw new BadRegex('a class cannot ignore case around the opposite of properties of one case: write a lookahead');
    this.write(setText(set, negated, (flat) => this.content(flat)));
  }

  /** The content of a class in V8's syntax. */
  private content({ text, pairs, properties }: Flat): string {
    if (text !== null) return text;
    // Classes within the class may name the same range again and again.
    const ranges = new Map(pairs.map((pair) => [pair.join(), pair]));
    const texts = [...ranges.values()].map(([first, last]) => rangeText(first, last) + this.cases(first, last));
    return texts.join('') + properties.map((one) => (this.spellsCases ? withBothCases(one) : one)).join('');
  }

  /** Reads a class with the classes in it. */
  private readClass(depth: number): { set: CharacterSet; negated: boolean } {
    const { source } = this;
    if (depth > MAX_CLASS_DEPTH) throw new BadRegex(`its classes are nested deeper than ${MAX_CLASS_DEPTH} levels`);
    const start = this.at++;
    const negated = source[this.at] === '^';
    if (negated) this.at++;
    const operands: CharacterSet[] = [];
    let parts: CharacterSet[] = [];
    // A bracket at the start is a character.
    if (source[this.at] === ']') {
      CLOSING.lastIndex = this.at + 1;
      if (!CLOSING.test(source)) throw new BadRegex(`\`${source.slice(start, this.at + 1)}\` is empty`);
      parts.push(this.members());
    }
    while (source[this.at] !== ']') {
      if (this.at >= source.length)
        throw new BadRegex(`\`${source.slice(start, start + 20)}\`: the class is not closed`);
      if (source.startsWith('&&', this.at)) {
        this.at += 2;
        operands.push(union([emptySet(), ...parts]));
        parts = [];
      } else parts.push(this.members(depth));
    }
    this.at++;
    return { set: common([...operands, union([emptySet(), ...parts])]), negated };
  }

  /** All other characters; `text` is how the expression writes them, if it does. */
  private opposite(set: CharacterSet, text: string | null = null): CharacterSet {
    const other = not(set, this.state.ignoreCase);
    return other.kind === 'flat' && text !== null ? { ...other, text } : other;
  }

  private nestedClass(depth: number): CharacterSet {
    const { set, negated } = this.readClass(depth + 1);
    if (!negated) return set;
    if (++this.negatedClasses > MAX_NEGATED)
      throw new BadRegex(`it has more than ${MAX_NEGATED} negated classes within classes`);
    return this.opposite(set);
  }

  /** One member of a class, or a range of them. */
  private members(depth = 0): CharacterSet {
    const { source } = this;
    const isClass = (at: number): boolean => {
      POSIX.lastIndex = at;
      return source[at] === '[' && !POSIX.test(source);
    };
    if (isClass(this.at)) return this.nestedClass(depth);
    const first = this.member();
    const after = this.at + 1;
    if (source[this.at] !== '-' || source[after] === ']' || after >= source.length || source.startsWith('&&', after))
      return this.memberSet(first);
    if (first.code < 0) {
      this.at++;
      return union([first.set, MINUS]);
    }
    if (isClass(after)) throw new BadRegex(`\`${first.text}-[\` is no range: write \`\\-\` for a minus`);
    const before = this.at++;
    const last = this.member();
    if (last.code < 0) {
      this.at = before + 1;
      return union([this.memberSet(first), MINUS]);
    }
    if (last.code < first.code) throw new BadRegex(`\`${first.text}-${last.text}\` ends before its start`);
    return rangesAsSet([first.code, last.code], `${first.text}-${last.text}${this.cases(first.code, last.code)}`);
  }

  private memberSet({ text, code, set }: Member): CharacterSet {
    return code < 0 ? set : rangesAsSet([code, code], text + this.cases(code, code));
  }

  /** The characters that belong to a range as well when case does not matter. */
  private cases(first: number, last: number): string {
    if (!this.mixed) return '';
    this.compared += last - first;
    const others =
      this.compared > MAX_COMPARED
        ? null
        : first === last
          ? variants(String.fromCodePoint(first)).slice(1)
          : variantsOfRange(first, last);
    // Letters of both cases in the range may stand for each other, but all of them are in the class.
    if (others === null || others.length > 0) this.sees();
    if (!this.spellsCases) return '';
    if (others === null) throw new BadRegex('a large range cannot ignore case in a part of an expression');
    return others.map(inClass).join('');
  }

  private member(): Member {
    const named = this.setInClass();
    if (named !== null) return { text: '', code: -1, set: named };
    const letter = this.source[this.at] === '\\' ? this.source[this.at + 1] : '';
    if (Object.hasOwn(CLASS_SETS, letter)) {
      this.at += 2;
      const [text, ranges, negated] = CLASS_SETS[letter];
      const own = rangesAsSet(ranges, text);
      return { text, code: -1, set: negated ? this.opposite(own, text) : own };
    }
    const [c, text] = this.characterInClass();
    return { text, code: c.codePointAt(0) as number, set: emptySet() };
  }

  /** A character of a class, and how it is written. */
  private characterInClass(): [character: string, text: string] {
    const named = this.namedCharacter(CLASS_NUMBER);
    if (named !== null) return named;
    const c = this.source[this.at];
    if (c !== '\\') {
      this.at++;
      const whole = this.wholeCharacter(c);
      return [whole, '-^]'.includes(whole) ? `\\${whole}` : whole];
    }
    const letter = this.source[this.at + 1];
    if (letter === undefined) throw new BadRegex('`\\` at the end');
    this.at += 2;
    if (letter === 'b') return ['\b', '\\b'];
    if (Object.hasOwn(CHARACTERS, letter)) return [CHARACTERS[letter], WRITTEN[letter] ?? `\\${letter}`];
    if (/[A-Za-z0-9]/.test(letter)) refuseEscape(letter);
    const whole = this.wholeCharacter(letter);
    return [whole, escapedText(whole)];
  }
}

/** A character after a backslash that needs none or keeps it. V8's Unicode mode refuses `\_`. */
function escapedText(c: string): string {
  return c === '_' || c.length > 1 ? c : `\\${c}`;
}

function refuseEscape(letter: string): never {
  const hint = HINTS[letter] ?? (/\d/.test(letter) ? null : `for the letter write \`${letter}\``);
  throw new BadRegex(`\`\\${letter}\` is not known${hint === null ? '' : `: ${hint}`}`);
}
