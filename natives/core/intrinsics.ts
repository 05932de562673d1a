import { argumentPlaces } from '../../vm/bytecode/argumentplaces.js';
import type { ParamKind } from '../../vm/bytecode/program.js';
import { eachInSteps, finish, STEP, type Steps } from '../../vm/values/steps.js';
import { elements } from '../../vm/values/iteration.js';
import { fieldsOf } from '../../vm/calls/members.js';
import { hashKey } from '../../vm/values/keys.js';
import { matches, matchesShape, matchSteps, shapeSteps } from '../../vm/values/match.js';
import { native, neverSuspends, paramsOf } from '../../vm/calls/native.js';
import { unique } from '../../vm/values/unique.js';
import { add, negate, toDouble } from '../../vm/values/numbers/arithmetic.js';
import { negateSteps } from '../../vm/values/stepwise.js';
import { isLarge } from '../../vm/values/weight.js';
import { Numeric } from '../../vm/values/numbers/numeric.js';
import { points } from '../../vm/values/text/codepoints.js';
import { ownMethod, Range, RecordValue, Regex } from '../../vm/values/structured.js';
import { attempt } from '../../vm/values/cost.js';
import { Errors, ErrorValue, fail, failForNil } from '../../vm/values/error.js';
import { Closure, NativeFunction } from '../../vm/values/function.js';
import { Handle } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { failTooManyElements, MAX_ELEMENTS } from '../../vm/values/limits.js';
import { compileRegex, partOfRegex } from '../../vm/values/regex/index.js';
import { gathered } from '../../vm/calls/gathering.js';
import { ownEach, SEQUENCE } from '../../vm/calls/sequence.js';
import { SetValue } from '../../vm/values/set.js';
import { kindName } from '../../vm/values/types.js';
import { isInteger, isNumber, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { replaced } from './collections/changing.js';
import { sortedBy } from './collections/sort.js';
import { addToSum, endOfSum } from './numbers/sum.js';
import { caused, handling, left, unwinding } from './unwinding.js';
import { joinSteps } from './collections/joining.js';
import { hasElements, hasKey, hasOnly, keysAndValues, noMatch, without } from './matching.js';
import { NumberedFunction } from './numberedfunction.js';
import { lineSteps } from './strings/layout.js';
import { type Found, type Harvest, harvested, isQuicklyMissing, type Pattern } from './regex/engine.js';
import type { Gathered } from './gathered.js';
import { MatchValue } from './regex/match.js';
import type { Int } from './declare.js';
import { endless, integerBounds } from './collections/elements.js';
import { InputHandle, nextLine } from './output.js';
import { stepped, withElements } from './steps.js';

/**
 * Functions called by the compiled code of the prelude and of some statements. Source text cannot name them, but
 * bytecode can: for any argument they raise an error of the language.
 */
const DOC = 'Intrinsic of the compiler.';
/** Characters of texts that are joined in one step. */
const MAX_JOINED_UNITS = 1 << 20;

function noMethod(value: Value, name: Value): never {
  const text = textOf(name);
  return failForNil(
    Errors.AttributeError,
    `${kindName(value)} has no method '${text}'`,
    value === null ? 'receiver' : null,
    text,
  );
}

/** Refuses an argument of a type that the compiler never passes. */
function misused(value: Value): never {
  return fail(Errors.TypeError, `an intrinsic of the compiler cannot use ${kindName(value)} here`);
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : misused(value);
}

function vectorOf(value: Value): Value[] {
  return Array.isArray(value) ? value : misused(value);
}

function hashOf(value: Value): Hash {
  return value instanceof Hash ? value : misused(value);
}

function numberOf(value: Value): number {
  return typeof value === 'number' ? value : misused(value);
}

function like(value: Value, name: Value): Value {
  if (value instanceof Hash || (value instanceof RecordValue && ownMethod(value, 'each') === undefined))
    return new Hash();
  if (value instanceof SetValue) return new SetValue();
  if (value === null || typeof value !== 'object') noMethod(value, name);
  return [];
}

function keep(out: Value, item: Value): null {
  if (Array.isArray(out)) {
    if (out.length >= MAX_ELEMENTS) failTooManyElements();
    out.push(item);
  } else if (out instanceof SetValue) out.add(item);
  else pairInto(out, item);
  return null;
}

function appendFlat(out: Value, value: Value): void {
  const list = vectorOf(out);
  if (list.length + (Array.isArray(value) ? value.length : 1) > MAX_ELEMENTS) failTooManyElements();
  if (Array.isArray(value)) for (const item of list === value ? value.slice() : value) list.push(item);
  else list.push(value);
}

function copy(to: Value, list: Value, first: Value, end: Value): void {
  const out = vectorOf(to);
  const xs = vectorOf(list);
  const from = numberOf(first);
  const until = numberOf(end);
  if (from < 0 || until > xs.length) misused(from < 0 ? from : until);
  for (let i = from; i < until; i++) out.push(xs[i]);
}

/** The values that `each` passes to a function: keys of a hash for one parameter, pairs for more. */
function eachSource(source: Value, fn: Value): Value {
  const single = !(fn instanceof Closure) || fn.fn.arity < 2;
  return source instanceof Hash && single ? source.keys() : source;
}

function group(groups: Value, key: Value, item: Value): void {
  const out = hashOf(groups);
  const stored = hashKey(key);
  const list = out.get(stored);
  if (list === undefined) out.set(stored, [item]);
  else vectorOf(list).push(item);
}

/** The first item for each key. */
function uniqueBy(keys: Value[], items: Value[]): Value[] {
  if (keys.length !== items.length) misused(keys);
  const first = new Map<Value, Value>();
  const wrapped = unique(keys);
  let next = 0;
  // `unique` keeps the first of each key in order, so one pass finds the items.
  keys.forEach((key, i) => {
    if (next < wrapped.length && key === wrapped[next]) {
      first.set(next, items[i]);
      next++;
    }
  });
  return [...first.values()];
}

function pairInto(out: Value, pair: Value): void {
  if (!Array.isArray(pair) || pair.length !== 2)
    fail(Errors.TypeError, `the block must return a [key, value] pair, got ${kindName(pair)}`);
  hashOf(out).set(hashKey(pair[0]), pair[1]);
}

/** [value], or [] if the key is missing. */
function fetched(source: Value, key: Value): Value[] {
  const fields = fieldsOf(source);
  if (fields !== null) {
    const value = fields.get(key);
    return value === undefined ? [] : [value];
  }
  if (!Array.isArray(source)) return noMethod(source, 'fetch');
  const at = isInteger(key) ? Number(key) : NaN;
  const index = at < 0 ? at + source.length : at;
  return index in source ? [source[index]] : [];
}

function integer(value: Value, name: Value): Value {
  return isInteger(value) ? value : noMethod(value, name);
}

/** Whether a value is a vector; refuses those that are neither vector nor hash. */
function changeable(value: Value, name: Value): boolean {
  if (!Array.isArray(value) && !(value instanceof Hash)) noMethod(value, name);
  return Array.isArray(value);
}

/** A vector with the elements that stay, or a hash without the pairs that go. */
function changed(vm: NativeContext, value: Value, list: Value[]): Value | undefined {
  if (Array.isArray(value)) return replaced(value, list);
  const hash = value as Hash;
  return stepped(vm, 'compute', list.length, deleteSteps(hash, list as [Value, Value][]));
}

function* deleteSteps(hash: Hash, pairs: readonly [Value, Value][]): Steps {
  yield* eachInSteps(pairs.length, (i) => hash.delete(pairs[i][0]));
  return hash;
}

function vectorOnly(value: Value, name: Value): Value {
  return Array.isArray(value) ? value : noMethod(value, name);
}

function hashOnly(value: Value, name: Value): Value {
  return value instanceof Hash ? value : noMethod(value, name);
}

/** The Integers between which `bsearch` searches: indexes of a vector, or elements of a range. */
function places(value: Value): readonly [first: Int, end: Int] {
  if (Array.isArray(value)) return [0, value.length];
  const bounds = value instanceof Range ? integerBounds(value) : null;
  if (bounds === null) return noMethod(value, 'bsearch');
  return [bounds.first, bounds.last === null ? endless('bsearch') : (add(bounds.last, 1) as Int)];
}

/** Where `bsearch` continues after an answer of its block: −1 and −2 before the element, 1 after it; 0: it is found. */
function side(answer: Value): number {
  if (isNumber(answer)) {
    const n = toDouble(answer);
    return n === 0 ? 0 : n < 0 ? -2 : 1;
  }
  return answer === true ? -1 : answer === false || answer === null ? 1 : badAnswer(answer);
}

function badAnswer(answer: Value): never {
  return fail(
    Errors.TypeError,
    `bsearch(): the block must return true, false, nil or a number, got ${kindName(answer)}`,
  );
}

/** The results of `scan` for a block with several parameters: without groups, each text with its match. */
function scanned(vm: NativeContext, text: Value, pattern: Value): Value | undefined {
  const subject = subjectOf(text, 'scan');
  const searched = patternOf(pattern, 'scan');
  return harvested(vm, 'scan', subject, searched, {
    visit: (found, out) => {
      const { groups } = found;
      out.add(
        groups.length === 1
          ? [groups[0] as string, new MatchValue(subject, searched, found)]
          : groups.slice(1).map((group) => group ?? null),
      );
    },
  });
}

/** Pairs [text before, match], then the rest with nil, for at most `limit` matches. */
function splitMatches(
  vm: NativeContext,
  text: Value,
  pattern: Value,
  limit: Value,
  name: Value,
  withMatch: Value,
): Value | undefined {
  const what = textOf(name);
  const subject = subjectOf(text, what);
  const searched = patternOf(pattern, what);
  if (isQuicklyMissing(subject, searched)) return [[subject, null]];
  const most = numberOf(limit) > 0 ? (limit as number) : Infinity;
  return harvested(vm, what, subject, searched, new Parts(subject, searched, most, withMatch === true));
}

/** The parts of a text for `splitMatches`. */
class Parts implements Harvest {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly pattern: Pattern,
    private readonly limit: number,
    private readonly withMatch: boolean,
  ) {}

  visit(found: Found, out: Gathered<Value>): boolean {
    const { text, pattern } = this;
    const { start, end } = found;
    const part: Value[] = [text.slice(this.at, start), text.slice(start, end)];
    if (this.withMatch) part.push(new MatchValue(text, pattern, found));
    out.add(part);
    this.at = end;
    return out.count < this.limit;
  }

  end(out: Gathered<Value>): void {
    out.add([this.text.slice(this.at), null]);
  }
}

