import type * as Ast from '../ast.js';
import { pushObjects } from '../objects.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { HANDLES_ALL, HANDLES_ERRORS } from '../../vm/bytecode/program.js';
import type { Label } from '../../vm/bytecode/encode.js';
import { DISCARD, type Emitters, type FunctionBuilder } from './builder.js';
import { emitExit } from './exits.js';
import { RETRY, type EnsureControl, type LoopControl } from './controls.js';

/** Writes statements with their handlers; the value goes to `dest`. */
export function emitBody(b: FunctionBuilder, body: Ast.Body, dest: number): void {
  const { ensure } = body;
  if (ensure === null) emitGuarded(b, body, dest);
  else {
    const cleanup = (): void => b.statements(ensure, DISCARD);
    const isQuiet = b.scope.module.isPrelude || ensure.every((node) => cannotRaise(b, node) && !leaves(node));
    emitEnsure(b, (value) => emitGuarded(b, body, value), cleanup, dest, isQuiet ? cleanup : null);
  }
}

function emitGuarded(b: FunctionBuilder, body: Ast.Body, dest: number): void {
  if (body.rescues.length === 0) {
    b.statements(body.stmts, body.else === null ? dest : DISCARD);
    if (body.else !== null) b.statements(body.else, dest);
    return;
  }
  if (usesRetry(body)) emitRetryable(b, body, dest);
  else emitRescues(b, body, (value) => b.statements(body.stmts, value), dest);
}

/** `retry` makes the whole construct a loop; `retry` jumps to its head. */
function emitRetryable(b: FunctionBuilder, body: Ast.Body, dest: number): void {
  const { encoder } = b;
  const end = encoder.newLabel();
  const loop: LoopControl = {
    kind: 'loop',
    label: RETRY,
    head: { at: encoder.pc, refs: [] },
    next: null,
    exhausted: end,
    done: end,
    dest,
  };
  encoder.jump(Op.LOOPHEAD, end);
  b.controls.push(loop);
  emitRescues(b, body, (value) => b.statements(body.stmts, value), dest);
  b.controls.pop();
  encoder.jump(Op.JUMP, end);
  encoder.bind(end);
}

/** Writes code with the `rescue` and `else` clauses of `body`; `write` puts its value into a register. */
export function emitRescues(
  b: FunctionBuilder,
  body: Pick<Ast.Body, 'rescues' | 'else'>,
  write: (dest: number) => void,
  dest: number,
): void {
  const { encoder } = b;
  const done = encoder.newLabel();
  const start = encoder.pc;
  write(body.else === null ? dest : DISCARD);
  const end = encoder.pc;
  const otherwise = encoder.newLabel();
  if (end === start) {
    if (body.else !== null) b.statements(body.else, dest);
    encoder.bind(done);
    return;
  }
  encoder.jump(Op.JUMP, body.else === null ? done : otherwise);
  encoder.protect(start, end, encoder.pc, HANDLES_ERRORS);
  emitClauses(b, body, dest, done);
  if (body.else !== null) {
    encoder.bind(otherwise);
    b.statements(body.else, dest);
  }
  encoder.bind(done);
}

function emitClauses(b: FunctionBuilder, body: Pick<Ast.Body, 'rescues'>, dest: number, done: Label): void {
  const { encoder } = b;
  const mark = b.mark();
  const error = b.temp();
  encoder.emit(Op.CATCH, error, 0);
  const outer = b.handled;
  b.handled = error;
  for (const rescue of body.rescues) {
    const next = encoder.newLabel();
    if (rescue.types.length > 0) emitTypeTests(b, rescue.types, error, next);
    const symbol = rescue.name === null ? undefined : b.program.resolution.symbols.get(rescue.name);
    if (symbol?.kind === 'variable') b.storeVariable(symbol.variable, error);
    emitHandling(b, rescue.body, error, dest);
    encoder.jump(Op.JUMP, done);
    encoder.bind(next);
  }
  // Errors that no clause matches propagate.
  encoder.emit(Op.THROW, error);
  b.handled = outer;
  b.release(mark);
}

