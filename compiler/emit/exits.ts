import { Op } from '../../vm/bytecode/generated/op.js';
import { DISCARD, type FunctionBuilder } from './builder.js';
import { RETRY, type BlockControl, type ControlExit, type LoopControl } from './controls.js';

/**
 * Leaves to control `exit.index`. If there is an `ensure` in between, jumps to the innermost one, which then continues
 * the exit.
 */
export function emitExit(b: FunctionBuilder, given: ControlExit, value: number): void {
  const exit = outOfCall(b, given);
  for (let i = b.controls.length - 1; i > exit.index; i--) {
    const control = b.controls[i];
    if (control.kind !== 'ensure') continue;
    let n = control.exits.findIndex((e) => e.kind === exit.kind && e.index === exit.index && e.end === exit.end);
    if (n < 0) n = control.exits.push(exit) - 1;
    b.move(control.value, value);
    b.encoder.emit16(Op.LOADI, control.selector, n + 1);
    b.encoder.jump(Op.JUMP, control.slow);
    return;
  }
  emitFinalExit(b, exit, value);
}

/** `break` in an inlined block leaves the iterator as well, and runs its `ensure`. */
function outOfCall(b: FunctionBuilder, exit: ControlExit): ControlExit {
  const control = exit.kind === 'break' ? b.controls[exit.index] : undefined;
  return control?.kind === 'block' ? { kind: 'call', index: control.end.depth - 1, end: control.end } : exit;
}

function emitFinalExit(b: FunctionBuilder, exit: ControlExit, value: number): void {
  if (exit.kind === 'return') {
    b.encoder.emit(Op.RETURN, value);
    return;
  }
  if (exit.kind === 'template') {
    const template = b.template!;
    b.move(template.dest, value);
    b.encoder.jump(Op.JUMP, template.done);
    return;
  }
  if (exit.end !== undefined) {
    b.move(exit.end.dest, value);
    b.encoder.jump(Op.JUMP, exit.end.label);
    return;
  }
  const control = b.controls[exit.index] as LoopControl | BlockControl;
  if (control.kind === 'block') {
    b.move(control.nextDest, value);
    b.encoder.jump(Op.JUMP, control.next);
  } else if (exit.kind === 'break') {
    b.move(control.dest, value);
    b.encoder.jump(Op.JUMP, control.done);
  } else if (control.next !== null) b.encoder.jump(Op.JUMP, control.next);
  else b.encoder.jump(Op.LOOP, control.head);
}

/** Index of the loop or block that a `break` or `next` refers to, or −1. */
export function targetOf(b: FunctionBuilder, label: string | null): number {
  for (let i = b.controls.length - 1; i >= 0; i--) {
    const control = b.controls[i];
    if (control.kind === 'ensure' || (control.kind === 'loop' && control.label === RETRY)) continue;
    if (label === null || (control.kind === 'loop' && control.label === label)) return i;
  }
  return -1;
}

/**
 * Writes a loop. `body` writes the code between head and back-edge. A normal end jumps to `loop.exhausted`, where the
 * loop's value becomes nil; `break` jumps past that, with its own value.
 */
export function emitLoop(
  b: FunctionBuilder,
  label: string | null,
  dest: number,
  body: (loop: LoopControl) => void,
): void {
  const { encoder } = b;
  const loop: LoopControl = {
    kind: 'loop',
    label,
    head: { at: encoder.pc, refs: [] },
    next: null,
    exhausted: encoder.newLabel(),
    done: encoder.newLabel(),
    dest,
  };
  encoder.jump(Op.LOOPHEAD, loop.exhausted);
  b.controls.push(loop);
  body(loop);
  encoder.jump(Op.LOOP, loop.head);
  b.controls.pop();
  encoder.bind(loop.exhausted);
  if (dest !== DISCARD) encoder.emit(Op.LOADNIL, dest);
  encoder.bind(loop.done);
}
