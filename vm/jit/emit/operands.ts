import { definesOperators } from '../../interpreter/ownoperators.js';
import { OTHER } from '../../interpreter/feedback.js';
import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import { Range, type RecordType } from '../../values/structured.js';
import { Float } from '../../values/value.js';
import type { Generator } from './generator.js';
import { isInstance, ofObject } from './kinds.js';

/**
 * An operator's helper call as a plain expression, used if only numbers were seen and no record defines operators: without
 * an exit, the code is small enough for V8 to inline. Null if other operands were seen or the fuel is in a local; then
 * use `Generator.operator`.
 */
export function atOnce(g: Generator, pc: number, helper: string, a: string, b: string | number): string | null {
  return g.fuel.isLocal || (g.feedback(pc) & OTHER) !== 0 || definesOperators(g.fn.types)
    ? null
    : `${helper}(${a},${b},FN,${pc})`;
}

/** Joins conditions, of which empty ones always hold. */
export function all(...conditions: readonly string[]): string {
  return conditions.filter((condition) => condition !== '').join('&&') || 'true';
}

/** Condition that registers hold JavaScript numbers; empty if all of them hold literals that are. */
export function areNumbers(g: Generator, ...registers: readonly number[]): string {
  const tested = registers.filter((r) => typeof g.literals.in(r) !== 'number');
  return tested.map((r) => `typeof r${r}==='number'`).join('&&');
}

/** Whether a register can hold a Float: it holds no other literal. */
function mayBeFloat(g: Generator, r: number): boolean {
  const value = g.literals.in(r);
  return value === undefined || value instanceof Float;
}

/** Condition that two registers hold Floats; null if one of them cannot. */
export function areFloats(g: Generator, b: number, c: number): string | null {
  return mayBeFloat(g, b) && mayBeFloat(g, c)
    ? `${isInstance(`r${b}`, 'Float')}&&${isInstance(`r${c}`, 'Float')}`
    : null;
}

/** The range that an instruction makes if both bounds are Integers, or short texts without surrogates; else null. */
export function rangeOf(g: Generator, { b, c, info }: Instruction): Range | null {
  const [lo, hi] = [g.literals.in(b), g.literals.in(c)];
  return isBound(lo) && isBound(hi) && typeof lo === typeof hi ? new Range(lo, hi, info.op === Op.RANGEX) : null;
}

const LONGEST_BOUND = 64;

function isBound(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= LONGEST_BOUND && isBasic(value));
}

function isBasic(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0xd800) return false;
  return true;
}

/** The test whether `x` is a record of `type`, which is the `type` of no other value. */
export function ofRecordType(g: Generator, type: RecordType, x: string): string {
  return ofObject(x, () => `${x}.type===${g.value(type)}`);
}

/** The tests of common built-in types as JavaScript. */
const TYPE_TESTS: Readonly<Record<string, (x: string) => string>> = {
  Nil: (x) => `${x}===null`,
  Boolean: (x) => `typeof ${x}==='boolean'`,
  Integer: (x) => `(typeof ${x}==='number'||typeof ${x}==='bigint')`,
  Float: (x) => isInstance(x, 'Float'),
  String: (x) => `typeof ${x}==='string'`,
  Vector: (x) => `Array.isArray(${x})`,
  Hash: (x) => isInstance(x, 'Hash'),
  Record: (x) => isInstance(x, 'RecordValue'),
};

/** The condition under which `x` is of the built-in type `name`; null for a type that is tested by a call. */
export function typeTest(name: string, x: string): string | null {
  return Object.hasOwn(TYPE_TESTS, name) ? TYPE_TESTS[name](x) : null;
}
