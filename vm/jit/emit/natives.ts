import type { Instruction } from '../../bytecode/decode.js';
import { OTHER_RECEIVER, RECEIVERS } from '../../interpreter/feedback.js';
import { canBeMissing, inlineForm, isNonSuspending, paramsOf, quickForm } from '../../calls/native.js';
import type { NativeFunction, NativeParam } from '../../values/function.js';
import { HandleType } from '../../values/handle.js';
import { EnumType, RecordType } from '../../values/structured.js';
import { TypeValue } from '../../values/types.js';
import { ABSENT, type Value } from '../../values/value.js';
import type { Generator } from './generator.js';
import { isInstance } from './kinds.js';
import { ofRecordType, typeTest } from './operands.js';

/** The test whether an argument in a register has the type of a parameter; empty if it always has. */
function test(g: Generator, { typeText, check }: NativeParam, r: string): string {
  const literal = g.literals.inNamed(r);
  if (literal !== undefined && check(literal as Value)) return '';
  return typeText === 'Any' ? '' : (typeTest(typeText, r) ?? `${g.value(check)}(${r})`);
}

/** A direct call of a native's implementation, and the condition under which the arguments need no binding. */
export interface DirectCall {
  condition: string;
  call: string;
  /** `call` always returns a value, without waiting. */
  neverSuspends: boolean;
  /** `call` runs compiled code of the program: it never requests a callee. */
  runsCallee: boolean;
}

/** How to call `fn` without binding its arguments; null if they need binding. `receiver` is given for methods. */
export function directCall(
  g: Generator,
  fn: NativeFunction,
  args: readonly string[],
  receiver: string | null = null,
): DirectCall | null {
  const params = paramsOf(fn);
  const hasRest = params.length > 0 && params[params.length - 1].kind === 'rest';
  const plain = hasRest ? params.slice(0, -1) : params;
  const missing = plain.slice(args.length);
  if (plain.slice(0, args.length).some(({ kind }) => kind !== 'plain') || (args.length > plain.length && !hasRest))
    return null;
  if (!missing.every(canBeMissing)) return null;
  const rest = args.slice(plain.length);
  const tests = args.map((r, i) => test(g, params[Math.min(i, params.length - 1)], r)).filter((text) => text !== '');
  const given = [
    ...args.slice(0, plain.length),
    ...missing.map((param) => g.value(param.default as Value)),
    ...(hasRest ? [`[${rest.join(',')}]`] : []),
  ];
  return {
    condition: tests.join('&&'),
    call: callText(g, fn, receiver === null ? given : [receiver, ...given]),
    neverSuspends: isNonSuspending(fn),
    runsCallee: false,
  };
}

/** A call of a native with all its arguments, of which the first is the receiver of a method. */
function callText(g: Generator, fn: NativeFunction, given: readonly string[]): string {
  const call = (): string => `${g.value(fn.impl)}(${['vm', ...given].join(',')})`;
  if (isNonSuspending(fn)) return inlineForm(fn, given[0]) ?? call();
  const quick = quickForm(fn);
  return quick === undefined ? `answer(${call()})` : `(${g.value(quick)}(${given.join(',')})??answer(${call()}))`;
}

/** Record types with a method of one name that are tested inline. */
const MAX_OWN = 4;

/**
 * Direct calls of the methods `name` of the program's records. A method that no call has reached at this place is not
 * taken for a recursion, which would double the code of the function (`Generator.target`).
 */
export function ownCalls(
  g: Generator,
  name: string,
  r: string,
  args: readonly string[],
  isReached = true,
): DirectCall[] {
  const calls: DirectCall[] = [];
  for (const type of g.fn.types) {
    if (!(type instanceof RecordType)) continue;
    const method = type.methods?.get(name);
    if (method === undefined || !method.fn.takes(args.length + 1)) continue;
    if (calls.length === MAX_OWN) break;
    const absent = Array.from({ length: method.fn.arity - args.length - 1 }, () => g.value(ABSENT));
    calls.push({
      condition: ofRecordType(g, type, r),
      call: `${isReached ? g.target(method.fn) : `${g.value(method.fn.entry)}.jit`}(${[g.value(method), 'd+1', r, ...args, ...absent].join(',')})`,
      neverSuspends: false,
      runsCallee: true,
    });
  }
  return calls;
}

