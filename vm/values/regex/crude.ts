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

/** Parts that may match more or less than one character: brackets, anchors, repetitions, and escapes but the simple ones. */
const NO_CHARACTER = /^(?:[*+?(|)^$]|\\(?![dDwWsSnrtfv])[A-Za-z0-9]|\{\d.*|\(.+)$/s;
/** Parts that match no character beyond ASCII. */
const ONLY_ASCII =
  /^(?:[\x00-\x2d\x2f-\x7f]|\\[dwnrtfv\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]|\[(?!\^)(?:[\x00-\x5b\x5d-\x7f]|\\[dwnrtfv\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f])*\])$/;
const ASCII = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));

/** Whether no character is matched by two of these parts, each of which matches one character. */
function areDisjoint(parts: readonly string[], flags: string): boolean {
  const seen = new Set<string>();
  for (const part of parts) {
    const own: string[] = ASCII.match(new RegExp(part, `${flags}g`)) ?? [];
    if (!ONLY_ASCII.test(part)) own.push('others');
    for (const char of own) if (seen.size === seen.add(char).size) return false;
  }
  return true;
}

/**
 * Whether a repeated group, given with its brackets, can match a text in one way only: its alternatives are characters in
 * sequence, and start with different ones.
 */
function matchesInOneWay(group: readonly string[], flags: string): boolean {
  if (flags.includes('i')) return false;
  const body = group.slice(group[1] === '?' && group[2] === ':' ? 3 : 1, -1);
  const firsts: string[] = [];
  for (let i = 0; i <= body.length; i++) {
    const isFirst = i === 0 || body[i - 1] === '|';
    if (body[i] === '|' && !isFirst) continue;
    if (body[i] === undefined && !isFirst) break;
    if (body[i] === undefined || NO_CHARACTER.test(body[i])) return false;
    if (isFirst) firsts.push(body[i]);
  }
  return areDisjoint(firsts, flags);
}

/** Number of paths through a part of an expression, and its length in tokens. */
interface Ways {
  ways: number;
  longest: number;
  /** Paths through the preceding alternatives. */
  others: number;
  longestOther: number;
  /** Whether it is the body of a lookaround without a repetition so far. */
  isFixedLookaround: boolean;
}

/** Number of paths through an expression when each loop runs once. */
class Choices {
  private readonly open: Ways[] = [{ ways: 1, longest: 0, others: 0, longestOther: 0, isFixedLookaround: false }];

  private get top(): Ways {
    return this.open[this.open.length - 1];
  }

  /** Takes a part that repeats nothing. An opening bracket may be that of a lookaround. */
  take(part: string, isFixedLookaround = false): void {
    const { top } = this;
    top.longest++;
    if (part === '(') this.open.push({ ways: 1, longest: 0, others: 0, longestOther: 0, isFixedLookaround });
    else if (part === '|') Object.assign(top, { ways: 1, longest: 0, ...this.all });
    else if (part === ')' && this.open.length > 1) {
      const { others, longestOther } = this.all;
      this.open.pop();
      this.top.ways *= others;
      this.top.longest += longestOther;
    }
  }

  /** Called for a repetition. Returns the number of lookarounds around it that had none before. */
  repeat(): number {
    const around = this.open.filter((ways) => ways.isFixedLookaround);
    for (const ways of around) ways.isFixedLookaround = false;
    return around.length;
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
 * after any character, the body of a lookaround with a repetition starts at each position, and choices multiply. Returns
 * −1 if only the full analysis can tell: the paths of a repeated group can multiply.
 */
export function crudeLimit(source: string, flags: string): number {
  if (!compilesQuickly(source, flags)) return -1;
  const parts = source.match(PART) ?? [];
  const choices = new Choices();
  /** Where the open groups and the last closed one start. */
  const open: number[] = [];
  let group = 0;
  // The search for a start counts as a repetition, too.
  let repeats = 1;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    const before = parts[i - 1];
    const isLazy = part === '?' && ['*', '+', '?'].includes(before);
    if (part === '*' || part === '+' || (part[0] === '{' && part.length > 2)) {
      if (before === ')' && (part[0] === '{' || !matchesInOneWay(parts.slice(group, i), flags))) return -1;
      repeats += 1 + choices.repeat();
    } else if (part === '?' && !isLazy && before !== '(') choices.double();
    else if (/^\(\?<?[=!]/.test(part)) {
      open.push(i);
      choices.take('(', true);
    } else {
      if (part === '(') open.push(i);
      else if (part === ')') group = open.pop() ?? 0;
      // A back-reference costs its length.
      if (/^\\[1-9k]/.test(part)) repeats += 1 + choices.repeat();
      choices.take(part);
    }
  }
  const { others, longestOther } = choices.all;
  const steps = STEPS / others / Math.max(1, longestOther / 32);
  if (steps < 1) return -1;
  let longest = 0;
  for (let step = MAX_TEXT_LENGTH / 2; step >= 1; step /= 2)
    if (waysToEnd(repeats, longest + step) <= steps) longest += step;
  return longest;
}

/** Ways to distribute the ends of repetitions over the characters of a text: a binomial coefficient. */
function waysToEnd(repeats: number, length: number): number {
  let ways = 1;
  for (let i = 1; i <= repeats && ways <= STEPS; i++) ways *= (length + i) / i;
  return ways;
}
