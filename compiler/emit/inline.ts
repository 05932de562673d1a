import type * as Ast from '../ast.js';
import { kindOf } from '../parameters.js';
import type { DefSymbol, FunctionScope, Scope, Variable } from '../symbols.js';
import { argumentPlaces } from '../../vm/bytecode/argumentplaces.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { Env, type FunctionBuilder, type InlinedBlock } from './builder.js';
import { emitLoop } from './exits.js';
import type { BlockControl } from './controls.js';
import { emitBody } from './handlers.js';
import { bindPattern, takeApart } from './patterns.js';

/**
 * Inlines a core iterator with a literal block: writes the prelude function's body, with the block's code in place of
 * each call of its last parameter. Nothing is captured; `break`, `next` and `return` are jumps; code can be suspended
 * anywhere inside.
 */
export function emitTemplate(
  b: FunctionBuilder,
  template: DefSymbol,
  method: string,
  args: readonly number[],
  given: Pick<InlinedBlock, 'block' | 'counter'>,
  dest: number,
): void {
  const node = template.node as Ast.Def;
  const scope = b.program.resolution.functions.get(node) as FunctionScope;
  const done = b.encoder.newLabel();
  const outer = { env: b.env, template: b.template, pinned: b.pinned };
  const env = new Env(null);
  const params = node.params.map((param) => variableAt(b, param));
  args.forEach((register, i) => env.set(params[i], { kind: 'register', register }));
  const inline: InlinedBlock = {
    ...given,
    env: outer.env,
    template: outer.template,
    end: { label: done, dest, depth: b.controls.length },
  };
  env.set(params[params.length - 1], { kind: 'block', inline });
  for (const variable of scope.root.variables) if (!params.includes(variable)) b.place(variable, env);
  b.env = env;
  b.template = { done, dest, method, depth: b.controls.length };
  b.pinned = true;
  b.statements(node.body.stmts, dest);
  b.env = outer.env;
  b.template = outer.template;
  b.pinned = outer.pinned;
  b.encoder.bind(done);
}

function variableAt(b: FunctionBuilder, node: Ast.Node): Variable {
  const symbol = b.program.resolution.symbols.get(node);
  if (symbol?.kind !== 'variable') throw new Error('parameter without a variable');
  return symbol.variable;
}

/** Writes a block's code where a prelude function calls it; registers `args` hold the arguments. */
export function emitBlockCall(b: FunctionBuilder, inline: InlinedBlock, args: readonly number[], dest: number): void {
  const { block } = inline;
  const outer = { env: b.env, template: b.template, pinned: b.pinned, offset: b.offset };
  const control: BlockControl = {
    kind: 'block',
    next: b.encoder.newLabel(),
    nextDest: dest,
    end: inline.end,
  };
  const mark = b.mark();
  const values = inline.counter === null ? args : [...args, nextNumber(b, inline.counter)];
  b.env = new Env(inline.env);
  b.template = inline.template;
  b.pinned = inline.template !== null && outer.pinned && b.scope.module.isPrelude;
  b.controls.push(control);
  enterBlock(b, block, values);
  emitBody(b, block.body, dest);
  b.controls.pop();
  b.env = outer.env;
  b.template = outer.template;
  b.pinned = outer.pinned;
  // An operator of the prelude is not the one that the block ended with.
  b.moveTo(outer.offset);
  b.release(mark);
  b.encoder.bind(control.next);
}

/** Copies the counter to a new register, then increments it. */
function nextNumber(b: FunctionBuilder, counter: number): number {
  const number = b.temp();
  b.move(number, counter);
  b.encoder.emit(Op.ADDI, counter, counter, 1);
  return number;
}

