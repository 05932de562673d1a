import type * as Ast from '../ast.js';
import { ITER_COUNT, ITER_EACH, ITER_ITEMS } from '../../vm/bytecode/opcodes.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { DISCARD, type Emitters, type FunctionBuilder } from './builder.js';
import { emitBreak } from './leaving.js';
import { emitExit, emitLoop, targetOf } from './exits.js';
import { emitPattern } from './matching.js';
import { jumpIf } from './operators.js';
import { bindPattern } from './patterns.js';

function emitIf(b: FunctionBuilder, node: Ast.If, dest: number): void {
  const { encoder } = b;
  const done = encoder.newLabel();
  node.clauses.forEach((clause, i) => {
    const isLast = i === node.clauses.length - 1 && node.else === null && dest === DISCARD;
    const next = isLast ? done : encoder.newLabel();
    jumpIf(b, clause.cond, false, next);
    b.statements(clause.body, dest);
    if (isLast) return;
    encoder.jump(Op.JUMP, done);
    encoder.bind(next);
  });
  if (node.else !== null) b.statements(node.else, dest);
  else if (dest !== DISCARD) encoder.emit(Op.LOADNIL, dest);
  encoder.bind(done);
}

function emitWhile(b: FunctionBuilder, node: Ast.While, dest: number): void {
  emitLoop(b, node.label, dest, (loop) => {
    if (!node.doWhile) {
      jumpIf(b, node.cond, false, loop.exhausted);
      b.statements(node.body, DISCARD);
      return;
    }
    loop.next = b.encoder.newLabel();
    b.statements(node.body, DISCARD);
    b.encoder.bind(loop.next);
    jumpIf(b, node.cond, false, loop.exhausted);
  });
}

/** What a `for` iterates over: its source, the mode of ITER, and the name of the method for errors. */
function iteration(b: FunctionBuilder, node: Ast.For): { source: Ast.Expr; mode: number; name: string } {
  const { iter } = node;
  const method = b.template?.method ?? 'for';
  // In the prelude, `__each(xs, f)` and `__count(n)` select the other modes.
  if (b.scope.module.isPrelude || b.template !== null) {
    if (iter.type === 'Call' && iter.callee.type === 'Ident' && iter.callee.name === '__count')
      return { source: iter.args[0] as Ast.Expr, mode: ITER_COUNT, name: method };
    if (iter.type === 'Call' && iter.callee.type === 'Ident' && iter.callee.name === '__each')
      return eachIteration(b, iter, method);
    return { source: iter, mode: ITER_ITEMS, name: method };
  }
  return { source: iter, mode: node.targets.length > 1 ? ITER_ITEMS : ITER_EACH, name: 'for' };
}

/**
 * A hash passes its keys to a block with one parameter, and pairs to other blocks. For a function value this is decided
 * at run time.
 */
function eachIteration(
  b: FunctionBuilder,
  call: Ast.Call,
  name: string,
): { source: Ast.Expr; mode: number; name: string } {
  const [source, fn] = call.args as Ast.Ident[];
  const symbol = b.program.resolution.symbols.get(fn);
  const location = symbol?.kind === 'variable' ? b.locate(symbol.variable) : undefined;
  if (location?.kind !== 'block') return { source: call, mode: ITER_ITEMS, name };
  const params = location.inline.block.params ?? [];
  const single =
    params.length === 0 || (params.length === 1 && params[0].pattern === null && params[0].kind !== 'rest');
  return { source, mode: single ? ITER_EACH : ITER_ITEMS, name };
}

function emitFor(b: FunctionBuilder, node: Ast.For, dest: number): void {
  const { encoder } = b;
  const { source, mode, name } = iteration(b, node);
  const iterator = b.temp();
  b.expr(source, iterator);
  b.at(node.iter.start);
  encoder.emit(Op.ITER, iterator, iterator, mode, [b.program.string(name)]);
  emitLoop(b, node.label, dest, (loop) => {
    const mark = b.mark();
    // Create cells after NEXT, so that the variables keep their last values after the loop.
    const fresh = (): void => {
      for (const target of node.targets) freshVariables(b, target);
    };
    if (node.targets.length === 1) {
      const item = b.temp();
      encoder.jump(Op.NEXT, loop.exhausted, item, iterator);
      fresh();
      bindPattern(b, node.targets[0], item);
    } else if (node.targets.length === 2 && node.targets.every((t) => t.type !== 'RestPattern')) {
      const [key, value] = [b.temp(), b.temp()];
      encoder.emit(Op.NEXT2, key, value, iterator, [loop.exhausted]);
      fresh();
      bindPattern(b, node.targets[0], key);
      bindPattern(b, node.targets[1], value);
    } else {
      const item = b.temp();
      encoder.jump(Op.NEXT, loop.exhausted, item, iterator);
      fresh();
      bindPattern(b, { type: 'GroupPattern', items: node.targets, start: node.start, end: node.end }, item);
    }
    b.release(mark);
    b.statements(node.body, DISCARD);
  });
}

