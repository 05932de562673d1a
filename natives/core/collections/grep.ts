import { attempt, charge } from '../../../vm/values/cost.js';
import { matches, matchSteps } from '../../../vm/values/match.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Row } from '../declare.js';
import { Gathered } from '../gathered.js';

/** Cost of matching one small element, in the units of `charge`. */
const MATCH_UNITS = 5;
/** Small elements matched in one step. */
const MATCHES_PER_STEP = 1024;

/** The elements that match a pattern as in `when`, or those that do not; in pieces if that may take long. */
function grep(
  vm: NativeContext,
  name: string,
  list: readonly Value[],
  pattern: Value,
  expected: boolean,
): Value | undefined {
  const now = attempt(
    (items, one) =>
      items.filter((item) => {
        charge(MATCH_UNITS);
        return matches(one, item) === expected;
      }),
    list,
    pattern,
  );
  return now ?? vm.inPieces(name, grepSteps(list.slice(), pattern, expected));
}

function* grepSteps(list: readonly Value[], pattern: Value, expected: boolean): Generator<void, Value[], void> {
  const out = new Gathered<Value>();
  for (let i = 0; i < list.length; i++) {
    if ((yield* matchSteps(pattern, list[i])) === expected) out.add(list[i]);
    if (i % MATCHES_PER_STEP === MATCHES_PER_STEP - 1) yield;
  }
  return yield* out.all();
}

// prettier-ignore
export const grepRows: readonly Row[] = [
  ['grep', 'pattern: Any', 'Vector', 'The elements that match `pattern` as in `when`: a regex, a type, a range, or an equal value.', (vm: NativeContext, list: Value[], pattern: Value) => grep(vm, 'grep', list, pattern, true)],
  ['grep_v', 'pattern: Any', 'Vector', 'The elements that do not match `pattern` as in `when`.', (vm: NativeContext, list: Value[], pattern: Value) => grep(vm, 'grep_v', list, pattern, false)],
];