function subjectOf(text: Value, name: string): string {
  if (typeof text === 'string') return text;
  return text instanceof ErrorValue ? text.message : noMethod(text, name);
}

function patternOf(pattern: Value, name: string): Pattern {
  if (typeof pattern === 'string' || pattern instanceof Regex) return pattern;
  return fail(Errors.TypeError, `${name}() needs a String or Regex, got ${kindName(pattern)}`);
}

/** Joins texts into one. */
function joined(vm: NativeContext, parts: readonly Value[]): Value | undefined {
  if (parts.length > STEP) return vm.inPieces('gsub', joinSteps(parts, ''));
  let units = 0;
  for (let i = 0; i < parts.length; i++) units += textOf(parts[i]).length;
  return units <= MAX_JOINED_UNITS ? parts.join('') : vm.inPieces('gsub', joinSteps(parts, ''));
}

/**
 * The next lines that `each_line` passes to its block, nil at the end: all lines of a text, with their ends, or one of
 * standard input.
 */
function lines(vm: NativeContext, text: Value, first: Value): Value | undefined {
  if (text instanceof InputHandle) return nextLine(vm);
  if (typeof text !== 'string') return noMethod(text, 'each_line');
  return first === true ? finish(lineSteps(text, false)) : null;
}

/** `+x`: returns numbers, and vectors of numbers, unchanged. */
function plus(vm: NativeContext, value: Value): Value | undefined {
  if (Array.isArray(value)) return isLarge(value) ? vm.inPieces('+', twiceNegated(value)) : negate(negate(value));
  return isNumber(value) || value instanceof Numeric
    ? value
    : fail(
        Errors.TypeError,
        `cannot apply a sign to ${kindName(value)}: + before a value is for numbers${typeof value === 'string' ? '; between two strings it joins them' : ''}`,
      );
}

