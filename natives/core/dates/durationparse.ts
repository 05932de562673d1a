import { Errors, fail } from '../../../vm/values/error.js';
import { quote } from '../../../vm/values/text/text.js';
import { DurationValue, type Unit } from './duration.js';

/** Maximum characters of the text of a duration. */
const MAX_TEXT = 200;

const WHOLE = '([-+]?\\d{1,9})';
const NUMBER = '([-+]?\\d{1,15}(?:[.,]\\d{1,9})?)';
/** ISO 8601, with signs as in ISO 8601-2. */
const ISO = new RegExp(
  `^([-+])?P(?=[-+\\d]|T[-+\\d])(?:${WHOLE}Y)?(?:${WHOLE}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?=[-+\\d])(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
  'i',
);
const ISO_UNITS: readonly Unit[] = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'];

/** An amount with its unit, in words or abbreviated. */
const AMOUNT =
  /([-+]?\d{1,15}(?:\.\d{1,9})?) ?(years?|months?|weeks?|days?|hours?|minutes?|seconds?|milliseconds?|ms|min|[wdhms])(?![a-z])(?:, | and |,? ?)/iy;
const SHORT: Readonly<Record<string, Unit>> = {
  w: 'week',
  d: 'day',
  h: 'hour',
  min: 'minute',
  m: 'minute',
  s: 'second',
  ms: 'millisecond',
};

/** The duration of a text: `PT1H30M`, `1 hour 30 minutes`, `1h 30m`. @throws ValueError */
export function parseDuration(text: string): DurationValue {
  const plain = text.length > MAX_TEXT ? '' : text.trim();
  const [, sign, ...amounts] = ISO.exec(plain) ?? [];
  if (amounts.length > 0) {
    const given = amounts.map((amount, i) => [ISO_UNITS[i], numberOf(amount as string | undefined)] as const);
    const duration = DurationValue.ofParts(given);
    return sign === '-' ? duration.negated() : duration;
  }
  return inWords(plain) ?? notDuration(text);
}

function numberOf(text = '0'): number {
  return Number(text.replace(',', '.'));
}

function inWords(text: string): DurationValue | null {
  const parts: (readonly [Unit, number])[] = [];
  AMOUNT.lastIndex = 0;
  for (let at = 0; at < text.length; at = AMOUNT.lastIndex) {
    const match = AMOUNT.exec(text);
    if (match === null) return null;
    const word = match[2].toLowerCase();
    parts.push([Object.hasOwn(SHORT, word) ? SHORT[word] : (word.replace(/s$/, '') as Unit), numberOf(match[1])]);
  }
  return parts.length === 0 ? null : DurationValue.ofParts(parts);
}

function notDuration(text: string): never {
  const shown = text.length > MAX_TEXT ? `a text of ${text.length} characters` : quote(text);
  return fail(Errors.ValueError, `Duration(): ${shown} is not a duration, such as "PT1H30M" or "1 hour 30 minutes"`);
}
