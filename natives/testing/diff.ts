import { diffArrays } from 'diff';
import { equalSteps } from '../../vm/values/equalsteps.js';
import { attempt } from '../../vm/values/cost.js';
import { equal } from '../../vm/values/equal.js';
import type { ErrorValue } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { RecordValue } from '../../vm/values/structured.js';
import { inspect, quote } from '../../vm/values/text/text.js';
import { visible } from '../../vm/values/text/visible.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { isLarge } from '../../vm/values/weight.js';

/** A line of a comparison: of the expected value (`-`), of the actual one (`+`), of both, or left out (`…`). */
export interface DiffLine {
  readonly mark: ' ' | '-' | '+' | '…';
  readonly text: string;
}

const DIFFS = new WeakMap<ErrorValue, readonly DiffLine[]>();

/** Keeps how the values of the assertion that raises `error` differ. */
export function noteDiff(error: ErrorValue, lines: readonly DiffLine[]): void {
  DIFFS.set(error, lines);
}

/** How the values of the assertion that raised `error` differ; empty if it compares none. */
export function diffOf(error: ErrorValue): readonly DiffLine[] {
  return DIFFS.get(error) ?? [];
}

/** Maximum lines of a comparison. */
const MAX_LINES = 100;
/** Maximum characters of a value on one line. */
const MAX_WIDTH = 160;
/** Equal elements shown on each side of a difference. */
const CONTEXT = 2;
/** Maximum levels of nested values that are compared part by part. */
const MAX_LEVELS = 20;
/** Maximum elements on each side that are aligned; longer vectors are compared by position. */
const MAX_ALIGNED = 100;
/** Maximum lines of texts that are aligned, and differing lines at which aligning gives up. */
const MAX_TEXT_LINES = 2000;
const MAX_EDITS = 200;
/** Characters of a long text before its first difference. */
const LEAD = 20;
const PLAIN_KEY = /^[A-Za-z_]\w*[?!]?$/;

type Work<T = void> = Generator<void, T, void>;
type Container = Value[] | Hash | RecordValue;
/** A part of two vectors: an element of both, or one that only one of them has. */
type Part = { readonly expected: Value | undefined; readonly actual: Value | undefined; readonly same: boolean };

function isContainer(value: Value): value is Container {
  return Array.isArray(value) || value instanceof Hash || value instanceof RecordValue;
}

/** Whether two values are containers that can be compared part by part. */
function isAlike(a: Value, b: Value): boolean {
  if (a instanceof RecordValue) return b instanceof RecordValue && a.type === b.type;
  return (Array.isArray(a) && Array.isArray(b)) || (a instanceof Hash && b instanceof Hash);
}

function keyText(key: Value): string {
  if (typeof key !== 'string') return brief(key);
  return PLAIN_KEY.test(key) ? key : cut(quote(key.slice(0, MAX_WIDTH)));
}

