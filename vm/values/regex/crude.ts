const PART = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!]|\{\d+(?:,\d*)?\}|[\s\S]/g;
/** Longest expression that V8 compiles within some ms; classes of Unicode's properties count more. */
const COMPILED = 4096;
const PROPERTY = 64;

/** Whether V8 compiles an expression quickly, which it does at its first search. */
export function compilesQuickly(source: string): boolean {
  return source.length + PROPERTY * (source.match(/\\p\{/gi) ?? []).length <= COMPILED;
}

/** Steps that V8 makes in about 2 ms. */
const STEPS = 2_000_000;
/** Longest text that the rough bound is good for: longer ones are worth a closer look at the expression. */
const MOST = 1 << 14;
/** Largest number of choices that are counted one by one. */
const CHOICES = 20;

/**
 * A quick bound on the length of texts that V8's backtracking engine searches in about 2 ms: each repetition can be left at any character, each choice
 * doubles the ways. −1 when only a closer look can tell: a repeated group can multiply its ways by itself.
 */
export function crudeLimit(source: string): number {
  if (!compilesQuickly(source)) return -1;
  const parts = source.match(PART) ?? [];
  // The search for a start is a repetition, too.
  let repeats = 1;
  let choices = 0;
  let steps = parts.length;
  for (const [i, part] of parts.entries()) {
    const before = parts[i - 1];
    const isLazy = part === '?' && i > 0 && ['*', '+', '?'].includes(before);
    if (part === '*' || part === '+' || (part[0] === '{' && part.length > 2)) {
      if (before === ')') return -1;
      repeats++;
    } else if (part === '|' || (part === '?' && !isLazy && before !== '(')) choices++;
    // A lookaround's body begins anew wherever it stands; a back-reference costs its length.
    else if (/^(?:\(\?<?[=!]|\\[1-9k])/.test(part)) repeats++;
  }
  if (choices > CHOICES) return -1;
  steps = STEPS / 2 ** choices / Math.max(1, steps / 32);
  let ways = 1;
  let n = 0;
  // Ways to leave so many repetitions in so many characters: binomial coefficients.
  while (n < MOST && ways <= steps) ways *= (++n + repeats) / n;
  return n - 1;
}
