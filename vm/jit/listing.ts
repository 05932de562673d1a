import { decode, decodeAll } from '../bytecode/decode.js';
import { Op } from '../bytecode/generated/op.js';
import { RAN } from '../interpreter/feedback.js';
import { DeoptExit, FORMS, NEVER_RAN, SuspendExit, UNBOXED } from '../interpreter/suspension.js';
import { Closure, NativeFunction, type Fn } from '../values/function.js';
import { inspect } from '../values/text/text.js';
import type { Generated } from './emit/generator.js';

/**
 * The JavaScript of a function with its bytecode: each line with its address and opcode, then the meaning of its names.
 */
export function listing(fn: Fn, { source, pcs, values }: Generated): string {
  const rows = source.split('\n').map((text, i) => {
    const pc = pcs[i];
    return `${pc < 0 ? ' '.repeat(16) : `${String(pc).padStart(5)}  ${decode(fn.code, pc, fn.name).info.name.padEnd(9)}`}  ${text}`.trimEnd();
  });
  const names = [...values].map(([name, value]) => `  ${name}: ${described(value)}`);
  return `${fn.signature()}\n${rows.join('\n')}\n${names.join('\n')}${names.length > 0 ? '\n' : ''}`;
}

/** Marks all loops of a function as run, so that the JIT compiler generates code for them. */
export function takeAsRun(fn: Fn): void {
  for (const { pc, info } of decodeAll(fn.code, fn.name)) if (info.op === Op.LOOPHEAD) fn.feedback[pc] = RAN;
}

function described(value: unknown): string {
  if (typeof value === 'function') return 'a function of the library, or a test of a type';
  if (value instanceof DeoptExit) return exitText(value);
  if (value instanceof SuspendExit) return suspensionText(value);
  const isValue =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value instanceof Closure ||
    value instanceof NativeFunction;
  return isValue ? inspect(value) : `an object: ${(value as object).constructor.name}`;
}

function exitText({ pc, live, register }: DeoptExit): string {
  const doubted =
    register >= 0 ? ` because of r${register}` : register === NEVER_RAN ? ', where a loop has never run' : '';
  return `exit to ${pc}${doubted}${live.length === 0 ? '' : ` with ${live.map((r) => (r < 0 ? `f${~r}` : `r${r}`)).join(', ')}`}`;
}

function suspensionText({ pc, places, isEntry }: SuspendExit): string {
  const registers = places.map((place) => `${place % FORMS === UNBOXED ? 'f' : 'r'}${Math.floor(place / FORMS)}`);
  const where = isEntry ? 'before it starts' : `at ${pc}`;
  return `suspends ${where}${registers.length === 0 ? '' : ` with ${registers.join(', ')}`}`;
}