function freshVariables(b: FunctionBuilder, pattern: Ast.Pattern): void {
  if (pattern.type === 'GroupPattern') for (const item of pattern.items) freshVariables(b, item);
  else {
    const symbol = b.program.resolution.symbols.get(pattern);
    if (symbol?.kind === 'variable' && symbol.variable.perIteration) b.freshCell(symbol.variable);
  }
}

function emitCase(b: FunctionBuilder, node: Ast.Case, dest: number): void {
  const { encoder } = b;
  const done = encoder.newLabel();
  const subject = node.subject === null ? null : b.temp();
  if (node.subject !== null && subject !== null) b.expr(node.subject, subject);
  for (const when of node.whens) {
    const body = encoder.newLabel();
    const next = encoder.newLabel();
    for (const pattern of when.patterns) emitWhenTest(b, pattern, subject, body);
    encoder.jump(Op.JUMP, next);
    encoder.bind(body);
    b.statements(when.body, dest);
    encoder.jump(Op.JUMP, done);
    encoder.bind(next);
  }
  if (node.else !== null) b.statements(node.else, dest);
  else if (dest !== DISCARD) encoder.emit(Op.LOADNIL, dest);
  encoder.bind(done);
}

function emitCaseIn(b: FunctionBuilder, node: Ast.CaseIn, dest: number): void {
  const { encoder } = b;
  const done = encoder.newLabel();
  // A copy: a pattern may assign the variable that it examines.
  const subject = b.temp();
  b.expr(node.subject, subject);
  for (const { pattern, guard, body } of node.clauses) {
    const next = encoder.newLabel();
    emitPattern(b, pattern, subject, next);
    if (guard !== null) jumpIf(b, guard, false, next);
    b.statements(body, dest);
    encoder.jump(Op.JUMP, done);
    encoder.bind(next);
  }
  if (node.else !== null) b.statements(node.else, dest);
  else {
    b.at(node.start);
    encoder.emitList(Op.NATIVE, b.target(dest), [subject], [b.program.native('%no_match')]);
  }
  encoder.bind(done);
}

function emitWhenTest(
  b: FunctionBuilder,
  pattern: Ast.Arg,
  subject: number | null,
  body: { at: number; refs: number[] },
): void {
  const mark = b.mark();
  if (subject === null) jumpIf(b, pattern as Ast.Expr, true, body);
  else {
    const isSplat = pattern.type === 'Splat';
    const value = b.operand(isSplat ? pattern.value : (pattern as Ast.Expr));
    const test = b.temp();
    b.at(pattern.start);
    if (isSplat) b.encoder.emitList(Op.NATIVE, test, [value, subject], [b.program.native('%matches_any')]);
    else if (pattern.type === 'Hash')
      b.encoder.emitList(Op.NATIVE, test, [value, subject], [b.program.native('%matches_shape')]);
    else b.encoder.emit(Op.MATCHES, test, value, subject);
    b.encoder.jump(Op.JT, body, test);
  }
  b.release(mark);
}

function emitJump(b: FunctionBuilder, node: Ast.Break | Ast.Next): void {
  const kind = node.type === 'Break' ? 'break' : 'next';
  const value = b.temp();
  if (node.value !== null) b.expr(node.value, value);
  else b.encoder.emit(Op.LOADNIL, value);
  b.at(node.start);
  const index = targetOf(b, node.label);
  if (index >= 0) emitExit(b, { kind, index }, value);
  else if (kind === 'next' && node.label === null && b.scope.kind !== 'main' && b.scope.kind !== 'def')
    emitExit(b, { kind: 'return', index: -1 }, value);
  else if (kind === 'next' || node.label !== null || !emitBreak(b, value)) jumpError(b, node, kind);
}

function jumpError(b: FunctionBuilder, node: Ast.Break | Ast.Next, kind: string): void {
  const { module } = b.scope;
  if (node.label !== null)
    b.program.error('unknown-label', module, node, `no loop around this \`${kind}\` has the label ':${node.label}'`);
  else if (b.scope.kind === 'block' || b.scope.kind === 'spawn' || b.scope.kind === 'lambda') {
    b.program.error(
      'stray-break',
      module,
      node,
      '`break` cannot leave this block',
      b.scope.kind === 'lambda'
        ? 'in a lambda, `next` or `return` end the lambda itself'
        : 'the block runs when its call has ended, or in another thread: `next` or `return` end the block itself',
    );
  } else b.program.error('stray-break', module, node, `\`${kind}\` outside a loop`);
}

function emitReturn(b: FunctionBuilder, node: Ast.Return): void {
  const value = b.temp();
  if (node.value !== null) b.expr(node.value, value);
  else b.encoder.emit(Op.LOADNIL, value);
  if (b.template !== null) emitExit(b, { kind: 'template', index: b.template.depth - 1 }, value);
  else emitExit(b, { kind: 'return', index: -1 }, value);
}

export const flowEmitters: Pick<Emitters, 'If' | 'While' | 'For' | 'Case' | 'CaseIn' | 'Break' | 'Next' | 'Return'> = {
  If: emitIf,
  While: emitWhile,
  For: emitFor,
  Case: emitCase,
  CaseIn: emitCaseIn,
  Break: emitJump,
  Next: emitJump,
  Return: emitReturn,
};
