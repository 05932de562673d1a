/** Work on long texts in steps, so that it does not block other threads. */
import { finish, STEP } from '../../../vm/values/steps.js';
import { BlockText } from '../../../vm/values/text/blocks.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { checkText } from '../limits.js';

/** End of the step that begins at `lo`; never inside a surrogate pair. */
export function stepEnd(text: string, lo: number): number {
  const hi = Math.min(lo + STEP, text.length);
  return hi < text.length && (text.codePointAt(hi - 1) as number) > 0xffff ? hi + 1 : hi;
}

/** End of the part that begins at `lo`. With `border`, the next part begins where it matches. */
function partEnd(text: string, lo: number, border: RegExp | null): number {
  const hi = stepEnd(text, lo);
  if (border === null || hi === text.length) return hi;
  border.lastIndex = hi;
  const found = border.exec(text);
  return found === null ? text.length : found.index;
}

/** Calls `visit` with the parts of a text, one for each step. */
export function* partsInSteps(
  text: string,
  visit: (part: string) => void,
  border: RegExp | null = null,
): Generator<void, void, void> {
  for (let lo = 0; lo < text.length;) {
    const hi = partEnd(text, lo, border);
    visit(text.slice(lo, hi));
    lo = hi;
    if (lo < text.length) yield;
  }
}

/**
 * Joins the results of `make` for the parts of `text`.
 * @param border an expression with the flag `g`: parts begin only where it matches, so that `make` need not look beyond
 * a part
 * @throws MemoryError when the result would be too long
 */
export function* madeInSteps(
  text: string,
  make: (part: string) => string,
  border: RegExp | null = null,
): Generator<void, string, void> {
  const out = new BlockText();
  yield* partsInSteps(
    text,
    (part) => {
      const made = make(part);
      checkText(out.length + made.length);
      out.add(made);
    },
    border,
  );
  return out.end();
}

/** Works on a text at once when it is short, otherwise in pieces. */
export function overText(
  vm: NativeContext,
  what: string,
  text: string,
  steps: Generator<void, Value, void>,
): Value | undefined {
  return text.length <= STEP ? finish(steps) : vm.inPieces(what, steps);
}

/** Returns `make(text)` for a short text; for a long one works part by part (see `madeInSteps`). */
export function made(
  vm: NativeContext,
  what: string,
  text: string,
  make: (part: string) => string,
  border: RegExp | null = null,
): Value | undefined {
  return text.length <= STEP ? make(text) : vm.inPieces(what, madeInSteps(text, make, border));
}
