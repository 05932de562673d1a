/** Sets of characters as sorted ranges: [lo, hi, lo, hi, …], both ends included. */

export type Ranges = readonly number[];

export const MAX_CODE_POINT = 0x10ffff;
/** What `\w`, `\d` and `\s` match. */
export const WORD: Ranges = [48, 57, 65, 90, 95, 95, 97, 122];
export const DIGIT: Ranges = [48, 57];
export const SPACE: Ranges = [
  9, 13, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000,
  0x3000, 0xfeff, 0xfeff,
];

/** Sorts ranges and merges those that overlap or touch. */
export function merged(pairs: readonly (readonly [number, number])[]): number[] {
  const out: number[] = [];
  for (const [lo, hi] of [...pairs].sort((x, y) => x[0] - y[0])) {
    if (out.length > 0 && lo <= out[out.length - 1] + 1) out[out.length - 1] = Math.max(out[out.length - 1], hi);
    else out.push(lo, hi);
  }
  return out;
}

export function pairsOf(ranges: Ranges): [number, number][] {
  const out: [number, number][] = [];
  for (let i = 0; i < ranges.length; i += 2) out.push([ranges[i], ranges[i + 1]]);
  return out;
}

export function complement(ranges: Ranges, most: number): number[] {
  const out: number[] = [];
  let from = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i] > from) out.push(from, ranges[i] - 1);
    from = ranges[i + 1] + 1;
  }
  if (from <= most) out.push(from, most);
  return out;
}

/** Whether `code` is in the ranges. */
export function contains(ranges: Ranges, code: number): boolean {
  let lo = 0;
  let hi = ranges.length >> 1;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (ranges[2 * mid + 1] < code) lo = mid + 1;
    else hi = mid;
  }
  return lo < ranges.length >> 1 && ranges[2 * lo] <= code;
}

/** The characters that both sets hold. */
export function intersection(a: Ranges, b: Ranges): number[] {
  const out: number[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const lo = Math.max(a[i], b[j]);
    const hi = Math.min(a[i + 1], b[j + 1]);
    if (lo <= hi) out.push(lo, hi);
    if (a[i + 1] < b[j + 1]) i += 2;
    else j += 2;
  }
  return out;
}