/** The call of a function of the program that is a value. */
export function closureCall(f: string, args: readonly string[]): DirectCall {
  return {
    condition: `${f} instanceof Closure&&${f}.entry.arity===${args.length}`,
    call: `${f}.entry.jit(${[f, 'd+1', ...args].join(',')})`,
    neverSuspends: false,
    runsCallee: true,
  };
}

/** Receiver kinds whose methods are called directly, with their tests. */
const TESTS_OF_RECEIVERS: readonly (readonly [kind: string, is: (r: string) => string])[] = [
  ['String', (r) => `typeof ${r}==='string'`],
  ['Vector', (r) => `Array.isArray(${r})`],
  ['Hash', (r) => isInstance(r, 'Hash')],
  ['Integer', (r) => `typeof ${r}==='number'`],
  ['Float', (r) => isInstance(r, 'Float')],
];
/** Receiver kinds assumed where none has been seen. */
const USUAL = RECEIVERS.String | RECEIVERS.Vector | RECEIVERS.Hash;

/** The direct call of a method of a type that the code names, such as `Kind.include?(x)`; null if there is none. */
function typeCall(g: Generator, name: string, b: number, args: readonly string[]): DirectCall | null {
  const type = g.literals.in(b);
  const isType = type instanceof EnumType || type instanceof TypeValue || type instanceof HandleType;
  const fn = isType ? g.tables.find(type, name) : undefined;
  const direct = fn === undefined ? null : directCall(g, fn, args, `r${b}`);
  return direct === null ? null : { ...direct, condition: direct.condition === '' ? 'true' : direct.condition };
}

/**
 * Direct calls of method `name` of register `b` at instruction `pc`, one for each receiver kind seen there, with its
 * condition.
 */
export function methodCalls(g: Generator, pc: number, name: string, b: number, args: readonly string[]): DirectCall[] {
  const ofType = typeCall(g, name, b, args);
  if (ofType !== null) return [ofType];
  const r = `r${b}`;
  const noted = g.feedback(pc);
  const seen = noted & (OTHER_RECEIVER - 1);
  const cache = g.fn.caches[pc];
  const calls = ownCalls(g, name, r, args, seen === 0 || noted !== seen);
  if (cache !== undefined && cache.methods !== null)
    attempt(
      g,
      calls,
      cache.methods.get(name),
      `${r} instanceof Handle&&${r}.type===${g.value(cache.handleType)}`,
      r,
      args,
    );
  if (name === 'call') calls.push(closureCall(r, args));
  for (const [kind, is] of TESTS_OF_RECEIVERS) {
    if (((seen === 0 ? USUAL : seen) & RECEIVERS[kind]) !== 0)
      attempt(g, calls, g.tables.table(kind).get(name), is(r), r, args);
  }
  return calls;
}

function attempt(
  g: Generator,
  calls: DirectCall[],
  fn: NativeFunction | undefined,
  condition: string,
  r: string,
  args: readonly string[],
): void {
  const direct = fn === undefined ? null : directCall(g, fn, args, r);
  if (direct !== null)
    calls.push({ ...direct, condition: direct.condition === '' ? condition : `${condition}&&${direct.condition}` });
}

/**
 * Emits a method call that stores its result in register `a`: one of `calls` if its condition holds, else `otherwise`.
 */
export function callKnown(
  g: Generator,
  instruction: Instruction,
  calls: readonly DirectCall[],
  otherwise: string,
): void {
  if (calls.length > 0 && calls.every(({ neverSuspends }) => neverSuspends)) {
    const known = calls.map(({ condition, call }) => `if(${condition})r${instruction.a}=${call};else `).join('');
    g.out(`${known}${g.fuel.within(g.answered(instruction, otherwise))}`);
    return;
  }
  const own = calls.filter(({ runsCallee }) => runsCallee);
  const others = chain(
    calls.filter(({ runsCallee }) => !runsCallee),
    otherwise,
  );
  if (own.length === 0) g.helper(instruction, others);
  // Where a method of the program suspends, V8 has no feedback for a call of `callee`.
  else g.call(instruction, chain(own, `(u=${others})===undefined?callee(d):u`));
}

/** As `callKnown`, as an expression. */
export function chain(calls: readonly DirectCall[], otherwise: string): string {
  return calls.map(({ condition, call }) => `${condition}?${call}:`).join('') + otherwise;
}
