import type * as Ast from '../ast.js';
import { kindOf } from '../parameters.js';
import type { DefSymbol } from '../symbols.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { argumentPlaces } from '../../vm/bytecode/argumentplaces.js';
import { MAX_ARGUMENTS } from '../../vm/bytecode/program.js';
import { CodeLimit, type FunctionBuilder } from './builder.js';
import { blockSource, emitClosure } from './functions.js';

/** Registers of a call's arguments. */
export interface Arguments {
  positional: number[];
  named: { name: string; register: number }[];
  /** Register of the block's function, or null. */
  block: number | null;
}

/** Whether the arguments of a call must be collected at run time. */
export function hasSplat(args: readonly Ast.Arg[]): boolean {
  return args.some((arg) => arg.type === 'Splat');
}

/** Evaluates arguments in order, and makes the block's function. */
export function emitArguments(b: FunctionBuilder, args: readonly Ast.Arg[], block: Ast.Block | null): Arguments {
  const out: Arguments = { positional: [], named: [], block: null };
  if (args.length >= MAX_ARGUMENTS)
    throw new CodeLimit(`a call has more than ${MAX_ARGUMENTS - 1} arguments; pass a vector`);
  args.forEach((arg, i) => {
    const later = args.slice(i + 1).map((a) => (a.type === 'NamedArg' || a.type === 'Splat' ? a.value : a));
    if (arg.type === 'NamedArg') out.named.push({ name: arg.name, register: b.stableOperand(arg.value, later) });
    else out.positional.push(b.stableOperand(arg as Ast.Expr, later));
  });
  if (block !== null) {
    out.block = b.temp();
    emitClosure(b, blockSource(b, block), out.block);
  }
  return out;
}

/**
 * All argument registers, and the number of the list of names for the last ones; `names` is null without named
 * arguments.
 */
export function flatten(b: FunctionBuilder, args: Arguments): { registers: number[]; names: number | null } {
  const registers = [...args.positional, ...args.named.map((arg) => arg.register)];
  const names = args.named.map((arg) => arg.name);
  if (args.block !== null) {
    registers.push(args.block);
    names.push('&');
  }
  return { registers, names: names.length === 0 ? null : b.program.nameList(names) };
}

/** Collects arguments with splats: registers of a vector, and of a hash with the named ones (nil if there are none). */
export function emitSplatted(
  b: FunctionBuilder,
  args: readonly Ast.Arg[],
  block: Ast.Block | null,
): { vector: number; named: number } {
  const { encoder } = b;
  const items = args.filter((arg) => arg.type !== 'NamedArg' && !(arg.type === 'Splat' && arg.double)) as (
    Ast.Expr | Ast.Splat
  )[];
  const pairs = args.filter((arg) => arg.type === 'NamedArg' || (arg.type === 'Splat' && arg.double)) as (
    Ast.NamedArg | Ast.Splat
  )[];
  const vector = b.temp();
  const named = b.temp();
  b.expr({ type: 'Vector', items, start: 0, end: 0 }, vector);
  if (pairs.length === 0 && block === null) {
    encoder.emit(Op.LOADNIL, named);
    return { vector, named };
  }
  const entries = pairs.map((arg): Ast.Pair | Ast.Splat =>
    arg.type === 'Splat'
      ? arg
      : {
          type: 'Pair',
          key: { type: 'Str', value: arg.name, start: arg.start, end: arg.end },
          value: arg.value,
          start: arg.start,
          end: arg.end,
        },
  );
  b.expr({ type: 'Hash', entries, start: 0, end: 0 }, named);
  if (block !== null) {
    const mark = b.mark();
    const key = b.temp();
    const value = b.temp();
    encoder.emitWord(Op.LOADK, key, b.program.string('&'));
    emitClosure(b, blockSource(b, block), value);
    encoder.emit(Op.SETINDEX, named, key, value);
    b.release(mark);
  }
  return { vector, named };
}

/**
 * Registers for the parameters of a known function, in order. null if the arguments do not fit: the call then fails at
 * run time.
 */
export function bindStatically(b: FunctionBuilder, symbol: DefSymbol, args: Arguments): number[] | null {
  const { params } = symbol;
  if (params.some(({ kind }) => kind === 'options')) return null;
  const out = new Array<number | null>(params.length).fill(null);
  if (!fillByName(params, out, args) || !fillByPosition(b, params, out, args)) return null;
  for (let i = 0; i < params.length; i++) if (out[i] === null && params[i].default === null) return null;
  return out.map((register) => register ?? absent(b));
}

function fillByName(params: readonly Ast.Param[], out: (number | null)[], args: Arguments): boolean {
  if (args.block !== null) {
    const at = params.findLastIndex((param) => param.kind === 'plain');
    if (at < 0) return false;
    out[at] = args.block;
  }
  for (const { name, register } of args.named) {
    const at = params.findIndex((param) => param.name === name && param.kind !== 'rest');
    if (at < 0 || out[at] !== null) return false;
    out[at] = register;
  }
  return true;
}

function fillByPosition(
  b: FunctionBuilder,
  params: readonly Ast.Param[],
  out: (number | null)[],
  args: Arguments,
): boolean {
  const { positional } = args;
  const blockAt = args.block === null ? -1 : out.indexOf(args.block);
  const kinds = params.map((param) => ({ kind: kindOf(param) }));
  const { places, restEnd, taken } = argumentPlaces(kinds, positional.length, (i) => out[i] !== null, blockAt);
  for (let i = 0; i < params.length; i++) {
    const at = places[i];
    if (params[i].kind === 'rest') {
      const rest = b.temp();
      const values = positional.slice(at, restEnd);
      b.encoder.emitList(Op.VECTOR, rest, values);
      out[i] = rest;
    } else if (at >= 0) {
      // Also passed by position: the call reports this at run time.
      if (out[i] !== null) return false;
      out[i] = positional[at];
    }
  }
  return taken >= positional.length;
}

function absent(b: FunctionBuilder): number {
  const register = b.temp();
  b.encoder.emit(Op.ABSENT, register);
  return register;
}
