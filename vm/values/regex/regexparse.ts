import { LINE_END, LINE_START, PLAIN_LINE_END, TEXT_END, TEXT_START } from '../../bytecode/regextranslator.js';

/** Capture groups `first` to `last`; none if `last` is 0. */
export interface GroupRange {
  first: number;
  last: number;
}

/** An alternative between `|`: a sequence of parts. */
export type Alternative = readonly Node[];

interface Common extends GroupRange {
  /** Number of the node, for tables indexed by node. */
  id: number;
  /** Whether it can match the empty text. */
  nullable: boolean;
}

export type Place = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

/** A part of an expression. An `atom` matches one character; `raw` is its source text. */
export type Node = Common &
  (
    | { kind: 'atom'; raw: string }
    | { kind: 'group'; index: number; alternatives: readonly Alternative[] }
    | { kind: 'look'; ahead: boolean; negate: boolean; alternatives: readonly Alternative[] }
    | { kind: 'repeat'; body: Node; min: number; max: number; greedy: boolean }
    | { kind: 'place'; place: Place }
    | { kind: 'reference'; groups: readonly number[] }
  );

/** A parsed expression. */
export interface Tree {
  alternatives: readonly Alternative[];
  /** Number of capture groups. */
  groups: number;
  /** Names of groups and their numbers. */
  names: ReadonlyMap<string, number>;
  nodes: number;
}

/**
 * Thrown for an expression whose work cannot be bounded: too large, or in syntax that only V8 knows. The message
 * completes "the expression …".
 */
export class Unbounded extends Error {}

const HIGH = 0xd800;
/** Anchors in an expression with V8's flag m, by their first character. */
const ANCHORS: Record<string, readonly (readonly [string, Place])[]> = {
  '^': [
    [LINE_START, 'lineStart'],
    [TEXT_START, 'start'],
  ],
  $: [
    [LINE_END, 'lineEnd'],
    [TEXT_END, 'end'],
  ],
};
const LOOKS: readonly (readonly [string, boolean, boolean])[] = [
  ['(?=', true, false],
  ['(?!', true, true],
  ['(?<=', false, false],
  ['(?<!', false, true],
];
const QUANTIFIER = /\{(\d+)(?:(,)(\d*))?\}/y;
const ESCAPE_U =
  /\\u\{[0-9a-fA-F]+\}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[pP]\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[\s\S]/y;
const ESCAPE = /\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[0-3][0-7]{0,2}|\\[4-7][0-7]?|\\[\s\S]/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const GROUP = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?<([^=!>][^>]*)>|(?!\?))/g;

/** Names of the capture groups in order; undefined for an unnamed one. */
function groupNames(source: string): (string | undefined)[] {
  return [...source.matchAll(GROUP)].filter(([all]) => all[0] === '(').map(([, name]) => name);
}

/**
 * Parses an expression that V8 has already accepted, so syntax errors need not be detected.
 * @param source in JavaScript's syntax; if `lines` (V8's flag m), with `^ $ \A \z` as `regexsyntax.ts` writes them
 * @throws Unbounded
 */
export function parse(source: string, unicode: boolean, lines: boolean): Tree {
  return new Parser(source, unicode, lines).parse();
}

class Parser {
  private at = 0;
  private count = 0;
  private groups = 0;
  private readonly total: number;
  private readonly names = new Map<string, number>();

  constructor(
    private readonly source: string,
    private readonly unicode: boolean,
    private readonly lines: boolean,
  ) {
    const names = groupNames(source);
    this.total = names.length;
    for (const [i, name] of names.entries()) if (name !== undefined) this.names.set(name, i + 1);
  }

  parse(): Tree {
    const alternatives = this.alternatives();
    if (this.at < this.source.length) throw new Unbounded('cannot be analysed');
    return { alternatives, groups: this.total, names: this.names, nodes: this.count };
  }

  private alternatives(): Alternative[] {
    const all: Alternative[] = [this.alternative()];
    while (this.source[this.at] === '|') {
      this.at++;
      all.push(this.alternative());
    }
    return all;
  }

  private alternative(): Node[] {
    const parts: Node[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')')
      parts.push(this.quantified(this.part()));
    return parts;
  }

