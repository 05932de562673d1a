import { elements } from '../../vm/iteration.js';
import { fieldsOf, hashKey } from '../../vm/members.js';
import { matches, matchesShape } from '../../vm/match.js';
import { native } from '../../vm/native.js';
import { unique } from '../../vm/values/unique.js';
import { concat } from '../../vm/values/arithmetic.js';
import { points } from '../../vm/values/codepoints.js';
import { RecordValue, Regex } from '../../vm/values/compound.js';
import { Errors, ErrorValue, fail } from '../../vm/values/error.js';
import { Closure, NativeFunction } from '../../vm/values/function.js';
import { Handle } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { compileRegex } from '../../vm/values/regex.js';
import { typeName } from '../../vm/values/types.js';
import { isInteger, type Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { sortedBy } from './collections/sort.js';
import { findAll } from './regex/engine.js';

/** What the compiled code of the prelude and of some statements calls. No program can name these. */
const DOC = 'Intrinsic of the compiler.';

function nameOf(value: Value): string {
  return value === null ? 'nil' : typeName(value);
}

function noMethod(value: Value, name: string): never {
  return fail(Errors.AttributeError, `${nameOf(value)} has no method '${name}'`);
}

function like(value: Value, name: string): Value {
  if (value instanceof Hash || value instanceof RecordValue) return new Hash();
  if (value === null || typeof value !== 'object') noMethod(value, name);
  return [];
}

function keep(out: Value, item: Value): void {
  if (out instanceof Hash) out.set((item as Value[])[0], (item as Value[])[1]);
  else (out as Value[]).push(item);
}

function appendFlat(out: Value[], value: Value): void {
  if (Array.isArray(value)) for (const item of value) out.push(item);
  else out.push(value);
}

/** What `each` goes through with a function value: keys of a hash for one parameter, pairs for more. */
function eachSource(source: Value, fn: Value): Value {
  const single = !(fn instanceof Closure) || fn.fn.arity < 2;
  return source instanceof Hash && single ? source.keys() : source;
}

function group(out: Hash, key: Value, item: Value): void {
  const list = out.get(key);
  if (list === undefined) out.set(hashKey(key), [item]);
  else (list as Value[]).push(item);
}

/** The first item of each key. */
function uniqueBy(keys: Value[], items: Value[]): Value[] {
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

function pairInto(out: Hash, pair: Value): void {
  if (!Array.isArray(pair) || pair.length !== 2) fail(Errors.TypeError, `the block must give a [key, value] pair, got ${nameOf(pair)}`);
  out.set(hashKey((pair as Value[])[0]), (pair as Value[])[1]);
}

/** [value], or [] when there is none. */
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

function integer(value: Value, name: string): Value {
  return isInteger(value) ? value : noMethod(value, name);
}

/** [text before, match] pairs, and the rest with nil; all matches, or only the first. */
function splitMatches(text: Value, pattern: Value, limit: number, name: string): Value[] {
  const subject = text instanceof ErrorValue ? text.message : text;
  if (typeof subject !== 'string') return noMethod(text, name);
  if (typeof pattern !== 'string' && !(pattern instanceof Regex)) return fail(Errors.TypeError, `${name}() needs a String or Regex, got ${nameOf(pattern)}`);
  const out: Value[] = [];
  let at = 0;
  for (const { start, end } of findAll(subject, pattern, limit > 0 ? limit : Infinity)) {
    out.push([subject.slice(at, start), subject.slice(start, end)]);
    at = end;
  }
  out.push([subject.slice(at), null]);
  return out;
}

/** Lines with their ends, as `each_line` gives them. */
function lines(text: Value): Value[] {
  if (typeof text !== 'string') return noMethod(text, 'each_line');
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Notes what an error was raised in the handling of. */
function caused(vm: VM, error: Value, cause: Value): Value {
  const value = error instanceof ErrorValue ? error : vm.toError(error).value;
  if (cause instanceof ErrorValue && cause !== value) value.cause ??= cause;
  return value;
}

function fields(value: Value): Value {
  return fieldsOf(value) ?? fail(Errors.TypeError, `cannot take ${nameOf(value)} apart by keys: it is no Hash`);
}

function constantAgain(vm: VM, name: string): void {
  const place = vm.position();
  vm.host.stderr(`${place === null ? '' : `${place.file}:${place.line}: `}warning: constant ${name} keeps its first value\n`);
}

function isFunction(value: Value): boolean {
  return value instanceof Closure || value instanceof NativeFunction;
}

type Impl = NativeFunction['impl'];

function intrinsic(name: string, signature: string, impl: Impl): NativeFunction {
  return native(`%${name}`, signature, 'Any', DOC, impl);
}

/** Intrinsics over collections and texts. */
export const intrinsics: NativeFunction[] = [
  intrinsic('like', 'xs, name', (_vm, xs, name) => like(xs, name)),
  intrinsic('keep', 'out, x', (_vm, out, x) => keep(out, x)),
  intrinsic('append_flat', 'out, x', (_vm, out, x) => appendFlat(out, x)),
  intrinsic('each', 'xs, f', (_vm, xs, f) => eachSource(xs, f)),
  intrinsic('list', 'xs, name', (_vm, xs, name) => elements(xs, name)),
  intrinsic('size', 'xs', (_vm, xs: Value[]) => xs.length),
  intrinsic('least', 'a, b', (_vm, a: number, b: number) => Math.min(a, b)),
  intrinsic('copy', 'out, xs, from, to', (_vm, out: Value[], xs: Value[], from: number, to: number) => { for (let i = from; i < to; i++) out.push(xs[i]); }),
  intrinsic('sort_by', 'keys, items', (vm, keys, items) => sortedBy(vm, keys, items)),
  intrinsic('group', 'out, key, x', (_vm, out, key, x) => group(out, key, x)),
  intrinsic('uniq_by', 'keys, items', (_vm, keys, items) => uniqueBy(keys, items)),
  intrinsic('pair_into', 'out, pair', (_vm, out, pair) => pairInto(out, pair)),
  intrinsic('fetch', 'xs, key', (_vm, xs, key) => fetched(xs, key)),
  intrinsic('integer', 'n, name', (_vm, n, name) => integer(n, name)),
  intrinsic('chars', 'text', (_vm, text) => (typeof text === 'string' ? points(text) : noMethod(text, 'each_char'))),
  intrinsic('lines', 'text', (_vm, text) => lines(text)),
  intrinsic('split_matches', 'text, pattern, limit, name', (_vm, text, pattern, limit, name) => splitMatches(text, pattern, limit, name)),
  intrinsic('join', 'parts', (_vm, parts: string[]) => parts.reduce(concat, '')),
  intrinsic('fields', 'h', (_vm, h) => fields(h)),
  intrinsic('matches_shape', 'shape, x', (_vm, shape, x) => matchesShape(shape as Hash, x)),
  intrinsic('matches_any', 'patterns, x', (_vm, patterns, x) => elements(patterns, '*').some((pattern) => matches(pattern, x))),
  intrinsic('regex', 'source, flags', (_vm, source, flags) => compileRegex(source, flags)),
  intrinsic('constant_again', 'name', constantAgain),
  intrinsic('caused', 'error, cause', caused),
  intrinsic('name_error', 'message', (_vm, message) => fail(Errors.NameError, message)),
  intrinsic('calls_back', 'recv, f', (_vm, recv, f) => isFunction(f) && !(recv instanceof Handle)),
];
