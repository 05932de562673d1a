import { argumentPlaces } from '../bytecode/argumentplaces.js';
import { charge } from '../values/cost.js';
import { Errors, fail } from '../values/error.js';
import { NameList, type Closure, type Fn } from '../values/function.js';
import { countText, noParameter } from './native.js';
import { Hash } from '../values/hash.js';
import { ABSENT, type Value } from '../values/value.js';

/**
 * Registers of an activation that starts with these arguments; parameters without one are absent. Arguments beyond the
 * parameters are ignored: only compiled code uses them.
 */
export function registersFor(fn: Fn, args: readonly Value[]): Value[] {
  const regs = fn.blank.slice();
  for (let i = 0; i < fn.arity; i++) regs[i] = i < args.length ? args[i] : ABSENT;
  return regs;
}

/**
 * Registers of a new activation of `closure`. Takes the positional arguments first, then the named ones (the last ones,
 * named by `names`), and marks absent ones. A block is the named argument `&`.
 * @throws ArgumentError with the signature
 */
export function bindClosure(closure: Closure, args: Value[], names: NameList | null): Value[] {
  const { fn } = closure;
  if (names === null && (fn.entry.arity === args.length || fn.takes(args.length))) return registersFor(fn, args);
  const regs = fn.blank.slice();
  const given = args.length - (names === null ? 0 : names.names.length);
  const positional = given === args.length ? args : args.slice(0, given);
  if (fn.lenient) bindLenient(fn, regs, positional);
  else bindStrict(fn, regs, positional, names === null ? [] : names.names);
  if (names !== null) names.names.forEach((name, i) => bindNamed(fn, regs, name, args[given + i], given));
  checkRequired(fn, regs, given, given < args.length);
  return regs;
}

const neverNamed = (): boolean => false;

/**
 * Binds a block's arguments: drops surplus ones, sets missing ones to nil, and spreads a single vector over several
 * parameters.
 */
function bindLenient(fn: Fn, regs: Value[], args: Value[]): void {
  const { params } = fn;
  const apart = args.length === 1 && Array.isArray(args[0]) && params.length > 1;
  fillRegisters(fn, regs, apart ? (args[0] as Value[]) : args, neverNamed, -1);
  params.forEach(({ kind }, i) => {
    if (kind === 'required' && regs[i] === ABSENT) regs[i] = null;
  });
}

function bindStrict(fn: Fn, regs: Value[], args: Value[], names: readonly string[]): void {
  const blockAt = names[names.length - 1] === '&' ? blockParameter(fn) : -1;
  const isNamed = names.length === 0 ? neverNamed : (i: number): boolean => names.includes(fn.params[i].name);
  if (fillRegisters(fn, regs, args, isNamed, blockAt) < args.length) badCount(fn, args.length + (blockAt >= 0 ? 1 : 0));
}

/** Puts positional arguments into the registers of their parameters. Returns the number of arguments used. */
function fillRegisters(fn: Fn, regs: Value[], args: Value[], isNamed: (i: number) => boolean, blockAt: number): number {
  const { places, restEnd, taken } = argumentPlaces(fn.params, args.length, isNamed, blockAt);
  places.forEach((at, i) => {
    const { kind } = fn.params[i];
    if (kind === 'options') regs[i] = new Hash();
    else if (kind === 'rest') regs[i] = args.slice(at, restEnd);
    else regs[i] = at < 0 ? ABSENT : args[at];
  });
  return taken;
}

/** Index of the parameter that receives a block: the last positional one; −1 if there is none. */
function blockParameter(fn: Fn): number {
  for (let i = fn.params.length - 1; i >= 0; i--)
    if (fn.params[i].kind === 'required' || fn.params[i].kind === 'optional') return i;
  return -1;
}

function namesOf({ params }: Fn): string[] {
  return params.filter(({ kind }) => kind !== 'rest' && kind !== 'options').map(({ name }) => name);
}

function parameterNamed({ params }: Fn, name: string): number {
  return params.findIndex((p) => p.name === name && p.kind !== 'rest' && p.kind !== 'options');
}

/**
 * The hash for named arguments of no parameter: that of a `**` parameter, or that of a last positional parameter whose
 * default is `{}` and which has got no argument.
 */
function optionsOf({ params }: Fn, regs: Value[]): Hash | null {
  const at = params.findIndex(({ kind }) => kind === 'options');
  if (at >= 0) return regs[at] as Hash;
  const last = params.findLastIndex(({ kind }) => kind === 'required' || kind === 'optional');
  if (last < 0 || params[last].kind !== 'optional' || params[last].defaultText !== '{}') return null;
  if (regs[last] === ABSENT) regs[last] = new Hash();
  return regs[last] instanceof Hash ? regs[last] : null;
}

function bindNamed(fn: Fn, regs: Value[], name: string, value: Value, given: number): void {
  const at = name === '&' ? blockParameter(fn) : parameterNamed(fn, name);
  if (at < 0) {
    const options = name === '&' ? null : optionsOf(fn, regs);
    if (options !== null) {
      options.set(name, value);
      return;
    }
    const rest = fn.params.findIndex((p) => p.kind === 'rest');
    if (name === '&' && rest >= 0) (regs[rest] as Value[]).push(value);
    else if (name === '&') badCount(fn, given + 1);
    else fail(Errors.ArgumentError, `${fn.name}() has ${noParameter(name, namesOf(fn))}: ${fn.signature()}`);
    return;
  }
  if (regs[at] !== ABSENT && !fn.lenient)
    fail(Errors.ArgumentError, `${fn.name}() got '${fn.params[at].name}' twice: ${fn.signature()}`);
  regs[at] = value;
}

function checkRequired(fn: Fn, regs: Value[], given: number, hasNamed: boolean): void {
  fn.params.forEach(({ kind, name }, i) => {
    if (regs[i] !== ABSENT) return;
    // A count would leave out the named arguments and the block.
    if (kind === 'required' && hasNamed) fail(Errors.ArgumentError, `${fn.name}() needs '${name}': ${fn.signature()}`);
    if (kind === 'required') badCount(fn, given);
    if (kind === 'named') fail(Errors.ArgumentError, `${fn.name}() needs '${name}:': ${fn.signature()}`);
  });
}

function badCount(fn: Fn, given: number): never {
  const { implicit } = fn;
  const most = fn.params.some((p) => p.kind === 'rest') ? Infinity : fn.positional;
  return fail(
    Errors.ArgumentError,
    `${fn.name}() takes ${countText(fn.required - implicit, most - implicit)}, got ${given - implicit}: ${fn.signature()}`,
  );
}

/** Converts a vector and a hash of named arguments (or nil) to the arguments and names of a call. @throws TypeError */
export function spread(vector: Value, named: Value): { args: Value[]; names: NameList | null } {
  charge((vector as Value[]).length);
  const args = (vector as Value[]).slice();
  const names: string[] = [];
  if (named instanceof Hash) {
    for (const [key, value] of named.entries()) {
      if (typeof key !== 'string') fail(Errors.TypeError, 'names of arguments must be strings');
      names.push(key);
      args.push(value);
    }
  }
  return { args, names: names.length === 0 ? null : new NameList(names, null) };
}