/** Writes the body of a clause. Errors raised while it runs have the handled error as their cause. */
function emitHandling(b: FunctionBuilder, body: readonly Ast.Expr[], error: number, dest: number): void {
  if (body.every((node) => cannotRaise(b, node))) {
    b.statements(body, dest);
    return;
  }
  const { encoder, program } = b;
  const mark = b.mark();
  const before = b.temp();
  encoder.emitList(Op.NATIVE, before, [error], [program.native('%handling')]);
  emitWhileHandling(b, before, (value) => b.statements(body, value), dest);
  b.release(mark);
}

/**
 * Writes code that runs while an error is handled. Every exit from it restores the previously handled error from
 * register `before`.
 */
function emitWhileHandling(b: FunctionBuilder, before: number, body: (dest: number) => void, dest: number): void {
  const restore = (): void => emitHandlingAgain(b, before);
  emitEnsure(b, body, restore, dest, restore);
}

function emitHandlingAgain(b: FunctionBuilder, before: number): void {
  const mark = b.mark();
  b.encoder.emitList(Op.NATIVE, b.temp(), [before], [b.program.native('%handling')]);
  b.release(mark);
}

/** Whether a statement cannot raise any error except the handled one. */
function cannotRaise(b: FunctionBuilder, node: Ast.Expr | null): boolean {
  switch (node?.type) {
    case undefined:
    case 'Nil':
    case 'Bool':
    case 'Int':
    case 'Float':
    case 'Decimal':
    case 'Str':
    case 'Retry':
      return true;
    case 'Ident':
      return b.program.resolution.symbols.get(node)?.kind === 'variable';
    case 'Return':
    case 'Break':
    case 'Next':
      return cannotRaise(b, node.value);
    case 'Assign':
      return node.target.type === 'Ident' && cannotRaise(b, node.value);
    case 'Raise':
      return node.args.length === 0;
    default:
      return false;
  }
}

/** Whether a statement that cannot raise an error jumps out of its body. */
function leaves({ type }: Ast.Expr): boolean {
  return type === 'Return' || type === 'Break' || type === 'Next' || type === 'Retry' || type === 'Raise';
}

function emitTypeTests(b: FunctionBuilder, types: readonly Ast.Expr[], error: number, next: Label): void {
  const { encoder } = b;
  const matched = encoder.newLabel();
  for (const type of types) {
    const mark = b.mark();
    const test = b.temp();
    b.expr(type, test);
    b.at(type.start);
    encoder.emit(Op.MATCHES, test, test, error);
    encoder.jump(Op.JT, matched, test);
    b.release(mark);
  }
  encoder.jump(Op.JUMP, next);
  encoder.bind(matched);
}

/**
 * Writes the cleanup exactly twice: for the normal path, and for all other exits, which a selector register
 * distinguishes. In the second copy, errors have the error that is unwinding as their cause, unless `otherCleanup` is
 * given.
 */
export function emitEnsure(
  b: FunctionBuilder,
  body: (dest: number) => void,
  cleanup: () => void,
  dest: number,
  otherCleanup: ((control: EnsureControl) => void) | null,
): void {
  const { encoder } = b;
  const after = encoder.newLabel();
  const result = b.target(dest);
  const control: EnsureControl = {
    kind: 'ensure',
    selector: b.temp(),
    value: b.temp(),
    slow: encoder.newLabel(),
    exits: [],
  };
  const value = b.isVariable(result) ? b.temp() : result;
  const start = encoder.pc;
  b.controls.push(control);
  body(value);
  b.controls.pop();
  const end = encoder.pc;
  cleanup();
  b.move(result, value);
  if (end === start) return;
  encoder.jump(Op.JUMP, after);
  encoder.protect(start, end, encoder.pc, HANDLES_ALL);
  encoder.emit(Op.CATCH, control.value, 1);
  encoder.emit16(Op.LOADI, control.selector, 0);
  encoder.bind(control.slow);
  if (otherCleanup === null) emitWhileUnwinding(b, control, cleanup);
  else otherCleanup(control);
  emitExits(b, control);
  encoder.bind(after);
}

