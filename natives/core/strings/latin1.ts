import { STEP } from '../../../vm/values/steps.js';

/** Texts that are shorter than this are worked on faster by their characters. */
const SHORT = 64;
const ABOVE = /[^\0-\xff]/;
/** Room for a part of a text that is worked on in one step. */
const shared = Buffer.allocUnsafeSlow(STEP);

/**
 * The characters of a text as bytes, in memory that the next call overwrites: loops over them are three to five
 * times as fast. null if a character is above 255, or if the text is short or longer than a step.
 */
export function latin1Bytes(text: string): Buffer | null {
  if (text.length < SHORT || text.length > shared.length || ABOVE.test(text)) return null;
  shared.write(text, 0, 'latin1');
  return shared;
}
