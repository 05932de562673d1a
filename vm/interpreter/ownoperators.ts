/** Operators that a record type defines as methods. */
import type { Caller } from '../calls/caller.js';
import { afterwards } from '../calls/native.js';
import { attempt } from '../values/cost.js';
import { Errors, fail } from '../values/error.js';
import type { Closure } from '../values/function.js';
import { ownMethod, RecordType, RecordValue } from '../values/structured.js';
import { Hash } from '../values/hash.js';
import { formatSteps, formatText } from '../values/text/format.js';
import { typeName } from '../values/types.js';
import { Float, type Value } from '../values/value.js';

/** Names of methods that are operators. */
const OPERATOR = /^\W/;

/**
 * Thrown by an operator whose left operand defines it. The interpreter calls `start`, whose result becomes that of the
 * instruction; undefined means what it does for calls.
 */
export class OperatorCall {
  constructor(readonly start: (vm: Caller) => Value | undefined) {}
}

/** Calls `fn`, then makes the result of the instruction of its value. */
function callAnd(vm: Caller, fn: Closure, args: Value[], done: (value: Value) => Value | undefined): undefined {
  return vm.callThen(fn, args, {
    done,
  });
}

/** @throws OperatorCall if `a` defines the operator */
export function callOwn(a: Value, name: string, args: Value[]): void {
  const fn = ownMethod(a, name);
  if (fn !== undefined) throw new OperatorCall(invoking(fn, [a, ...args]));
}

// The closures are made in functions of their own: V8 makes room for what a function's closures use whenever it is called.

const invoking =
  (fn: Closure, args: Value[]) =>
  (vm: Caller): Value | undefined =>
    vm.invoke(fn, args, null);

/** `a == b` by the method of `a`. @throws OperatorCall */
export function callOwnEqual(a: Value, b: Value): void {
  const fn = ownMethod(a, '==');
  if (fn !== undefined) throw new OperatorCall(asking(fn, a, b));
}

const asking =
  (fn: Closure, a: Value, b: Value) =>
  (vm: Caller): undefined =>
    callAnd(vm, fn, [a, b], (value) => value !== null && value !== false);

function noOrder(a: Value, b: Value): never {
  return fail(Errors.TypeError, `cannot compare ${typeName(a)} and ${typeName(b)}: <=> returned nil`);
}

/** A comparison by the method of its own, else by `<=>`, whose result `test` judges. @throws OperatorCall */
export function callOwnOrder(a: Value, name: string, b: Value, test: (order: number) => Value): void {
  if (!(a instanceof RecordValue)) return;
  callOwn(a, name, [b]);
  const fn = ownMethod(a, '<=>');
  if (fn !== undefined) throw new OperatorCall(ordering(fn, a, b, test));
}

const ordering =
  (fn: Closure, a: Value, b: Value, test: (order: number) => Value) =>
  (vm: Caller): undefined =>
    callAnd(vm, fn, [a, b], (value) => test(value === null ? noOrder(a, b) : orderOf(value, a, b)));

/** `a[index] = value` by the method of `a`. @throws OperatorCall */
export function callOwnStore(a: Value, index: Value, value: Value): void {
  const fn = ownMethod(a, '[]=');
  // The register of the receiver gets the result of the instruction.
  if (fn !== undefined) throw new OperatorCall((vm) => callAnd(vm, fn, [a, index, value], () => a));
}

/** Whether a value is a record whose text is made by its own method. */
export function hasOwnText(value: Value, method = 'to_s'): boolean {
  return ownMethod(value, method) !== undefined;
}

/** Replaces records in `parts`, from index `from`, by the texts of their own method, then calls `done`. */
export function ownTexts(
  vm: Caller,
  parts: Value[],
  method: string,
  done: (parts: Value[]) => Value | undefined,
  from = 0,
): Value | undefined {
  for (let i = from; i < parts.length; i++) {
    const fn = ownMethod(parts[i], method);
    if (fn === undefined) continue;
    return callAnd(vm, fn, [parts[i]], (text) => {
      if (typeof text !== 'string') fail(Errors.TypeError, `${method} must return a String, got ${typeName(text)}`);
      parts[i] = text;
      return ownTexts(vm, parts, method, done, i + 1);
    });
  }
  return done(parts);
}

/**
 * Makes a text by `run`, to which a function gives the texts that records make of themselves. The first time it notes
 * these records; then their `to_s` are called, which may wait, and if there were any, `run` is called again with the texts.
 */
export function withOwnTexts(
  vm: Caller,
  run: (own: (value: Value) => string | undefined) => Value | undefined,
): Value | undefined {
  const records = new Set<Value>();
  const draft = (value: Value): string | undefined => {
    if (!hasOwnText(value)) return undefined;
    records.add(value);
    return '';
  };
  return afterwards(
    vm,
    () => run(draft),
    (text) => {
      const shown = [...records];
      if (shown.length === 0) return text;
      return ownTexts(vm, shown.slice(), 'to_s', (texts) => {
        const known = new Map(shown.map((record, i) => [record, texts[i] as string]));
        return run((value) => known.get(value));
      });
    },
  );
}

/**
 * Fills a format with values; `%s` shows records by their own `to_s`. In pieces if that takes long.
 * @throws ArgumentError, TypeError, KeyError, ValueError
 */
export function formatted(vm: Caller, format: string, values: readonly Value[]): Value | undefined {
  return mayShowRecords(values) ? withOwnTexts(vm, (own) => fill(vm, format, values, own)) : fill(vm, format, values);
}

function fill(
  vm: Caller,
  format: string,
  values: readonly Value[],
  own?: (value: Value) => string | undefined,
): Value | undefined {
  return (
    attempt((text, all) => formatText(text, all, own), format, values) ??
    vm.inPieces('format', formatSteps(format, values, own))
  );
}

/** Values of a format among which records are looked for; with more, there may be some. */
const LOOKED_AT = 256;

function mayShowRecords(values: readonly Value[]): boolean {
  if (!RecordType.haveTexts) return false;
  return (
    values.length > LOOKED_AT ||
    values.some(
      (one) =>
        hasOwnText(one) ||
        (one instanceof Hash && (one.size > LOOKED_AT || one.values().some((inner) => hasOwnText(inner)))),
    )
  );
}

/** `text % values` if it may show a record by its own `to_s`. @throws OperatorCall */
export function callOwnFormat(text: Value, given: Value): void {
  if (!RecordType.haveTexts || typeof text !== 'string') return;
  const values = Array.isArray(given) ? given : [given];
  if (mayShowRecords(values)) throw new OperatorCall((vm) => formatted(vm, text, values));
}

/** The number that a `<=>` returned. @throws TypeError */
export function orderOf(value: Value, a: Value, b: Value): number {
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value.n;
  if (value === null) return NaN;
  return fail(
    Errors.TypeError,
    `<=> of ${typeName(a)} and ${typeName(b)} must return an Integer or nil, got ${typeName(value)}`,
  );
}

const known = new WeakMap<readonly Value[], boolean>();

/** Whether a record among a program's types defines an operator. */
export function definesOperators(types: readonly Value[]): boolean {
  let defines = known.get(types);
  if (defines === undefined) {
    defines = types.some((type) => type instanceof RecordType && [...(type.methods?.keys() ?? [])].some(isOperator));
    known.set(types, defines);
  }
  return defines;
}

/** Whether a method's name is an operator; `to_s` counts, because interpolation calls it. */
function isOperator(name: string): boolean {
  return OPERATOR.test(name) || name === 'to_s';
}
