/** Characters that are the same without regard to case, as V8's flags `i` and `u` decide. */

/** Characters that no conversion of case finds. */
const OTHERS: Readonly<Record<string, string>> = {
  s: 'ſ',
  k: '\u212a',
  å: '\u212b',
  ß: 'ẞ',
  σ: 'ς',
  μ: 'µ',
  θ: 'ϑϴ',
  ι: '\u0345ι\u1fbe',
  β: 'ϐ',
  ε: 'ϵ',
  κ: 'ϰ',
  π: 'ϖ',
  ρ: 'ϱ',
  φ: 'ϕ',
  ω: '\u2126',
  ṡ: 'ẛ',
};

function unicodeEscape(c: string): string {
  return `\\u{${(c.codePointAt(0) as number).toString(16)}}`;
}

const known = new Map<string, readonly string[]>();

/** The characters that equal `c` without regard to case, itself first. */
export function variants(c: string): readonly string[] {
  let all = known.get(c);
  if (all === undefined) known.set(c, (all = variantsOf(c)));
  return all;
}

function variantsOf(c: string): string[] {
  const found = new Set([c]);
  for (const one of found) {
    const lower = one.toLowerCase();
    for (const other of [lower, one.toUpperCase(), ...(OTHERS[lower] ?? '')])
      if ([...other].length === 1) found.add(other);
  }
  if (found.size === 1) return [c];
  const same = new RegExp(`^${unicodeEscape(c)}$`, 'iu');
  return [...found].filter((one) => same.test(one));
}

let rare: (readonly string[])[] | null = null;

/** Groups of at least three characters that are the same without regard to case. */
export function largeCaseGroups(): readonly (readonly string[])[] {
  return (rare ??= Object.keys(OTHERS)
    .map(variants)
    .filter((group) => group.length > 2));
}

/** Maximum characters of a range whose variants are added one by one. */
const MAX_RANGE = 4096;

/** The characters outside a range that equal one in it without regard to case; null if the range is too large. */
export function variantsOfRange(first: number, last: number): string[] | null {
  if (last - first > MAX_RANGE) return null;
  const outside = new Set<string>();
  for (let code = first; code <= last; code++) {
    for (const one of variants(String.fromCodePoint(code))) {
      const at = one.codePointAt(0) as number;
      if (at < first || at > last) outside.add(one);
    }
  }
  return [...outside];
}

/** A character as part of a class. */
export function inClass(c: string): string {
  return /[\w\u00a1-\uffff]/.test(c) && c.length === 1 ? c : c.length > 1 ? unicodeEscape(c) : `\\${c}`;
}
