import { positionOf } from './bytecode/program.js';
import type { Frame } from './frame.js';
import type { TraceLine } from './values/error.js';

/** Frames shown at each end of a long backtrace. */
const HALF = 50;

/** Backtrace from `frame`, whose current instruction is `pc`; parents stand at their calls. Long ones lose their middle. */
export function traceOf(frame: Frame | null, pc: number): TraceLine[] {
  const frames: { frame: Frame; pc: number }[] = [];
  for (let f = frame, at = pc; f !== null; f = f.parent, at = f === null ? 0 : f.pc) frames.push({ frame: f, pc: at });
  const kept = frames.length <= 2 * HALF ? frames : [...frames.slice(0, HALF), ...frames.slice(-HALF)];
  return kept.filter(({ frame: f }) => f.fn.file !== '').map(({ frame: f, pc: at }) => ({ name: f.fn.name, file: f.fn.file, ...positionOf(f.fn, at) }));
}