/** Places the variables of an inlined block and assigns its parameters. */
function enterBlock(b: FunctionBuilder, block: Ast.Block, args: readonly number[]): void {
  const scope = b.program.resolution.scopes.get(block) as Scope;
  const params = block.params ?? [];
  const implicit = b.program.resolution.implicit.get(block);
  const apart = args.length === 1 && params.length > 1;
  // Optional parameters shift the arguments of the parameters after them.
  const required = params.every((param) => kindOf(param) === 'required');
  const aliases = new Map<Variable, number>();
  if (implicit !== undefined && args.length > 0) aliases.set(implicit, args[0]);
  if (!apart)
    params.forEach((param, i) => {
      if (required && param.pattern === null && i < args.length) aliases.set(variableAt(b, param), args[i]);
    });
  for (const variable of scope.variables) {
    const alias = aliases.get(variable);
    // Share the register only if the block never assigns the parameter: the iterator needs its own value after the
    // block.
    if (alias !== undefined && variable.storage === 'register' && variable.assignments === 1)
      b.place(variable, b.env, alias);
    else b.place(variable, b.env);
  }
  if (implicit !== undefined && args.length > 0) copyUnlessThere(b, implicit, args[0]);
  if (apart) bindApart(b, params, args[0]);
  else bindEach(b, params, args);
}

function copyUnlessThere(b: FunctionBuilder, variable: Variable, register: number): void {
  const location = b.locate(variable);
  if (location.kind !== 'register' || location.register !== register) b.storeVariable(variable, register);
}

function bindParam(b: FunctionBuilder, param: Ast.Param, register: number): void {
  if (param.pattern !== null)
    bindPattern(b, { type: 'GroupPattern', items: param.pattern, start: param.start, end: param.end }, register);
  else copyUnlessThere(b, variableAt(b, param), register);
}

/** Destructures a single vector argument for several parameters. */
function bindApart(b: FunctionBuilder, params: readonly Ast.Param[], value: number): void {
  if (params.some((param) => param.default !== null)) bindArranged(b, params, value);
  else
    takeApart(
      b,
      params,
      value,
      (param) => param.kind === 'rest',
      (param, part) => bindParam(b, param, part),
    );
}

/**
 * Which parameters receive an element depends on the number of elements. A native arranges them, and puts the number of
 * optional parameters that have one in front.
 */
function bindArranged(b: FunctionBuilder, params: readonly Ast.Param[], value: number): void {
  const { encoder } = b;
  const arranged = b.temp();
  const filled = b.temp();
  encoder.emitWord(Op.LOADK, arranged, b.program.string(params.map((param) => kindOf(param)).join(' ')));
  encoder.emitList(Op.NATIVE, arranged, [value, arranged], [b.program.native('%arranged')]);
  encoder.emit(Op.ITEM, filled, arranged, 0);
  let optional = 0;
  params.forEach((param, i) => {
    const mark = b.mark();
    const part = b.temp();
    encoder.emit(Op.ITEM, part, arranged, i + 1);
    if (param.default !== null) {
      const given = encoder.newLabel();
      if (param.kind === 'plain') encoder.emit16(Op.JNLTI, filled, ++optional, [given]);
      b.expr(param.default, part);
      encoder.bind(given);
    }
    bindParam(b, param, part);
    b.release(mark);
  });
}

function bindEach(b: FunctionBuilder, params: readonly Ast.Param[], args: readonly number[]): void {
  const { places, restEnd } = argumentPlaces(
    params.map((param) => ({ kind: kindOf(param) })),
    args.length,
    () => false,
  );
  params.forEach((param, i) => {
    const mark = b.mark();
    if (param.kind === 'rest') {
      const rest = b.temp();
      const values = args.slice(places[i], restEnd);
      b.encoder.emitList(Op.VECTOR, rest, values);
      bindParam(b, param, rest);
    } else if (param.kind === 'options') {
      const none = b.temp();
      b.expr({ type: 'Hash', start: param.start, end: param.end, entries: [] }, none);
      bindParam(b, param, none);
    } else if (places[i] >= 0) bindParam(b, param, args[places[i]]);
    else {
      const value = b.temp();
      if (param.default === null) b.encoder.emit(Op.LOADNIL, value);
      else b.expr(param.default, value);
      bindParam(b, param, value);
    }
    b.release(mark);
  });
}

/** `loop do … end`. */
export function emitLoopBlock(b: FunctionBuilder, block: Ast.Block, dest: number): void {
  emitLoop(b, null, dest, () => {
    const outer = b.env;
    const mark = b.mark();
    b.env = new Env(outer);
    enterBlock(b, block, []);
    emitBody(b, block.body, -1);
    b.env = outer;
    b.release(mark);
  });
}
