import { methods, native } from '../../vm/calls/native.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { MethodGroup } from '../../vm/values/methodgroup.js';
import { BUILTIN_TYPES, type TypeValue } from '../../vm/values/types.js';
import type { Float } from '../../vm/values/value.js';

/**
 * A declaration: names separated by blanks (the others are aliases), signature, result, doc sentence, implementation.
 */
export type Row = readonly [
  names: string,
  signature: string,
  result: string,
  doc: string,
  impl: NativeFunction['impl'],
];

/** An Integer, and any number, as received by natives. */
export type Int = number | bigint;
export type Num = Int | Float;

/** One row for each of the names. Runs for the whole library at each start: without iterators, which are slow at first. */
export function unfold(rows: readonly Row[]): Row[] {
  const all: Row[] = [];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (!row[0].includes(' ')) all.push(row);
    else for (const name of row[0].split(' ')) all.push([name, row[1], row[2], row[3], row[4]]);
  }
  return all;
}

/** The rows of a declaration with several names whose messages contain the name that is called. */
export function rowsFor(names: string, row: (name: string) => Row): Row[] {
  return names.split(' ').map(row);
}

/** Native functions from rows. */
export function functions(rows: readonly Row[]): NativeFunction[] {
  return unfold(rows).map((row) => native(row[0], row[1], row[2], row[3], row[4]));
}

/** Methods of `owner` from rows; an implementation receives the VM, the receiver, the arguments. */
export function methodsOf(owner: string, rows: readonly Row[]): NativeFunction[] {
  return methods(owner, unfold(rows));
}

/** As `methodsOf`, but `rows` is called, and the methods are made, when one of them is first looked up. */
export function methodGroup(owner: string, rows: () => readonly Row[]): MethodGroup {
  return new MethodGroup(owner, () => methodsOf(owner, rows()));
}

/** Methods of a built-in type itself, such as `Hash.new`, from rows; an implementation receives the type as well. */
export function methodsOfType(name: string, rows: readonly Row[]): NativeFunction[] {
  const made = methodsOf(name, rows);
  for (const fn of made) (BUILTIN_TYPES.get(name) as TypeValue).statics.set(fn.name, fn);
  return made;
}

/**
 * The same rows for another receiver, which is first converted to what the implementations expect: a range to its
 * elements. Fixed parameters instead of a rest: these wrappers precede hot methods.
 */
export function converted<T, R>(rows: readonly Row[], convert: (receiver: T, name: string) => R): Row[] {
  return unfold(rows).map(([name, signature, result, doc, impl]) => {
    const wrapped: NativeFunction['impl'] = (vm: unknown, receiver: T, a: unknown, b: unknown, c: unknown) =>
      impl(vm, convert(receiver, name), a, b, c);
    return [name, signature, result, doc, wrapped];
  });
}

/** The rows with one of these names. */
export function only(rows: readonly Row[], names: string): Row[] {
  const wanted = new Set(names.split(' '));
  return unfold(rows).filter(([name]) => wanted.has(name));
}

/** The rows with none of these names. */
export function without(rows: readonly Row[], names: string): Row[] {
  const unwanted = new Set(names.split(' '));
  return unfold(rows).filter(([name]) => !unwanted.has(name));
}
