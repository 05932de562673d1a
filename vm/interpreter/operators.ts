/**
 * Operators as instructions use them. Small operands are processed at once; for large ones the operator throws a
 * `LongOperation`, which the interpreter runs in pieces. Compiled code leaves such operations to the interpreter
 * (`vm/jit/runtime.ts`).
 */
import { ITER_COUNT } from '../bytecode/opcodes.js';
import { ownEach, pulledFrom } from '../calls/sequence.js';
import { gathered } from '../calls/gathering.js';
import { elements, iterate } from '../values/iteration.js';
import { type Iterator } from '../values/iterator.js';
import { SetValue, setOperators } from '../values/set.js';
import { finish, type Steps } from '../values/steps.js';
import { matches as matchesNow, matchSteps } from '../values/match.js';
import * as arithmetic from '../values/numbers/arithmetic.js';
import { or } from '../values/numbers/bits.js';
import { pointIndex } from '../values/text/codepoints.js';
import { Bytes } from '../values/bytes.js';
import { Range, RecordType, RecordValue, Regex } from '../values/structured.js';
import { attempt, charge } from '../values/cost.js';
import { compare, equal as equalNow } from '../values/equal.js';
import { compareSteps, equalSteps } from '../values/equalsteps.js';
import { Errors, ErrorValue, fail } from '../values/error.js';
import { Fields } from '../values/fields.js';
import { EMPTY_SHAPE, Hash } from '../values/hash.js';
import { search, searchesAtOnce, searchInSteps } from '../values/regex/index.js';
import { extended, mergedInto, negateSteps, operationSteps } from '../values/stepwise.js';
import { formatText } from '../values/text/format.js';
import { toText } from '../values/text/text.js';
import { textSteps } from '../values/textsteps.js';
import { typeName, TypeValue } from '../values/types.js';
import { unique, uniqueSteps } from '../values/unique.js';
import { Float, isInteger, type Value } from '../values/value.js';
import { weigh } from '../values/weight.js';
import {
  callOwn,
  callOwnEqual,
  callOwnFormat,
  callOwnOrder,
  hasOwnText,
  OperatorCall,
  ownTexts,
} from './ownoperators.js';
import { failTextTooLong, failTooManyElements, MAX_ELEMENTS, MAX_STRING } from '../values/limits.js';

/** Thrown by an operator whose operands are too large for one step, before it has any effect. */
export class LongOperation {
  constructor(readonly steps: Steps) {}
}

/** Elements or keys that an operator processes at once. */
const AT_ONCE = 16_384;

/** Whether no operation on a value takes long. */
function isSimple(value: Value): boolean {
  return typeof value === 'object' ? value === null || value instanceof Float : typeof value !== 'bigint';
}

/** Runs `work` at once if its cost allows, else throws a LongOperation with `steps`. */
function either<T extends Value>(
  work: (a: Value, b: Value) => T,
  a: Value,
  b: Value,
  steps: (a: Value, b: Value) => Steps,
): T {
  const value = attempt(work, a, b);
  if (value === undefined) throw new LongOperation(steps(a, b));
  return value;
}

function* inSteps(operation: arithmetic.Operation, a: Value, b: Value): Steps {
  return yield* operationSteps(operation, a, b);
}

function long(operation: arithmetic.Operation, a: Value, b: Value, name: string): Value {
  callOwn(a, name, [b]);
  return either(operation, a, b, (x, y) => inSteps(operation, x, y));
}

export function add(a: Value, b: Value): Value {
  return isSimple(a) && isSimple(b) ? arithmetic.add(a, b) : long(arithmetic.add, a, b, '+');
}

/** An operator of two sets. */
function ofSets(sign: keyof typeof setOperators, a: SetValue, b: SetValue): Value {
  charge(a.size + b.size);
  const steps = setOperators[sign](a, b);
  if (weigh(a) + weigh(b) > AT_ONCE / 2) throw new LongOperation(steps);
  return finish(steps);
}

export function subtract(a: Value, b: Value): Value {
  if (a instanceof SetValue && b instanceof SetValue) return ofSets('-', a, b);
  return isSimple(a) && isSimple(b) ? arithmetic.subtract(a, b) : long(arithmetic.subtract, a, b, '-');
}

