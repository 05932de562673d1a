import { Encoder } from '../bytecode/encode.js';
import { Op } from '../bytecode/generated/op.js';
import { HANDLES_ALL } from '../bytecode/program.js';
import { Signal, SvcError } from '../values/error.js';
import { NativeFunction, type Fn } from '../values/function.js';
import { type Link, linkOwn } from './ownprogram.js';
import type { Thrown } from '../fibers/fiber.js';
import type { Value } from '../values/value.js';

/** Continues a native after the Svc function that it called. Both methods may in turn wait or call. */
export interface Continuation {
  done(value: Value): Value | undefined;
  /** `thrown` is an SvcError or a Signal. Throw it again to propagate it, as happens without this method. */
  failed?(thrown: Thrown): Value | undefined;
}

/**
 * The function that implements `VM.callThen`: applies register 0 to the vector in register 1 and passes the outcome to
 * the continuation in register 2. It is bytecode, so that suspension and unwinding need no special case.
 */
export function continuationProgram(link: Link, globals: Map<string, Value>): Fn {
  globals.set(
    '%done',
    new NativeFunction('%done', 'then: Any, value: Any', 'Any', '', (_vm, then: Continuation, value: Value) =>
      then.done(value),
    ),
  );
  globals.set(
    '%failed',
    new NativeFunction('%failed', 'then: Any, thrown: Any', 'Any', '', (_vm, then: Continuation, thrown: Value) => {
      if (thrown instanceof SvcError || thrown instanceof Signal) {
        if (then.failed === undefined) throw thrown;
        return then.failed(thrown);
      }
      throw new Error('continuation of something that was not thrown');
    }),
  );
  const encoder = new Encoder();
  const after = encoder.newLabel();
  // A thread may already be interrupted at the entry; the continuation must be called then, too.
  const start = encoder.pc;
  encoder.emit(Op.LOADNIL, 3);
  encoder.emitList(Op.APPLY, 4, [0, 1, 3]);
  encoder.jump(Op.JUMP, after);
  const handler = encoder.pc;
  encoder.emit(Op.CATCH, 4, 1);
  encoder.emitList(Op.NATIVE, 4, [2, 4], [1]);
  encoder.emit(Op.RETURN, 4);
  encoder.bind(after);
  encoder.emitList(Op.NATIVE, 4, [2, 4], [0]);
  encoder.emit(Op.RETURN, 4);
  encoder.protect(start, handler, handler, HANDLES_ALL);
  return linkOwn(link, encoder, {
    name: 'call',
    params: ['callee', 'args', 'then'],
    registers: 5,
    natives: ['%done', '%failed'],
  });
}
