import { afterwards } from '../../../vm/calls/native.js';
import { hasOwnText } from '../../../vm/interpreter/ownoperators.js';
import { RecordType } from '../../../vm/values/structured.js';
import { ownTextRequests } from '../printing.js';
import { STEP } from '../../../vm/values/steps.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { toText } from '../../../vm/values/text/text.js';
import { joinIntegers } from '../../../vm/values/text/textbuilder.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { isLarge, LIGHT, weigh } from '../../../vm/values/weight.js';
import { checkElements, checkText, joinTexts } from '../limits.js';
import { textSteps } from '../../../vm/values/textsteps.js';

type TextSteps = Generator<void, string, void>;

/** Maximum nesting that `flatten` follows. */
const MAX_NESTING = 1000;

/** Collects the elements of vectors nested up to `depth` levels, one step at a time. */
class Flattening {
  readonly out: Value[] = [];
  /** The vectors being traversed, outermost first, and the position in each at which to continue. */
  private readonly open: (readonly Value[])[] = [];
  private readonly places: number[] = [];
  private visited = 0;

  constructor(
    list: readonly Value[],
    private readonly depth: number,
  ) {
    // A copy: others may change the vector between two steps.
    this.enter(list.slice());
  }

  /** Runs one step; returns whether it was the last. @throws ValueError when a vector contains itself */
  run(): boolean {
    const { open, places, out } = this;
    let left = STEP;
    while (open.length > 0) {
      const items = open[open.length - 1];
      let at = places[places.length - 1];
      let inner: Value[] | null = null;
      // Read the length for each element: others may shorten an inner vector between two steps.
      for (; at < items.length && inner === null; at++) {
        if (--left < 0) {
          places[places.length - 1] = at;
          return false;
        }
        const item = items[at];
        if (Array.isArray(item) && open.length <= this.depth) inner = item;
        else out.push(item);
      }
      places[places.length - 1] = at;
      if (inner !== null) this.enter(inner);
      else {
        open.pop();
        places.pop();
        left--;
      }
    }
    return true;
  }

  *steps(): Generator<void, Value[], void> {
    while (!this.run()) yield;
    return this.out;
  }

  private enter(items: readonly Value[]): void {
    if (this.open.length > MAX_NESTING)
      fail(
        Errors.ValueError,
        `cannot flatten a vector nested deeper than ${MAX_NESTING} levels, or one that contains itself`,
      );
    // Count visits, not only elements: vectors that contain each other twice grow exponentially without having
    // elements.
    checkElements((this.visited += items.length + 1));
    this.open.push(items);
    this.places.push(0);
  }
}

/** Elements of vectors nested up to `depth` levels. @throws ValueError when a vector contains itself */
export function flatten(vm: NativeContext, list: readonly Value[], depth: number): Value | undefined {
  const work = new Flattening(list, depth);
  return work.run() ? work.out : vm.inPieces('flatten', work.steps());
}

/**
 * Texts of the elements with a separator between them; nested vectors are flattened, nil is empty. Records are shown by
 * their own `to_s`.
 */
export function join(vm: NativeContext, list: readonly Value[], separator: string): Value | undefined {
  if (areShortTexts(list, separator)) return list.join(separator);
  if (!RecordType.haveTexts || !mayShowRecords(list)) return joinPlain(vm, list, separator);
  const texts = (flat: Value): Value | undefined => vm.answering(ownTextRequests(flat as Value[]));
  return afterwards(
    vm,
    () => afterwards(vm, () => flatten(vm, list, Infinity), texts),
    (all) => joinPlain(vm, all as Value[], separator),
  );
}

/** Maximum elements, and UTF-16 units of their texts and the separator, that are joined without weighing them. */
const FEW = 256;
const SHORT_UNITS = 4096;

function areShortTexts(list: readonly Value[], separator: string): boolean {
  if (list.length > FEW) return false;
  let units = 0;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== 'string') return false;
    units += item.length + separator.length;
  }
  return units <= SHORT_UNITS;
}

function mayShowRecords(list: readonly Value[]): boolean {
  return list.length > STEP || list.some((item) => Array.isArray(item) || hasOwnText(item));
}

function joinPlain(vm: NativeContext, list: readonly Value[], separator: string): Value | undefined {
  // `slice` below: others may change the vector between two steps.
  if (list.length > STEP || isLarge(list) || list.length * weigh(separator) > LIGHT)
    return vm.inPieces('join', joinSteps(list.slice(), separator));
  if (!list.some((item) => Array.isArray(item))) return joinNow(list, separator);
  const work = new Flattening(list, Infinity);
  return work.run() && !isLarge(work.out) && work.out.length * weigh(separator) <= LIGHT
    ? joinNow(work.out, separator)
    : vm.inPieces('join', flatSteps(work, separator));
}

function joinNow(flat: readonly Value[], separator: string): string {
  if (flat.every((item) => typeof item === 'string')) return joinTexts(flat, separator);
  if (flat.every((item) => typeof item === 'number')) return joinIntegers(flat, separator);
  return joinTexts(
    flat.map((item) => (typeof item === 'string' ? item : toText(item))),
    separator,
  );
}

/** Joins one step's worth at a time, until a nested vector is found. */
export function* joinSteps(list: readonly Value[], separator: string): TextSteps {
  const parts: string[] = [];
  const weight = weigh(separator);
  let units = 0;
  for (let lo = 0; lo < list.length;) {
    const hi = stepEnd(list, lo, weight);
    const part = list.slice(lo, hi);
    if (part.some((item) => Array.isArray(item))) return yield* flatSteps(new Flattening(list, Infinity), separator);
    const text = hi - lo === 1 ? yield* textSteps(list[lo] ?? '', false) : joinNow(part, separator);
    checkText(units + text.length + separator.length, units);
    units += text.length + separator.length;
    parts.push(text);
    lo = hi;
    yield;
  }
  if (weight <= 1) return joinTexts(parts, separator);
  // V8 copies long texts when they are read, not when `+` puts them together.
  return parts.reduce((text, part, i) => (i === 0 ? part : text + separator + part), '');
}

/** End of the elements that are joined in one step with the one at `lo`, by a separator of this weight. */
function stepEnd(list: readonly Value[], lo: number, separator: number): number {
  let left = STEP;
  let hi = lo;
  for (; hi < list.length && left > 0; hi++)
    left -= separator + (typeof list[hi] === 'number' ? 1 : 1 + weigh(list[hi]));
  // An element heavier than the rest of its step gets its own step.
  return left < 0 && hi - lo > 1 ? hi - 1 : hi;
}

function* flatSteps(work: Flattening, separator: string): TextSteps {
  return yield* joinSteps(yield* work.steps(), separator);
}