export function multiply(a: Value, b: Value): Value {
  return isSimple(a) && isSimple(b) ? arithmetic.multiply(a, b) : long(arithmetic.multiply, a, b, '*');
}

export function divide(a: Value, b: Value): Value {
  return isSimple(a) && isSimple(b) ? arithmetic.divide(a, b) : long(arithmetic.divide, a, b, '/');
}

export function floorDivide(a: Value, b: Value): Value {
  return isSimple(a) && isSimple(b) ? arithmetic.floorDivide(a, b) : long(arithmetic.floorDivide, a, b, '//');
}

export function modulo(a: Value, b: Value): Value {
  return isSimple(a) && isSimple(b) && typeof a !== 'string' ? arithmetic.modulo(a, b) : moduloOrFormat(a, b);
}

/** Characters of a format, and of a text in it, that is filled at once. */
const SHORT_FORMAT = 256;

function moduloOrFormat(a: Value, b: Value): Value {
  const isText = typeof b === 'string';
  if (typeof a === 'string' && a.length <= SHORT_FORMAT && isSimple(b) && !(isText && b.length > SHORT_FORMAT))
    return formatText(a, [b]);
  callOwnFormat(a, b);
  return long(arithmetic.modulo, a, b, '%');
}

/** Even small Integers can have large powers. */
export function power(a: Value, b: Value): Value {
  return a instanceof Float || b instanceof Float ? arithmetic.power(a, b) : long(arithmetic.power, a, b, '**');
}

export function addImmediate(a: Value, n: number): Value {
  return n < 0 ? subtract(a, -n) : add(a, n);
}

export function negate(a: Value): Value {
  callOwn(a, '-@', []);
  return Array.isArray(a) ? either(arithmetic.negate, a, null, negateSteps) : arithmetic.negate(a);
}

export function equal(a: Value, b: Value): boolean {
  if (isSimple(a)) return equalNow(a, b);
  callOwnEqual(a, b);
  return isSimple(b) ? equalNow(a, b) : either(equalNow, a, b, equalSteps);
}

type Test = (order: number) => Value;

function* testSteps(a: Value, b: Value, test: Test): Steps {
  return test(yield* compareSteps(a, b));
}

/** Elements of a vector, and characters of a text in it, that are compared at once. */
const SHORT_ROW = 8;
const SHORT_CELL = 256;

/** Whether a value is a vector like those that things are sorted by: a few numbers and short texts. */
function isShortRow(value: Value): boolean {
  if (!Array.isArray(value) || value.length > SHORT_ROW) return false;
  for (let i = 0; i < value.length; i++) {
    const cell = value[i];
    if (!isSimple(cell) || (typeof cell === 'string' && cell.length > SHORT_CELL)) return false;
  }
  return true;
}

function ordered<T extends Value>(a: Value, b: Value, test: (order: number) => T, name: string): T {
  callOwnOrder(a, name, b, test);
  const isText = typeof a === 'string' && typeof b === 'string' && a.length > AT_ONCE;
  return (isSimple(a) && isSimple(b) && !isText) || (isShortRow(a) && isShortRow(b))
    ? test(compare(a, b))
    : orderedSlowly(a, b, test);
}

function orderedSlowly<T extends Value>(a: Value, b: Value, test: (order: number) => T): T {
  return either(
    (x, y) => test(compare(x, y)),
    a,
    b,
    (x, y) => testSteps(x, y, test),
  );
}

export function less(a: Value, b: Value): boolean {
  return ordered(a, b, isLess, '<');
}

export function lessOrEqual(a: Value, b: Value): boolean {
  return ordered(a, b, isLessOrEqual, '<=');
}

export function greater(a: Value, b: Value): boolean {
  return ordered(a, b, isGreater, '>');
}

export function greaterOrEqual(a: Value, b: Value): boolean {
  return ordered(a, b, isGreaterOrEqual, '>=');
}

/** `a <=> b`; nil if a Float is NaN. */
export function order(a: Value, b: Value): Value {
  return ordered(a, b, orderOrNil, '<=>');
}