function* twiceNegated(value: Value): Generator<void, Value, void> {
  return yield* negateSteps(yield* negateSteps(value));
}

/**
 * Distributes one argument, taken apart, to a block's parameters of these kinds; nil where there is no value. The first
 * element of the result is the number of optional parameters that got a value.
 */
function arranged(value: Value, kinds: string): Value[] {
  const list = Array.isArray(value) ? value : [value];
  const params = kinds.split(' ').map((kind) => ({ kind: kind as ParamKind }));
  const { places, restEnd } = argumentPlaces(params, list.length, () => false);
  const items = places.map((at, i) => (params[i].kind === 'rest' ? list.slice(at, restEnd) : at < 0 ? null : list[at]));
  return [places.filter((at, i) => at >= 0 && params[i].kind === 'optional').length, ...items];
}

function fields(value: Value): Value {
  return fieldsOf(value) ?? fail(Errors.TypeError, `cannot take ${kindName(value)} apart by keys: it is not a Hash`);
}

function constantAgain(vm: NativeContext, name: Value): void {
  const place = vm.position();
  vm.host.stderr(
    `${place === null ? '' : `${place.file}:${place.line}: `}warning: constant ${textOf(name)} keeps its first value\n`,
  );
}

function isFunction(value: Value): boolean {
  return value instanceof Closure || value instanceof NativeFunction;
}

