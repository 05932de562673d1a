import { inClass, variants, variantsOfRange } from './regexcase.js';
import { opposite, posixSet, propertySet, withBothCases } from './regexproperties.js';

const HEX = '0-9a-fA-F';
/** All characters but hexadecimal digits, as parts of a class. */
const NOT_HEX = '\\0-\\/:-@G-`g-\\u{10ffff}';
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
const GROUPS = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<([^=!>][^>]*)>|'([^']*)')|(?!\?))/g;

/** Capture groups: how many there are, and their names. */
function captures(source: string): { count: number; names: ReadonlySet<string> } {
  const found = [...source.matchAll(GROUPS)].filter(([all]) => all.startsWith('('));
  return { count: found.length, names: new Set(found.map(([, name, quoted]) => name ?? quoted)) };
}

/** One member of a class: a character, with its text, or a set. */
interface Member {
  text: string;
  code: number;
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
    this.out.push(counted && min === '' ? `{0,${max}}` : text);
    if (lazy && counted && comma === '') {
      // Ruby's `a{2}?` is `(?:a{2})?`.
      this.out.splice(start, 0, '(?:');
      this.out.push(')?');
    } else if (lazy) this.out.push('?');
    this.atom = -1;
    return true;
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
  private namedSet(inClass = false): string | null {
    const found = this.taken(PROPERTY);
    if (found === null) return null;
    const [all, letter, hat, name] = found;
    return this.setOf(propertySet(name), (letter === 'P') !== (hat === '^'), all, inClass);
  }

  private setOf(set: string | null | undefined, negated: boolean, all: string, inClass: boolean): string {
    if (set === null || set === undefined) throw new BadRegex(`\`${all}\`: there is no property of this name`);
    this.sees();
    const both = this.spellsCases ? withBothCases(set) : set;
    if (!negated) return both;
    const other = opposite(both);
    if (other !== null) return other;
    if (!inClass) return `^${both}`;
    throw new BadRegex(`\`${all}\` cannot stand in a class: write a class \`[^…]\` of its own`);
  }

  private characterClass(): void {
    const { source } = this;
    const start = this.at++;
    let text = '[';
    if (source[this.at] === '^') {
      text += '^';
      this.at++;
    }
    // A class with nothing but the opposite of a set is the class without the set.
    const alone = this.negatedAlone();
    if (alone !== null) return this.write(text === '[' ? `[^${alone}]` : `[${alone}]`);
    while (source[this.at] !== ']') {
      if (this.at >= source.length)
        throw new BadRegex(`\`${source.slice(start, start + 20)}\`: the class is not closed`);
      if (source.startsWith('&&', this.at))
        throw new BadRegex('`&&` in a class is not known: write a lookahead, `(?=…)`');
      text += this.members();
    }
    this.at++;
    this.write(`${text}]`);
  }

  /** The set of `[:^name:]` if it is the whole content of a class. */
  private negatedAlone(): string | null {
    const before = this.at;
    const found = this.taken(POSIX);
    if (found !== null && found[1] === '^' && this.source[this.at] === ']') {
      this.at++;
      return this.setOf(posixSet(found[2]), false, found[0], true);
    }
    this.at = before;
    return null;
  }

  /** One member of a class, or a range of them. */
  private members(): string {
    const first = this.member();
    const { source } = this;
    if (source[this.at] !== '-' || source[this.at + 1] === ']' || this.at + 1 >= source.length)
      return this.memberText(first);
    if (first.code < 0) {
      this.at++;
      return `${first.text}\\-`;
    }
    const before = this.at++;
    const last = this.member();
    if (last.code < 0) {
      this.at = before + 1;
      return `${this.memberText(first)}\\-`;
    }
    if (last.code < first.code) throw new BadRegex(`\`${first.text}-${last.text}\` ends before its start`);
    return `${first.text}-${last.text}${this.cases(first.code, last.code)}`;
  }

  private memberText({ text, code }: Member): string {
    return code < 0 ? text : text + this.cases(code, code);
  }

  /** The characters that belong to a range as well when case does not matter. */
  private cases(first: number, last: number): string {
    if (!this.mixed) return '';
    const others = first === last ? variants(String.fromCodePoint(first)).slice(1) : variantsOfRange(first, last);
    // Letters of both cases in the range may stand for each other, but all of them are in the class.
    if (others === null || others.length > 0) this.sees();
    if (!this.spellsCases) return '';
    if (others === null) throw new BadRegex('a large range cannot ignore case in a part of an expression');
    return others.map(inClass).join('');
  }

  private member(): Member {
    const { source } = this;
    const posix = this.taken(POSIX);
    if (posix !== null) return { text: this.setOf(posixSet(posix[2]), posix[1] === '^', posix[0], true), code: -1 };
    const c = source[this.at];
    if (c !== '\\') {
      this.at++;
      const whole = this.wholeCharacter(c);
      return { text: whole, code: whole.codePointAt(0) as number };
    }
    const set = this.namedSet(true);
    if (set !== null) return { text: set, code: -1 };
    const named = this.namedCharacter(CLASS_NUMBER);
    if (named !== null) return { text: named[1], code: named[0].codePointAt(0) as number };
    const letter = source[this.at + 1];
    if (letter === undefined) throw new BadRegex('`\\` at the end');
    this.at += 2;
    if (SETS.test(letter)) return { text: `\\${letter}`, code: -1 };
    if (letter === 'h') return { text: HEX, code: -1 };
    if (letter === 'H') return { text: NOT_HEX, code: -1 };
    if (letter === 'b') return { text: '\\b', code: 8 };
    if (Object.hasOwn(CHARACTERS, letter))
      return { text: WRITTEN[letter] ?? `\\${letter}`, code: CHARACTERS[letter].charCodeAt(0) };
    if (/[A-Za-z0-9]/.test(letter)) refuseEscape(letter);
    const whole = this.wholeCharacter(letter);
    return { text: escapedText(whole), code: whole.codePointAt(0) as number };
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