const isLess = (n: number): boolean => n < 0;
const isLessOrEqual = (n: number): boolean => n <= 0;
const isGreater = (n: number): boolean => n > 0;
const isGreaterOrEqual = (n: number): boolean => n >= 0;
const orderOrNil = (n: number): Value => (Number.isNaN(n) ? null : n);

/** `text =~ regex` or `regex =~ text`: the code-point index of the first match, or nil. */
export function regexMatch(a: Value, b: Value): Value {
  // A text is no Regex: `instanceof` takes long where V8 has optimised nothing yet.
  const isSecond = typeof a === 'string' || !(a instanceof Regex);
  const regex = isSecond ? b : a;
  const text = isSecond ? a : b;
  if (!(regex instanceof Regex))
    return fail(Errors.TypeError, `=~ needs a Regex, got ${typeName(a)} and ${typeName(b)}`);
  if (text === null) return null;
  const subject = typeof text === 'object' && text instanceof ErrorValue ? text.message : text;
  if (typeof subject !== 'string') return fail(Errors.TypeError, `=~ needs a String, got ${typeName(text)}`);
  if (!searchesAtOnce(regex, subject)) throw new LongOperation(indexSteps(regex, subject));
  return placeIn(regex, subject);
}

/** The code-point index of the first match, or nil. Requires `searchesAtOnce`. */
export function placeIn(regex: Regex, text: string): Value {
  return indexOrNil(text, search(regex, text));
}

function* indexSteps(regex: Regex, subject: string): Steps {
  return indexOrNil(subject, yield* searchInSteps(regex, subject));
}

function indexOrNil(subject: string, at: number): Value {
  return at < 0 ? null : pointIndex(subject, at);
}

/** Whether a value matches the pattern of a `when` or `rescue`. */
export function matches(pattern: Value, value: Value): boolean {
  if (isSimple(pattern)) return equal(pattern, value);
  if (pattern instanceof RecordType || pattern instanceof TypeValue) return matchesNow(pattern, value);
  if (pattern instanceof Regex && typeof value === 'string' && searchesAtOnce(pattern, value))
    return matchesNow(pattern, value);
  if (RecordType.haveEquality) callOwnEqual(pattern, value);
  if (
    pattern instanceof Regex ||
    pattern instanceof Range ||
    Array.isArray(pattern) ||
    pattern instanceof Hash ||
    pattern instanceof RecordValue ||
    pattern instanceof Bytes
  ) {
    return either(matchesNow, pattern, value, matchSteps);
  }
  return matchesNow(pattern, value);
}

/** `a | b`: merges hashes (the right one wins), unites sets, and vectors without duplicates. */
export function union(a: Value, b: Value): Value {
  if (a instanceof Hash && b instanceof Hash) {
    charge(a.size + b.size);
    if (a.size + b.size > AT_ONCE) throw new LongOperation(unionOfHashes(a, b));
    const merged = a.copy();
    mergeInto(merged, b);
    return merged;
  }
  if (isInteger(a) && isInteger(b)) return or(a, b);
  if (a instanceof SetValue && b instanceof SetValue) return ofSets('|', a, b);
  callOwn(a, '|', [b]);
  if (!Array.isArray(a) || !Array.isArray(b))
    return fail(Errors.TypeError, `cannot unite ${typeName(a)} and ${typeName(b)}`);
  return either(unionNow, a, b, unionSteps);
}

function unionNow(a: Value, b: Value): Value {
  const [own, other] = [a as Value[], b as Value[]];
  charge((own.length + other.length) * 10);
  return unique([...own, ...other]);
}

function* unionSteps(a: Value, b: Value): Steps {
  const all = yield* extended([], (a as Value[]).slice());
  return yield* uniqueSteps(yield* extended(all, (b as Value[]).slice()));
}

function* unionOfHashes(a: Hash, b: Hash): Steps {
  return yield* mergedInto(yield* mergedInto(a.empty(null), a), b);
}

/** Appends the elements of a splatted value to `vector`, which must have no other user. */
export function extend(vector: Value[], source: Value): void {
  if (source === null) return;
  if (isMany(source)) throw new LongOperation(extendSteps(vector, source));
  const own = pulledFrom(source);
  if (own !== null)
    throw new OperatorCall((vm) => vm.answering(gathered(own, (item) => vector.push(item) > 0, vector)));
  const items = Array.isArray(source) ? source : elements(source, '*');
  charge(items.length);
  for (const item of items) vector.push(item);
}