type Impl = NativeFunction['impl'];

/** The elements of a collection as a new vector. */
function listOf(vm: NativeContext, source: Value, name: Value): Value | undefined | void {
  if (source === null) return noMethod(source, name);
  const own = ownEach(source);
  const isLazy = source instanceof Handle && !(source instanceof SetValue);
  if (own === null && (isLazy || Array.isArray(source))) return elements(source, textOf(name));
  if (own === null) return withElements(vm, source, textOf(name), (list) => list);
  const list: Value[] = [];
  return vm.answering(gathered(own, (item) => list.push(item) > 0, list));
}

/**
 * Whether a value has an own method in place of an iterator: lazy sequences and records do. A method that takes no
 * function, such as those of Bytes, stands for the iterator without a block.
 */
function hasOwn(value: Value, name: string): boolean {
  if (name === 'each') return false;
  if (!(value instanceof Handle)) return ownMethod(value, name) !== undefined;
  if (value instanceof SetValue || value.type === SEQUENCE) return false;
  const method = value.type.methods.get(name);
  return method !== undefined && paramsOf(method).some(({ typeText }) => typeText.includes('Function'));
}

/** Raises an error if the block that is inlined for iterator `name` belongs to a method. */
function inlines(_vm: NativeContext, value: Value, name: Value): void {
  const method = textOf(name);
  if (hasOwn(value, method))
    fail(Errors.TypeError, `\`return\` and labels cannot leave the block of ${kindName(value)}.${method}()`);
}

function intrinsic(name: string, signature: string, impl: Impl): NativeFunction {
  return native(`%${name}`, signature, 'Any', DOC, impl);
}

function matchesAny(patterns: Value, value: Value): boolean {
  return elements(patterns, '*').some((pattern) => matches(pattern, value));
}

function whetherAny(vm: NativeContext, patterns: Value, value: Value): Value | undefined | void {
  const among = (list: Value[]): Value | undefined => vm.inPieces('match', anySteps(list, value));
  if (isLarge(patterns)) return withElements(vm, patterns, '*', among);
  return attempt(matchesAny, patterns, value) ?? among(elements(patterns, '*'));
}

function* anySteps(patterns: readonly Value[], value: Value): Generator<void, boolean, void> {
  for (const pattern of patterns) {
    if (yield* matchSteps(pattern, value)) return true;
    yield;
  }
  return false;
}

