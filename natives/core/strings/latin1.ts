import { STEP } from '../../../vm/values/steps.js';

/** Shorter texts are faster read by their characters. */
const SHORT = 64;
const ABOVE = /[^\0-\xff]/;
/** Room for a part of a text: one step, and the second half of a surrogate pair. */
const shared = Buffer.allocUnsafeSlow(STEP + 1);

/**
 * The characters of a text as bytes, in memory that the next call overwrites: work on them takes a fifth of the time.
 * null if one of them is above 255, or if the text is short or longer than a step.
 */
export function latin1Bytes(text: string): Buffer | null {
  if (text.length < SHORT || text.length > shared.length || ABOVE.test(text)) return null;
  shared.write(text, 0, 'latin1');
  return shared;
}