/** Writes a cleanup that cannot stop a signal: whether it jumps out or raises an error, unwinding goes on behind it. */
function emitWhileUnwinding(b: FunctionBuilder, { selector }: EnsureControl, cleanup: () => void): void {
  const { encoder, program } = b;
  const mark = b.mark();
  const before = b.temp();
  const goesOn = encoder.newLabel();
  encoder.emitList(Op.NATIVE, before, [selector], [program.native('%unwinding')]);
  emitEnsure(
    b,
    cleanup,
    () => emitHandlingAgain(b, before),
    DISCARD,
    (left) => {
      const isSignal = b.temp();
      encoder.emitList(Op.NATIVE, isSignal, [before, left.selector], [program.native('%left')]);
      encoder.jump(Op.JT, goesOn, isSignal);
    },
  );
  encoder.bind(goesOn);
  b.release(mark);
}

function emitExits(b: FunctionBuilder, control: EnsureControl): void {
  const { encoder } = b;
  control.exits.forEach((exit, n) => {
    const mark = b.mark();
    const number = b.temp();
    const next = encoder.newLabel();
    encoder.emit16(Op.LOADI, number, n + 1);
    encoder.jump(Op.JNEQ, next, control.selector, number);
    emitExit(b, exit, control.value);
    encoder.bind(next);
    b.release(mark);
  });
  encoder.emit(Op.RETHROW, control.value);
}

/** Whether a `retry` belongs to this body's rescue clauses. */
function usesRetry(body: Ast.Body): boolean {
  const stack: unknown[] = body.rescues.map((rescue) => rescue.body);
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== 'object') continue;
    const { type } = item as Ast.Expr;
    if (type === 'Retry') return true;
    if (type !== 'Def' && type !== 'Lambda') pushObjects(item, stack);
  }
  return false;
}

function emitRetry(b: FunctionBuilder, node: Ast.Retry): void {
  for (let i = b.controls.length - 1; i >= 0; i--) {
    const control = b.controls[i];
    if (control.kind !== 'loop' || control.label !== RETRY) continue;
    const nothing = b.temp();
    b.encoder.emit(Op.LOADNIL, nothing);
    emitExit(b, { kind: 'next', index: i }, nothing);
    return;
  }
  b.program.error(
    'stray-retry',
    b.scope.module,
    node,
    '`retry` outside a `rescue` clause',
    'it runs the body that failed again, so it must stand in its `rescue`',
  );
}

function emitRaise(b: FunctionBuilder, node: Ast.Raise): void {
  const [what, message] = node.args as Ast.Expr[];
  const error = b.temp();
  if (what === undefined) {
    if (b.handled === null)
      b.program.error(
        'stray-raise',
        b.scope.module,
        node,
        '`raise` without a value outside a `rescue` clause',
        'say what to raise: raise "message"',
      );
    else b.encoder.emit(Op.THROW, b.handled);
    return;
  }
  // The parser accepts these arguments, because it parses them like those of a call.
  const wrong = node.args.find(({ type }, i) => i > 1 || type === 'Splat' || type === 'NamedArg');
  if (wrong !== undefined) {
    b.program.error(
      'raise-arguments',
      b.scope.module,
      wrong,
      '`raise` takes a message, or the type of an error and a message',
      'write raise ValueError, "message"',
    );
    return;
  }
  b.expr(what, error);
  if (message !== undefined) {
    const text = b.operand(message);
    b.at(node.start);
    b.encoder.emit(Op.CALLV, error, error, 1, [], [text]);
  }
  b.at(node.start);
  if (b.handled !== null) b.encoder.emitList(Op.NATIVE, error, [error, b.handled], [b.program.native('%caused')]);
  b.encoder.emit(Op.THROW, error);
}

export const handlerEmitters: Pick<Emitters, 'Begin' | 'Retry' | 'Raise'> = {
  Begin: (b, node, dest) => emitBody(b, node.body, dest),
  Retry: emitRetry,
  Raise: emitRaise,
};
