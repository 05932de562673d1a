import type { MethodTables } from '../members.js';
import { paramsOf } from '../native.js';
import type { NativeFunction, NativeParam } from '../values/function.js';
import type { Value } from '../values/value.js';
import type { Generator } from './generator.js';

/** Tests for the types of arguments that JavaScript can make itself. */
const TESTS: Record<string, (r: string) => string> = {
  Any: () => '',
  String: (r) => `typeof ${r}==='string'`,
  Integer: (r) => `(typeof ${r}==='number'||typeof ${r}==='bigint')`,
  Vector: (r) => `Array.isArray(${r})`,
  Hash: (r) => `${r} instanceof Hash`,
};

function test(g: Generator, { typeText, check }: NativeParam, r: string): string {
  return Object.hasOwn(TESTS, typeText) ? TESTS[typeText](r) : `${g.value(check)}(${r})`;
}

/** A call of a native's own function, and the condition under which its arguments are right as they stand. */
export interface DirectCall {
  condition: string;
  call: string;
}

/** How to call `fn` without binding its arguments; null when they have to be bound. `receiver`: of a method. */
export function directCall(g: Generator, fn: NativeFunction, args: readonly string[], receiver: string | null = null): DirectCall | null {
  const params = paramsOf(fn);
  const before = receiver === null ? ['vm'] : ['vm', receiver];
  if (params.length === 1 && params[0].kind === 'rest' && params[0].typeText === 'Any') return { condition: '', call: called(g, fn, [...before, `[${args.join(',')}]`]) };
  if (args.length > params.length || params.some(({ kind }) => kind !== 'plain')) return null;
  const missing = params.slice(args.length);
  if (missing.some((param) => param.default === undefined)) return null;
  const tests = args.map((r, i) => test(g, params[i], r)).filter((text) => text !== '');
  return { condition: tests.join('&&'), call: called(g, fn, [...before, ...args, ...missing.map((param) => g.value(param.default as Value))]) };
}

function called(g: Generator, fn: NativeFunction, args: readonly string[]): string {
  return `answer(${g.value(fn.impl)}(${args.join(',')}))`;
}

/** Receivers whose methods are called directly, by the tables of their methods. */
const RECEIVERS: Record<string, (r: string) => string> = {
  String: (r) => `typeof ${r}==='string'`,
  Vector: (r) => `Array.isArray(${r})`,
  Hash: (r) => `${r} instanceof Hash`,
};

/** An expression that calls method `name` of register `r` directly where it can, else as `otherwise` says. */
export function methodCall(g: Generator, tables: MethodTables, name: string, r: string, args: readonly string[], otherwise: string): string {
  let expression = '';
  for (const [kind, is] of Object.entries(RECEIVERS)) {
    const fn = tables.byKind.get(kind)?.get(name);
    const direct = fn === undefined ? null : directCall(g, fn, args, r);
    if (direct !== null) expression += `${is(r)}${direct.condition === '' ? '' : `&&${direct.condition}`}?${direct.call}:`;
  }
  return expression + otherwise;
}
