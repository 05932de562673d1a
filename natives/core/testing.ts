import { ModuleState } from '../../vm/calls/modulestate.js';
import { toDouble } from '../../vm/values/numbers/arithmetic.js';
import type { Regex } from '../../vm/values/structured.js';
import { equal } from '../../vm/values/equal.js';
import { ErrorType, Errors, type ErrorValue, fail, SvcError } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { inspect, toText } from '../../vm/values/text/text.js';
import { truthy, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Thrown } from '../../vm/fibers/fiber.js';
import type { Steps } from '../../vm/values/steps.js';
import { equalSteps } from '../../vm/values/equalsteps.js';
import { typeName } from '../../vm/values/types.js';
import { isLarge } from '../../vm/values/weight.js';
import { found } from './collections/access.js';
import { functions, type Num } from './declare.js';
import { whetherOccurs } from './regex/engine.js';
import { withElements } from './steps.js';

/** Test results of a VM; stored in `vm.modules` as `tests`. */
export interface TestResults {
  passed: number;
  failed: number;
}

/** Maximum characters of a value in a message. */
const MAX_SHOWN = 200;

function shown(value: Value): string {
  if (typeof value === 'string') return cut(inspect(value.slice(0, MAX_SHOWN)), value.length > MAX_SHOWN);
  return isLarge(value) ? `a large ${typeName(value)}` : cut(inspect(value), false);
}

function cut(text: string, isPart: boolean): string {
  return isPart || text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Raises AssertionError unless `holds`; the program's own message, if any, comes first. */
function assert(holds: boolean, text: () => string, message: Value): null {
  if (!holds) fail(Errors.AssertionError, message === null ? text() : `${toText(message)}: ${text()}`);
  return null;
}

const RESULTS = new ModuleState<TestResults>(() => ({ passed: 0, failed: 0 }));

/** Whether a test has failed; the program's exit code is then 1. */
export function hasFailedTests(vm: NativeContext): boolean {
  return RESULTS.of(vm).failed > 0;
}

/** Runs a block as a test and prints its outcome; returns true if it passed. Signals (halt, exit) pass through. */
function test(vm: NativeContext, name: string, block: Value): undefined {
  const results = RESULTS.of(vm);
  return vm.callThen(block, [], {
    done: () => {
      results.passed++;
      vm.host.stdout(`ok - ${name}\n`);
      return true;
    },
    failed: (thrown: Thrown) => {
      if (!(thrown instanceof SvcError)) throw thrown;
      results.failed++;
      vm.host.stdout(`not ok - ${name}: ${describe(thrown.value)}\n`);
      return false;
    },
  });
}

function describe(error: ErrorValue): string {
  const where = error.trace?.[0];
  const text = error.type === Errors.AssertionError ? error.message : `${error.type.name}: ${error.message}`;
  return where === undefined ? text : `${text} (line ${where.line})`;
}

/** Whether an error matches the expectation: its type (by value or name), or a text in its message. */
function isExpected(error: ErrorValue, expected: Value): boolean {
  if (expected instanceof ErrorType) return error.type.is(expected);
  for (let type: ErrorType | null = error.type; type !== null; type = type.parent)
    if (type.name === expected) return true;
  return error.message.includes(toText(expected));
}

/** Calls a function that must raise; returns the error. */
function assertRaises(vm: NativeContext, expected: Value[], block: Value): undefined {
  const wanted = expected.map(toText).join(' ');
  return vm.callThen(block, [], {
    done: (value: Value) =>
      fail(
        Errors.AssertionError,
        `expected ${wanted === '' ? 'an error' : wanted}, but the block returned ${shown(value)}`,
      ),
    failed: (thrown: Thrown) => {
      if (!(thrown instanceof SvcError) || thrown.value.type === Errors.AssertionError) throw thrown;
      const { value: error } = thrown;
      assert(
        expected.every((one) => isExpected(error, one)),
        () => `expected ${wanted}, got ${error.type.name}: ${error.message}`,
        null,
      );
      return error;
    },
  });
}

/** Compares two values for an assertion; large ones in pieces. */
function assertEqual(vm: NativeContext, a: Value, b: Value, check: (same: boolean) => null): Value | undefined {
  if (!isLarge(a) || !isLarge(b)) return check(equal(a, b));
  return vm.inPieces(
    'assert',
    (function* (): Steps {
      return check(yield* equalSteps(a, b));
    })(),
  );
}

function assertIn(vm: NativeContext, item: Value, collection: Value, message: Value): Value | undefined | void {
  const check = (holds: boolean): null =>
    assert(holds, () => `expected ${shown(collection)} to include ${shown(item)}`, message);
  if (typeof collection === 'string') return check(typeof item === 'string' && collection.includes(item));
  if (collection instanceof Hash) return check(collection.has(item));
  return withElements(vm, collection, 'assert_in', (list) =>
    found(vm, 'assert_in', list, item, (at) => check(at >= 0)),
  );
}

/** Functions for tests in Svc. */
// prettier-ignore
export const testing = functions([
  ['test', 'name: String, &block: Function', 'Boolean', 'Runs a block as a test and prints `ok` or `not ok` with its name. After a failed test the exit code of the program is 1.', test],
  ['assert_true assert', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError when a value is nil or false.', (_: unknown, value: Value, message: Value) => assert(truthy(value), () => `expected true, got ${shown(value)}`, message)],
  ['assert_false', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless a value is nil or false.', (_: unknown, value: Value, message: Value) => assert(!truthy(value), () => `expected false, got ${shown(value)}`, message)],
  ['assert_eq', 'actual: Any, expected: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless two values are equal.', (vm: NativeContext, actual: Value, expected: Value, message: Value) => assertEqual(vm, actual, expected, (same) => assert(same, () => `expected ${shown(expected)}, got ${shown(actual)}`, message))],
  ['assert_neq', 'actual: Any, unexpected: Any, message: Any = nil', 'Nil', 'Raises AssertionError when two values are equal.', (vm: NativeContext, actual: Value, unexpected: Value, message: Value) => assertEqual(vm, actual, unexpected, (same) => assert(!same, () => `expected anything but ${shown(unexpected)}`, message))],
  ['assert_nil', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless a value is nil.', (_: unknown, value: Value, message: Value) => assert(value === null, () => `expected nil, got ${shown(value)}`, message)],
  ['assert_not_nil', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError when a value is nil.', (_: unknown, value: Value, message: Value) => assert(value !== null, () => 'expected a value, got nil', message)],
  ['assert_in', 'item: Any, collection: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless a collection or text contains an item.', assertIn],
  ['assert_match', 'pattern: String|Regex, text: String, message: Any = nil', 'Nil', 'Raises AssertionError unless a pattern occurs in a text.', (vm: NativeContext, pattern: string | Regex, text: string, message: Value) => whetherOccurs(vm, 'assert_match', text, pattern, (occurs) => assert(occurs, () => `expected ${shown(text)} to match ${shown(pattern)}`, message))],
  ['assert_approx_eq', 'actual: Number, expected: Number, tolerance: Number = 0.000001, message: Any = nil', 'Nil', 'Raises AssertionError unless two numbers are equal within a tolerance.', (_: unknown, actual: Num, expected: Num, tolerance: Num, message: Value) => assert(Math.abs(toDouble(actual) - toDouble(expected)) <= toDouble(tolerance), () => `expected ${shown(expected)} within ${shown(tolerance)}, got ${shown(actual)}`, message)],
  ['assert_raises assert_raises_typed', '*expected: Any, &block: Function', 'Error', 'Raises AssertionError unless a block raises an error, of the expected type when given, and returns that error.', assertRaises],
]);