function isMany(source: Value): boolean {
  if (Array.isArray(source)) return source.length > AT_ONCE;
  if (source instanceof Hash || source instanceof SetValue) return source.size > AT_ONCE;
  if (source instanceof Bytes) return source.length > AT_ONCE;
  if (!(source instanceof Range)) return false;
  return typeof source.lo !== 'number' || typeof source.hi !== 'number' || source.hi - source.lo > AT_ONCE;
}

function* extendSteps(vector: Value[], source: Value): Steps {
  if (Array.isArray(source)) return yield* extended(vector, source.slice());
  // Raises an error: a range without an end cannot be spread.
  if (source instanceof Range && source.hi === null) return elements(source, '*');
  const iterator = iterate(source, 0, '*');
  for (;;) {
    const some: Value[] = [];
    let item = iterator.next();
    for (; item !== undefined && some.length < BATCH; item = iterator.next()) some.push(item);
    if (item !== undefined) some.push(item);
    if (vector.length + some.length > MAX_ELEMENTS) failTooManyElements();
    yield* extended(vector, some);
    if (item === undefined) return vector;
  }
}

/** Elements taken from an iterator in one step. */
const BATCH = 1024;

/** Copies the pairs of a hash into `target`, which must have no other user; for `**h`. */
export function mergeInto(target: Hash, source: Value): void {
  if (source === null) return;
  if (!(source instanceof Hash)) return fail(Errors.TypeError, `** needs a Hash, got ${typeName(source)}`);
  charge(source.size * 2);
  if (source.size > AT_ONCE) throw new LongOperation(mergedInto(target, source));
  if (target.shape === EMPTY_SHAPE && source.shape !== null && !(source instanceof Fields)) target.take(source.copy());
  else source.each((key, value) => target.set(key, value));
}

/** The elements starting at index `from`, without the last `behind`. */
export function restOf(value: Value, from: number, behind: number): Value[] {
  const list = Array.isArray(value) ? value : value === null ? [] : [value];
  const end = Math.max(from, list.length - behind);
  charge((end - from) >>> 3);
  if (end - from > COPIED_AT_ONCE) throw new LongOperation(sliceSteps(list, from, end));
  return list.slice(from, end);
}

/** Elements that V8 copies in about a millisecond. */
export const COPIED_AT_ONCE = 1 << 19;

/** A part of a vector, copied in steps. */
export function* sliceSteps(list: readonly Value[], from: number, end: number): Generator<void, Value[], void> {
  const out: Value[] = [];
  for (let lo = from; lo < end; lo += AT_ONCE) yield* extended(out, list.slice(lo, Math.min(lo + AT_ONCE, end)));
  return out;
}

/** An iterator over a value; `mode` is a mode of ITER. */
export function iterator(source: Value, mode: number, name: string): Iterator {
  const own = source instanceof RecordValue && mode !== ITER_COUNT ? ownEach(source) : null;
  return own ?? iterate(source, mode, name);
}

/** The text of an interpolation. */
export function interpolate(values: readonly Value[]): string {
  if (values.some((value) => hasOwnText(value)))
    throw new OperatorCall((vm) =>
      ownTexts(vm, values.slice(), 'to_s', (parts) => vm.inPieces('compute', interpolateSteps(parts))),
    );
  return values.every(isSimple) ? joinedText(values) : either(joinedText, values as Value[], null, interpolateSteps);
}

function joinedText(values: Value | readonly Value[]): string {
  const list = values as readonly Value[];
  let text = '';
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    text = joined(text, typeof value === 'string' ? value : toText(value));
  }
  return text;
}

function* interpolateSteps(values: Value): Steps {
  let text = '';
  for (const value of values as Value[])
    text = joined(text, typeof value === 'string' ? value : yield* textSteps(value, false));
  return text;
}

function joined(text: string, part: string): string {
  if (text.length + part.length > MAX_STRING) failTextTooLong();
  return text === '' ? part : arithmetic.concat(text, part);
}