function cut(text: string): string {
  return text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}…` : text;
}

/** A value on one line, shortened. */
function brief(value: Value): string {
  if (typeof value === 'string') return cut(quote(value.slice(0, MAX_WIDTH + 1)));
  if (!isLarge(value)) return cut(visible(inspect(value)));
  if (Array.isArray(value)) return `[… ${value.length} elements]`;
  return value instanceof Hash ? `{… ${value.size} pairs}` : `a large ${typeName(value)}`;
}

function* same(a: Value, b: Value): Work<boolean> {
  return yield* equalSteps(a, b);
}

class Comparison {
  readonly lines: DiffLine[] = [];
  private leftOut = 0;

  /** All lines, after `compare`. */
  result(): DiffLine[] {
    if (this.leftOut > 0) this.lines.push({ mark: '…', text: `${this.leftOut} more lines` });
    return this.lines;
  }

  private get isFull(): boolean {
    return this.lines.length >= MAX_LINES;
  }

  private add(mark: DiffLine['mark'], text: string): void {
    if (this.isFull) this.leftOut++;
    else this.lines.push({ mark, text });
  }

  /** Compares two values that are not equal. `label` is a key, `end` a comma. */
  *compare(expected: Value, actual: Value, indent: string, label: string, end: string): Work {
    if (typeof expected === 'string' && typeof actual === 'string') {
      this.texts(expected, actual, indent, label, end);
    } else if (isAlike(expected, actual) && indent.length < 2 * MAX_LEVELS) {
      const [open, close] = brackets(expected);
      this.add(' ', `${indent}${label}${open}`);
      if (Array.isArray(expected)) yield* this.vectors(expected, actual as Value[], `${indent}  `);
      else yield* this.pairs(pairsOf(expected), pairsOf(actual), `${indent}  `);
      this.add(' ', `${indent}${close}${end}`);
    } else {
      this.only('-', expected, indent, label, end);
      this.only('+', actual, indent, label, end);
    }
  }

  /** A value that only one side has: its parts on lines of their own if it is too wide. */
  private only(mark: '-' | '+', value: Value, indent: string, label: string, end: string): void {
    const line = brief(value);
    if (!isContainer(value) || line.length + indent.length <= 80 || indent.length >= 2 * MAX_LEVELS || isLarge(value)) {
      this.add(mark, `${indent}${label}${line}${end}`);
      return;
    }
    const [open, close] = brackets(value);
    this.add(mark, `${indent}${label}${open}`);
    if (Array.isArray(value)) for (const item of value) this.only(mark, item, `${indent}  `, '', ',');
    else
      for (const [key, item] of pairsOf(value).entries())
        this.only(mark, item, `${indent}  `, `${keyText(key)}: `, ',');
    this.add(mark, `${indent}${close}${end}`);
  }

  private texts(expected: string, actual: string, indent: string, label: string, end: string): void {
    if (expected.includes('\n') || actual.includes('\n')) {
      if (label !== '') this.add(' ', `${indent}${label}`);
      this.textLines(
        expected.split('\n', MAX_TEXT_LINES),
        actual.split('\n', MAX_TEXT_LINES),
        label === '' ? indent : `${indent}  `,
      );
      return;
    }
    let at = 0;
    while (at < expected.length && expected[at] === actual[at]) at++;
    const from = Math.max(expected.length, actual.length) <= MAX_WIDTH ? 0 : Math.max(0, at - LEAD);
    const part = (text: string): string => `${from > 0 ? '…' : ''}${brief(text.slice(from))}`;
    this.add('-', `${indent}${label}${part(expected)}${end}`);
    this.add('+', `${indent}${label}${part(actual)}${end}`);
  }

  private textLines(expected: string[], actual: string[], indent: string): void {
    const [before, after] = commonEnds(expected.length, actual.length, (i, j) => expected[i] === actual[j]);
    const changes = diffArrays(
      expected.slice(before, expected.length - after),
      actual.slice(before, actual.length - after),
      { maxEditLength: MAX_EDITS },
    );
    this.unchanged(expected.slice(0, before), indent, false, true);
    if (changes === undefined) {
      for (const line of expected.slice(before, expected.length - after)) this.textLine('-', line, indent);
      for (const line of actual.slice(before, actual.length - after)) this.textLine('+', line, indent);
    } else
      for (const { added, removed, value } of changes) {
        if (!added && !removed) this.unchanged(value, indent, true, true);
        else for (const line of value) this.textLine(removed ? '-' : '+', line, indent);
      }
    this.unchanged(expected.slice(expected.length - after), indent, true, false);
  }

  private textLine(mark: DiffLine['mark'], line: string, indent: string): void {
    this.add(mark, `${indent}${cut(visible(line.slice(0, MAX_WIDTH + 1)))}`);
  }

  /** Lines that both texts have: those next to a difference are shown. */
  private unchanged(lines: string[], indent: string, isAfter: boolean, isBefore: boolean): void {
    this.elided(lines.length, isAfter, isBefore, indent, 'line', (i) => this.textLine(' ', lines[i], indent));
  }

  /** Shows those of `count` equal parts that are next to a difference. */
  private elided(
    count: number,
    isAfter: boolean,
    isBefore: boolean,
    indent: string,
    what: string,
    show: (i: number) => void,
  ): void {
    const head = isAfter ? Math.min(CONTEXT, count) : 0;
    const tail = isBefore ? Math.min(CONTEXT, count - head) : 0;
    const hidden = count - head - tail;
    const isShort = hidden <= 1;
    for (let i = 0; i < count; i++) {
      if (i < head || i >= count - tail || isShort) show(i);
      else if (i === head) this.add('…', `${indent}${hidden} equal ${what}${hidden === 1 ? '' : 's'}`);
    }
  }

  private *vectors(expected: Value[], actual: Value[], indent: string): Work {
    const parts = yield* partsOf(expected, actual);
    for (let i = 0; i < parts.length && !this.isFull;) {
      let next = i;
      while (next < parts.length && parts[next].same) next++;
      this.elided(next - i, i > 0, next < parts.length, indent, 'element', (k) =>
        this.add(' ', `${indent}${brief(parts[i + k].expected as Value)},`),
      );
      i = next;
      if (i === parts.length) break;
      const { expected: own, actual: other } = parts[i++];
      if (other === undefined) this.only('-', own as Value, indent, '', ',');
      else if (own === undefined) this.only('+', other, indent, '', ',');
      else yield* this.compare(own, other, indent, '', ',');
      yield;
    }
  }

  private *pairs(expected: Hash, actual: Hash, indent: string): Work {
    const keys = [...expected.keys(), ...actual.keys().filter((key) => !expected.has(key))];
    let equals: Value[] = [];
    let isAfter = false;
    const flush = (isBefore: boolean): void => {
      const list = equals;
      this.elided(list.length, isAfter, isBefore, indent, 'pair', (i) =>
        this.add(' ', `${indent}${keyText(list[i])}: ${brief(expected.get(list[i]) as Value)},`),
      );
      equals = [];
      isAfter = true;
    };
    for (const key of keys) {
      if (this.isFull) return;
      const label = `${keyText(key)}: `;
      const [own, other] = [expected.get(key) as Value, actual.get(key) as Value];
      const both = expected.has(key) && actual.has(key);
      if (both && (yield* same(own, other))) {
        equals.push(key);
        continue;
      }
      flush(true);
      if (both) yield* this.compare(own, other, indent, label, ',');
      else this.only(expected.has(key) ? '-' : '+', expected.has(key) ? own : other, indent, label, ',');
      yield;
    }
    flush(false);
  }
}

function brackets(value: Value): [string, string] {
  if (Array.isArray(value)) return ['[', ']'];
  return value instanceof RecordValue ? [`${value.type.name}(`, ')'] : ['{', '}'];
}

function pairsOf(value: Value): Hash {
  return value instanceof RecordValue ? value.fields : (value as Hash);
}

/** Number of equal elements at the start and at the end. */
function commonEnds(a: number, b: number, isSame: (i: number, j: number) => boolean): [number, number] {
  const least = Math.min(a, b);
  let before = 0;
  while (before < least && isSame(before, before)) before++;
  let after = 0;
  while (after < least - before && isSame(a - 1 - after, b - 1 - after)) after++;
  return [before, after];
}

/** Aligns the elements of two vectors. */
function* partsOf(expected: Value[], actual: Value[]): Work<Part[]> {
  const [own, other] = [expected.slice(), actual.slice()];
  const least = Math.min(own.length, other.length);
  let before = 0;
  while (before < least && (yield* same(own[before], other[before]))) before++;
  let after = 0;
  while (after < least - before && (yield* same(own[own.length - 1 - after], other[other.length - 1 - after]))) after++;
  const equals = (from: number, to: number): Part[] =>
    own.slice(from, to).map((value) => ({ expected: value, actual: value, same: true }));
  return [
    ...equals(0, before),
    ...(yield* aligned(own.slice(before, own.length - after), other.slice(before, other.length - after))),
    ...equals(own.length - after, own.length),
  ];
}

function* aligned(own: Value[], other: Value[]): Work<Part[]> {
  const changes =
    own.length > MAX_ALIGNED || other.length > MAX_ALIGNED || isLarge(own) || isLarge(other)
      ? undefined
      : attempt(align, own, other);
  if (changes === undefined) return yield* byPosition(own, other);
  const parts: Part[] = [];
  for (let i = 0; i < changes.length; i++) {
    const { added, removed, value } = changes[i];
    const next = changes[i + 1];
    if (!added && !removed) for (const item of value) parts.push({ expected: item, actual: item, same: true });
    else if (removed && next?.added) {
      parts.push(...paired(value, next.value));
      i++;
    } else if (removed) parts.push(...paired(value, []));
    else parts.push(...paired([], value));
  }
  return parts;
}

function align(own: Value, other: Value): { added: boolean; removed: boolean; value: Value[] }[] {
  return diffArrays(own as Value[], other as Value[], { comparator: equal });
}

/** Elements that differ, side by side. */
function paired(own: Value[], other: Value[]): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < Math.max(own.length, other.length); i++)
    parts.push({ expected: own[i], actual: other[i], same: false });
  return parts;
}

function* byPosition(own: Value[], other: Value[]): Work<Part[]> {
  const parts = paired(own, other);
  for (const [i, { expected, actual }] of parts.entries()) {
    if (expected === undefined || actual === undefined) continue;
    if (yield* same(expected, actual)) parts[i] = { expected, actual, same: true };
    if (i % 1000 === 999) yield;
  }
  return parts;
}

/** How two values differ, in steps. */
export function* diffSteps(expected: Value, actual: Value): Work<DiffLine[]> {
  const comparison = new Comparison();
  yield* comparison.compare(expected, actual, '', '', '');
  return comparison.result();
}