  private taken(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  private takes(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private part(): Node {
    const { source, at } = this;
    switch (source[at]) {
      case '^':
        return this.anchor('start');
      case '$':
        return this.anchor('end');
      case '(':
        return this.takes(PLAIN_LINE_END) ? this.place('lineEnd') : this.group();
      case '\\':
        return this.escape();
      case '[': {
        const raw = this.taken(CLASS);
        if (raw === null) throw new Unbounded('cannot be analysed');
        return this.atom(raw[0]);
      }
      default: {
        const length = this.unicode && (source.codePointAt(at) as number) > 0xffff ? 2 : 1;
        this.at += length;
        return this.atom(source.slice(at, at + length));
      }
    }
  }

  private anchor(plain: Place): Node {
    if (this.lines) {
      for (const [text, place] of ANCHORS[this.source[this.at]]) if (this.takes(text)) return this.place(place);
      throw new Unbounded('cannot be analysed');
    }
    this.at++;
    return this.place(plain);
  }

  private place(place: Place): Node {
    return { kind: 'place', place, ...this.common(true, []) };
  }

  private atom(raw: string): Node {
    return { kind: 'atom', raw, ...this.common(false, []) };
  }

  private common(nullable: boolean, inside: readonly Alternative[], own = 0): Common {
    let first = own === 0 ? Infinity : own;
    let last = own;
    for (const node of inside.flat()) {
      if (node.last === 0) continue;
      first = Math.min(first, node.first);
      last = Math.max(last, node.last);
    }
    return { id: this.count++, nullable, first, last };
  }

  private escape(): Node {
    if (this.takes('\\b')) return this.place('word');
    if (this.takes('\\B')) return this.place('notWord');
    const reference = this.reference();
    if (reference !== null) return { kind: 'reference', groups: reference, ...this.common(true, []) };
    // Without the flag u, `\c` before a non-letter is a backslash.
    if (!this.unicode && /\\c(?![A-Za-z])/y.test(this.source.slice(this.at, this.at + 3)))
      throw new Unbounded('has an unusual escape');
    const raw = this.taken(this.unicode ? ESCAPE_U : ESCAPE);
    if (raw === null) throw new Unbounded('cannot be analysed');
    return this.atom(raw[0]);
  }

  private reference(): number[] | null {
    if (this.names.size > 0 || this.unicode) {
      const name = this.taken(/\\k<([^>]*)>/y);
      if (name !== null) return [this.names.get(name[1]) as number];
    }
    const number = /\\([1-9]\d*)/y;
    number.lastIndex = this.at;
    const found = number.exec(this.source);
    if (found === null || Number(found[1]) > this.total) return null;
    this.at = number.lastIndex;
    return [Number(found[1])];
  }

  private group(): Node {
    for (const [text, ahead, negate] of LOOKS) {
      if (!this.takes(text)) continue;
      const alternatives = this.closed();
      return { kind: 'look', ahead, negate, alternatives, ...this.common(true, alternatives) };
    }
    let index = 0;
    if (!this.takes('(?:')) {
      index = ++this.groups;
      if (this.taken(/\(\?<[^>]*>/y) === null) this.at++;
      if (this.source[this.at] === '?') throw new Unbounded('has an unknown kind of group');
    }
    const alternatives = this.closed();
    const nullable = alternatives.some((parts) => parts.every((part) => part.nullable));
    return { kind: 'group', index, alternatives, ...this.common(nullable, alternatives, index) };
  }

  private closed(): Alternative[] {
    const alternatives = this.alternatives();
    if (!this.takes(')')) throw new Unbounded('cannot be analysed');
    return alternatives;
  }

  private quantified(body: Node): Node {
    if (!'*+?{'.includes(this.source[this.at] ?? '.')) return body;
    let [min, max] = [0, Infinity];
    if (this.takes('+')) min = 1;
    else if (this.takes('?')) max = 1;
    else if (!this.takes('*')) {
      const counts = this.taken(QUANTIFIER);
      if (counts === null) return body;
      min = Number(counts[1]);
      max = counts[2] === undefined ? min : counts[3] === '' ? Infinity : Number(counts[3]);
    }
    const greedy = !this.takes('?');
    return { kind: 'repeat', body, min, max, greedy, ...this.common(min === 0 || body.nullable, [[body]]) };
  }
}

/** Code point of a part that stands for itself; −1 for escapes, classes and `.`. */
export function literal(raw: string): number {
  if (raw[0] === '\\' || raw[0] === '[' || raw === '.') return -1;
  const code = raw.codePointAt(0) as number;
  return raw.length === 1 || code >= HIGH ? code : -1;
}