/** The intrinsics. */
// prettier-ignore
export const intrinsics: NativeFunction[] = [
  intrinsic('like', 'xs, name', (_vm, xs, name) => like(xs, name)),
  intrinsic('keep', 'out, x', neverSuspends((_vm: NativeContext, out: Value, x: Value) => keep(out, x))),
  intrinsic('append_flat', 'out, x', (_vm, out, x) => appendFlat(out, x)),
  intrinsic('each', 'xs, f', (_vm, xs, f) => eachSource(xs, f)),
  intrinsic('list', 'xs, name', listOf),
  intrinsic('sum_add', 'total, x', neverSuspends((_vm: NativeContext, total: Value, x: Value) => addToSum(vectorOf(total), x))),
  intrinsic('sum_end', 'total', (_vm, total) => endOfSum(vectorOf(total))),
  intrinsic('size', 'xs', neverSuspends((_vm: NativeContext, xs: Value) => vectorOf(xs).length)),
  intrinsic('least', 'a, b', (_vm, a, b) => Math.min(numberOf(a), numberOf(b))),
  intrinsic('copy', 'out, xs, from, to', (_vm, out, xs, from, to) => copy(out, xs, from, to)),
  intrinsic('sort_by', 'keys, items', (vm, keys, items) => (vectorOf(keys).length === vectorOf(items).length ? sortedBy(vm, keys, items) : misused(keys))),
  intrinsic('group', 'out, key, x', (_vm, out, key, x) => group(out, key, x)),
  intrinsic('uniq_by', 'keys, items', (_vm, keys, items) => uniqueBy(vectorOf(keys), vectorOf(items))),
  intrinsic('pair_into', 'out, pair', (_vm, out, pair) => pairInto(out, pair)),
  intrinsic('fetch', 'xs, key', (_vm, xs, key) => fetched(xs, key)),
  intrinsic('integer', 'n, name', (_vm, n, name) => integer(n, name)),
  intrinsic('chars', 'text', (_vm, text) => (typeof text === 'string' ? points(text) : noMethod(text, 'each_char'))),
  intrinsic('lines', 'text, first', lines),
  intrinsic('split_matches', 'text, pattern, limit, name, matches = false', (vm, text, pattern, limit, name, matches) => splitMatches(vm, text, pattern, limit, name, matches)),
  intrinsic('scanned', 'text, pattern', (vm, text, pattern) => scanned(vm, text, pattern)),
  intrinsic('changeable', 'xs, name', (_vm, xs, name) => changeable(xs, name)),
  intrinsic('changed', 'xs, list', (vm, xs, list) => changed(vm, xs, list as Value[])),
  intrinsic('list_only', 'xs, name', (_vm, xs, name) => vectorOnly(xs, name)),
  intrinsic('pairs_only', 'h, name', (_vm, h, name) => hashOnly(h, name)),
  intrinsic('first_place', 'xs', (_vm, xs) => places(xs)[0]),
  intrinsic('end_place', 'xs', (_vm, xs) => places(xs)[1]),
  intrinsic('at_place', 'xs, i', neverSuspends((_vm: NativeContext, xs: Value, i: Value) => (Array.isArray(xs) ? (xs[numberOf(i)] ?? null) : i))),
  intrinsic('side', 'answer', neverSuspends((_vm: NativeContext, answer: Value) => side(answer))),
  intrinsic('join', 'parts', (vm, parts) => joined(vm, vectorOf(parts))),
  intrinsic('arranged', 'value, kinds', (_vm, value, kinds) => arranged(value, textOf(kinds))),
  intrinsic('fields', 'h', (_vm, h) => fields(h)),
  intrinsic('matches_shape', 'shape, x', (vm, shape, x) => attempt(matchesShape, hashOf(shape), x) ?? vm.inPieces('match', shapeSteps(hashOf(shape), x))),
  intrinsic('matches_any', 'patterns, x', whetherAny),
  intrinsic('regex', 'source, flags', (_vm, source, flags) => compileRegex(textOf(source), textOf(flags))),
  intrinsic('regex_part', 'value, flags', neverSuspends((_vm: NativeContext, value: Value, flags: Value) => (value instanceof Regex ? partOfRegex(value, textOf(flags)) : value))),
  intrinsic('constant_again', 'name', constantAgain),
  intrinsic('plus', 'x', plus),
  intrinsic('caused', 'error, cause', caused),
  intrinsic('handling', 'error', neverSuspends(handling)),
  intrinsic('unwinding', 'selector', neverSuspends(unwinding)),
  intrinsic('left', 'before, selector', neverSuspends(left)),
  intrinsic('name_error', 'message', (_vm, message) => fail(Errors.NameError, textOf(message))),
  intrinsic('has_elements', 'x, count, exactly', neverSuspends((_vm: NativeContext, x: Value, count: Value, exactly: Value) => hasElements(x, count, exactly))),
  intrinsic('keys_and_values', 'x', neverSuspends((_vm: NativeContext, x: Value) => keysAndValues(x))),
  intrinsic('has_key', 'h, key', neverSuspends((_vm: NativeContext, h: Value, key: Value) => hasKey(h, key))),
  intrinsic('has_only', 'h, count', neverSuspends((_vm: NativeContext, h: Value, count: Value) => hasOnly(h, count))),
  intrinsic('without', 'h, keys', (vm, h, keys) => stepped(vm, 'match', hashOf(h).size, without(hashOf(h), vectorOf(keys)))),
  intrinsic('no_match', 'x', (_vm, x) => noMatch(x)),
  intrinsic('calls_back', 'recv, f, name', (_vm, recv, f, name) => isFunction(f) && !hasOwn(recv, textOf(name))),
  intrinsic('inlines', 'recv, name', inlines),
  intrinsic('numbered', 'f, from', (_vm, f, from) => new NumberedFunction(f, from)),
  intrinsic('negates', 'x', neverSuspends((_vm: NativeContext, x: Value) => ownMethod(x, '!') !== undefined)),
];
