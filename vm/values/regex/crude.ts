const PART = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!]|\{\d+(?:,\d*)?\}|[\s\S]/g;
/** Steps that V8 does in about 2 ms. */
const STEPS = 2_000_000;
/** Maximum text length for the rough bound: longer texts justify the full analysis. */
const MAX_TEXT_LENGTH = 1 << 14;
/**
 * Milliseconds that V8 may take to compile an expression, which happens at its first search; and the amount of each
 * cost factor that takes one millisecond.
 */
const COMPILE_MS = 12;
const PER_MS = {
  characters: 2700,
  characters_without_case: 600,
  groups_squared: 250_000,
  groups_times_bars: 8000,
  options_squared: 100_000,
  properties: 10,
};

/** Whether V8 compiles an expression quickly. */
export function compilesQuickly(source: string, flags: string): boolean {
  const parts = source.match(PART) ?? [];
  const count = (wanted: string): number => parts.reduce((sum, part) => sum + (part === wanted ? 1 : 0), 0);
  const properties = (source.match(/\\p\{/gi) ?? []).length;
  const ms =
    source.length / (flags.includes('i') ? PER_MS.characters_without_case : PER_MS.characters) +
    (count('(') * count('|')) / PER_MS.groups_times_bars +
    count('(') ** 2 / PER_MS.groups_squared +
    count('?') ** 2 / PER_MS.options_squared +
    properties / PER_MS.properties;
  return ms <= COMPILE_MS;
}

/** Number of paths through a part of an expression, and its length in tokens. */
interface Ways {
  ways: number;
  longest: number;
  /** Paths through the preceding alternatives. */
  others: number;
  longestOther: number;
}

/** Number of paths through an expression when each loop runs once. */
class Choices {
  private readonly open: Ways[] = [{ ways: 1, longest: 0, others: 0, longestOther: 0 }];

  private get top(): Ways {
    return this.open[this.open.length - 1];
  }

  take(part: string): void {
    const { top } = this;
    top.longest++;
    if (part === '(') this.open.push({ ways: 1, longest: 0, others: 0, longestOther: 0 });
    else if (part === '|') Object.assign(top, { ways: 1, longest: 0, ...this.all });
    else if (part === ')' && this.open.length > 1) {
      const { others, longestOther } = this.all;
      this.open.pop();
      this.top.ways *= others;
      this.top.longest += longestOther;
    }
  }

  /** Called when the last part is optional. */
  double(): void {
    this.top.ways *= 2;
  }

  /** Paths and length of all alternatives of the innermost open group. */
  get all(): { others: number; longestOther: number } {
    const { ways, others, longest, longestOther } = this.top;
    return { others: ways + others, longestOther: Math.max(longest, longestOther) };
  }
}

/**
 * A quick bound on the length of texts that V8's backtracking engine searches in about 2 ms: each repetition can end
 * after any character, and choices multiply. Returns −1 if only the full analysis can tell: the paths of a repeated
 * group can multiply.
 */
export function crudeLimit(source: string, flags: string): number {
  if (!compilesQuickly(source, flags)) return -1;
  const parts = source.match(PART) ?? [];
  const choices = new Choices();
  // The search for a start counts as a repetition, too.
  let repeats = 1;
  for (const [i, part] of parts.entries()) {
    const before = parts[i - 1];
    const isLazy = part === '?' && ['*', '+', '?'].includes(before);
    if (part === '*' || part === '+' || (part[0] === '{' && part.length > 2)) {
      if (before === ')') return -1;
      repeats++;
    } else if (part === '?' && !isLazy && before !== '(') choices.double();
    else if (/^\(\?<?[=!]/.test(part)) {
      // The body of a lookaround starts at each position.
      repeats++;
      choices.take('(');
    } else {
      // A back-reference costs its length.
      if (/^\\[1-9k]/.test(part)) repeats++;
      choices.take(part);
    }
  }
  const { others, longestOther } = choices.all;
  const steps = STEPS / others / Math.max(1, longestOther / 32);
  let ways = 1;
  let n = 0;
  // Ways to distribute the ends of the repetitions over n characters: binomial coefficients.
  while (n < MAX_TEXT_LENGTH && ways <= steps) ways *= (++n + repeats) / n;
  return n - 1;
}
