import { positionOf } from '../bytecode/program.js';
import type { Frame } from '../fibers/frame.js';
import type { TraceLine } from '../values/error.js';
import type { Fn } from '../values/function.js';

/** An instruction of a function. */
export interface Place {
  fn: Fn;
  pc: number;
}

/** Frames shown at each end of a long backtrace. */
const HALF = 50;

/** Backtrace from `frame`, whose current instruction is `pc`; parents are at their calls. */
export function traceOf(frame: Frame | null, pc: number): TraceLine[] {
  return linesOf(placesFrom(frame, pc));
}

/** The instructions that `frame`, whose current one is `pc`, and its parents are at. */
export function placesFrom(frame: Frame | null, pc: number): Place[] {
  const places: Place[] = [];
  for (let f = frame, at = pc; f !== null; f = f.parent, at = f === null ? 0 : f.pc) places.push({ fn: f.fn, pc: at });
  return places;
}

/** The lines of a backtrace, innermost first; the middle of a long one is left out. */
export function linesOf(places: readonly Place[]): TraceLine[] {
  const kept = places.length <= 2 * HALF ? places : [...places.slice(0, HALF), ...places.slice(-HALF)];
  return kept
    .filter(({ fn }) => fn.file !== '')
    .map(({ fn, pc }) => ({ name: fn.name, file: fn.file, ...positionOf(fn, pc) }));
}
