import { Bytes } from '../../../vm/values/bytes.js';
import { checkRoom } from '../../../vm/values/heaproom.js';
import { STEP } from '../../../vm/values/steps.js';

/**
 * For each prefix of `sought`, the length of its longest proper prefix that is also its suffix (Knuth, Morris and
 * Pratt).
 */
function* borders(sought: Uint8Array): Generator<void, Int32Array, void> {
  checkRoom(sought.length * Int32Array.BYTES_PER_ELEMENT, 'the table for a search would not fit');
  const table = new Int32Array(sought.length);
  for (let i = 1, k = 0; i < sought.length; i++) {
    while (k > 0 && sought[i] !== sought[k]) k = table[k - 1];
    if (sought[i] === sought[k]) k++;
    table[i] = k;
    if (i % STEP === 0) yield;
  }
  return table;
}

/**
 * Offset of the first occurrence of `sought` that begins at or after `from`, or −1. Time is linear in both lengths,
 * whatever the bytes are.
 */
export function* indexSteps({ data }: Bytes, { data: sought }: Bytes, from: number): Generator<void, number, void> {
  if (sought.length === 0) return from;
  if (sought.length > data.length - from) return -1;
  const table = yield* borders(sought);
  let matched = 0;
  for (let lo = from; lo < data.length; lo += STEP) {
    if (lo > from) yield;
    const hi = Math.min(lo + STEP, data.length);
    const part = data.subarray(lo, hi);
    for (let i = lo; i < hi; i++) {
      if (matched === 0) {
        const next = part.indexOf(sought[0], i - lo);
        if (next < 0) break;
        i = lo + next;
      }
      while (matched > 0 && data[i] !== sought[matched]) matched = table[matched - 1];
      if (data[i] === sought[matched]) matched++;
      if (matched === sought.length) return i + 1 - matched;
    }
  }
  return -1;
}

/** Whether `part` occurs at offset `at`, in steps. */
export function* occursAt(bytes: Bytes, part: Bytes, at: number): Generator<void, boolean, void> {
  if (at < 0 || at + part.length > bytes.length) return false;
  // Not `slice`, which may copy.
  return (yield* new Bytes(bytes.data.subarray(at, at + part.length)).compareSteps(part)) === 0;
}
