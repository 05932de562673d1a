/** Calls whose block contains `break`, which ends the call with a value. */
import type * as Ast from '../ast.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { HANDLES_ALL } from '../../vm/bytecode/program.js';
import type { FunctionBuilder } from './builder.js';
import { emitEnsure } from './handlers.js';

/**
 * Writes a call with `write`. If its block contains `break`, the call has a mark while it runs, which the block captures;
 * `break` unwinds up to the handler that is written here. The result of the call is then the value of `break`.
 */
export function emitLeavable(
  b: FunctionBuilder,
  block: Ast.Block | null,
  dest: number,
  write: (dest: number) => void,
): void {
  const { encoder, program } = b;
  const exit = block === null ? undefined : program.resolution.functions.get(block)?.exit;
  if (exit === undefined || exit === null) {
    write(dest);
    return;
  }
  const mark = b.temp();
  encoder.emitList(Op.NATIVE, mark, [], [program.native('%call_begins')]);
  b.storeVariable(exit, mark);
  const ends = (): void => {
    encoder.emitList(Op.NATIVE, b.temp(), [mark], [program.native('%call_ends')]);
  };
  const result = b.target(dest);
  const value = b.isVariable(result) ? b.temp() : result;
  const start = encoder.pc;
  emitEnsure(b, write, ends, value, ends);
  const end = encoder.pc;
  const after = encoder.newLabel();
  encoder.jump(Op.JUMP, after);
  encoder.protect(start, end, encoder.pc, HANDLES_ALL);
  const caught = b.temp();
  encoder.emit(Op.CATCH, caught, 1);
  encoder.emitList(Op.NATIVE, value, [mark, caught], [program.native('%broken')]);
  encoder.bind(after);
  b.move(result, value);
}

/** Writes `break` for a block that is a function; its value is in register `value`. */
export function emitBreak(b: FunctionBuilder, value: number): boolean {
  const { exit } = b.scope;
  if (exit === null) return false;
  const mark = b.temp();
  b.loadVariable(exit, mark);
  b.encoder.emitList(Op.NATIVE, value, [mark, value], [b.program.native('%break')]);
  return true;
}
