import type { Regex } from '../compound.js';
import { Errors, fail } from '../error.js';

/** Milliseconds that a search may take that cannot run in linear time. Nothing else runs meanwhile. */
const LIMIT_MS = 100;

/** Runs a search; false when it has not ended after so many milliseconds. Set by the host; without one, searches have no limit. */
type RunWithin = (ms: number, search: () => void) => boolean;

let runWithin: RunWithin | null = null;
let prepare: (() => void) | null = null;

/** Gives searches that cannot run in linear time a limit. `first` runs before the first expression is compiled, if one ever is. */
export function limitSearches(run: RunWithin, first: () => void): void {
  runWithin = run;
  prepare = first;
}

/** To call before an expression is compiled. */
export function beforeCompiling(): void {
  prepare?.();
  prepare = null;
}

/** How the time of a search grows with the text's length n. 0: linear; else n to this power at worst, Infinity: exponentially. */
const costs = new WeakMap<RegExp, number>();

/** Whether V8's linear engine can run an expression. False in a host that has not enabled it. */
export function isLinear(source: string, flags: string): boolean {
  try {
    new RegExp(source, `${flags}l`);
    return true;
  } catch {
    return false;
  }
}

const PART = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/g;

function costOf(form: RegExp): number {
  const known = costs.get(form);
  if (known !== undefined) return known;
  const cost = isLinear(form.source, form.flags) ? 0 : backtracking(form.source);
  costs.set(form, cost);
  return cost;
}

/** A bound on the work of V8's backtracking engine: each repetition can multiply it by the text's length, a repeated group by any number. */
function backtracking(source: string): number {
  const parts = source.match(PART) ?? [];
  let power = 1;
  for (const [i, part] of parts.entries()) {
    const repeats = part === '*' || part === '+' || (part[0] === '{' && part.length > 2);
    if (repeats && parts[i - 1] === ')') return Infinity;
    if (repeats) power++;
  }
  return power;
}

/** Texts up to this length are searched at once, whatever the expression. */
const SHORT = 16;
/** Steps that may be made without a look at the clock. */
const FEW_STEPS = 1_000_000;

/**
 * Runs `search`, which searches `text` with this form of `regex`, under a limit where it needs one. `search` may be broken off anywhere: it should do nothing else.
 * @throws RuntimeError when it takes more than 100 ms, MemoryError when it needs more memory than V8 gives a search
 */
export function searchWithin<T>(regex: Regex, form: RegExp, text: string, search: () => T): T {
  const cost = costOf(form);
  if (cost === 0 || runWithin === null || text.length <= SHORT || text.length ** cost <= FEW_STEPS) return withinMemory(regex, search);
  let result: T | undefined;
  if (runWithin(LIMIT_MS, () => (result = withinMemory(regex, search)))) return result as T;
  return fail(Errors.RuntimeError, `the search for /${regex.source}/ took more than ${LIMIT_MS} ms; only expressions without lookaround, back-references `
    + 'and counts above 16 are searched in linear time, and not in texts with characters above U+FFFF');
}

/** V8 remembers each pass through a repeated group, such as that of `(a|b)*`, and gives up after some ten millions. */
function withinMemory<T>(regex: Regex, search: () => T): T {
  try {
    return search();
  } catch (error) {
    if (error instanceof RangeError) fail(Errors.MemoryError, `the search for /${regex.source}/ needs too much memory: the text is too long for its repeated groups`);
    throw error;
  }
}
