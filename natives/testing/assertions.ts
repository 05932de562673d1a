import { afterwards } from '../../vm/calls/native.js';
import { toDouble } from '../../vm/values/numbers/arithmetic.js';
import { Regex } from '../../vm/values/structured.js';
import { equal } from '../../vm/values/equal.js';
import { ErrorType, Errors, errorOf, type ErrorValue, fail, SvcError } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { inspect, toText } from '../../vm/values/text/text.js';
import { truthy, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Thrown } from '../../vm/fibers/fiber.js';
import type { Steps } from '../../vm/values/steps.js';
import { equalSteps } from '../../vm/values/equalsteps.js';
import { typeName } from '../../vm/values/types.js';
import { isLarge } from '../../vm/values/weight.js';
import { found } from '../core/collections/access.js';
import { functions, type Num } from '../core/declare.js';
import { whetherOccurs } from '../core/regex/engine.js';
import { withElements } from '../core/steps.js';
import { prettySteps } from '../core/pretty.js';
import { diffSteps, noteDiff } from './diff.js';
import { TESTS } from './run.js';

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
  if (!holds) fail(Errors.AssertionError, explained(text(), message));
  return null;
}

/** The text of a failure behind the program's own message, which may be any value. */
function explained(text: string, message: Value): string {
  if (message === null) return text;
  return `${typeof message !== 'string' && isLarge(message) ? shown(message) : toText(message)}: ${text}`;
}

/** Whether an error matches an expectation: its type (by value or name), or a text or pattern in its message. */
function whetherExpected(
  vm: NativeContext,
  error: ErrorValue,
  expected: Value,
  then: (expected: boolean) => Value | undefined,
): Value | undefined {
  if (expected instanceof ErrorType) return then(error.type.is(expected));
  if (expected instanceof Regex)
    return afterwards(
      vm,
      () => whetherOccurs(vm, 'assert_raises', error.message, expected),
      (occurs) => then(occurs === true),
    );
  for (let type: ErrorType | null = error.type; type !== null; type = type.parent)
    if (type.name === expected) return then(true);
  return then(error.message.includes(toText(expected)));
}

/** Returns the error if it matches all expectations. */
function expectAll(vm: NativeContext, error: ErrorValue, expected: readonly Value[], at = 0): Value | undefined {
  if (at === expected.length) return error;
  return whetherExpected(vm, error, expected[at], (holds) => {
    const wanted = (): string => expected.map(expectedText).join(' ');
    assert(holds, () => `expected ${wanted()}, got ${error.type.name}: ${error.message}`, null);
    return expectAll(vm, error, expected, at + 1);
  });
}

function expectedText(expected: Value): string {
  return expected instanceof Regex ? inspect(expected) : toText(expected);
}

/** Calls a function that must raise; returns the error. @throws ArgumentError for what no error can fit */
function assertRaises(vm: NativeContext, expected: Value[], block: Value): undefined {
  for (const one of expected)
    if (typeof one !== 'string' && !(one instanceof ErrorType) && !(one instanceof Regex))
      fail(
        Errors.ArgumentError,
        `assert_raises(): expected a type of errors, a text or a regular expression, got ${shown(one)}`,
      );
  return vm.callThen(block, [], {
    done: (value: Value) =>
      fail(
        Errors.AssertionError,
        `expected ${expected.length === 0 ? 'an error' : expected.map(expectedText).join(' ')}, but the block returned ${shown(value)}`,
      ),
    failed: (thrown: Thrown) => {
      if (!(thrown instanceof SvcError) || thrown.value.type === Errors.AssertionError) throw thrown;
      return expectAll(vm, thrown.value, expected);
    },
  });
}

/** The error of an assertion that compares values, with their differences if a test shows them. */
function* differing(vm: NativeContext, text: string, expected: Value, actual: Value): Generator<void, never, void> {
  const error = errorOf(Errors.AssertionError, text);
  if (TESTS.of(vm).current !== null) noteDiff(error.value, yield* diffSteps(expected, actual));
  throw error;
}

function assertEq(vm: NativeContext, actual: Value, expected: Value, message: Value): Value | undefined {
  if (isLarge(actual) || isLarge(expected))
    return vm.inPieces(
      'assert',
      (function* (): Steps {
        return (yield* equalSteps(actual, expected)) ? null : yield* unequal(vm, actual, expected, message);
      })(),
    );
  if (equal(actual, expected)) return null;
  return vm.inPieces('assert', unequal(vm, actual, expected, message));
}

function unequal(vm: NativeContext, actual: Value, expected: Value, message: Value): Generator<void, never, void> {
  const text = `expected ${shown(expected)}, got ${shown(actual)}`;
  return differing(vm, explained(text, message), expected, actual);
}

/** Compares a value with the one that was stored when the test first ran. */
function assertSnapshot(vm: NativeContext, value: Value, name: string): Value | undefined {
  const { current } = TESTS.of(vm);
  if (current === null) return fail(Errors.RuntimeError, 'assert_snapshot() belongs in a test');
  return vm.inPieces(
    'assert_snapshot',
    (function* (): Steps {
      const isText = typeof value === 'string';
      const text = isText ? value : yield* prettySteps(value);
      const known = current.snapshots.compare({ text, isText }, name);
      if (known === null) return null;
      const isOfKind = known.isText === null || known.isText === isText;
      const kinds = isOfKind ? '' : isText ? ', which is no text' : ', which is a text';
      return yield* differing(
        vm,
        `the value is not the one of the snapshot${kinds} (\`svcc test --update\` stores it)`,
        known.text,
        text,
      );
    })(),
  );
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

/** Functions that check what a test expects. */
// prettier-ignore
export const assertions = functions([
  ['assert_true assert', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError when a value is nil or false.', (_: unknown, value: Value, message: Value) => assert(truthy(value), () => `expected true, got ${shown(value)}`, message)],
  ['assert_false', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless a value is nil or false.', (_: unknown, value: Value, message: Value) => assert(!truthy(value), () => `expected false, got ${shown(value)}`, message)],
  ['assert_eq', 'actual: Any, expected: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless two values are equal.', assertEq],
  ['assert_neq', 'actual: Any, unexpected: Any, message: Any = nil', 'Nil', 'Raises AssertionError when two values are equal.', (vm: NativeContext, actual: Value, unexpected: Value, message: Value) => assertEqual(vm, actual, unexpected, (same) => assert(!same, () => `expected anything but ${shown(unexpected)}`, message))],
  ['assert_nil', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless a value is nil.', (_: unknown, value: Value, message: Value) => assert(value === null, () => `expected nil, got ${shown(value)}`, message)],
  ['assert_not_nil', 'value: Any, message: Any = nil', 'Nil', 'Raises AssertionError when a value is nil.', (_: unknown, value: Value, message: Value) => assert(value !== null, () => 'expected a value, got nil', message)],
  ['assert_in', 'item: Any, collection: Any, message: Any = nil', 'Nil', 'Raises AssertionError unless a collection or text contains an item.', assertIn],
  ['assert_match', 'pattern: String|Regex, text: String, message: Any = nil', 'Nil', 'Raises AssertionError unless a pattern occurs in a text.', (vm: NativeContext, pattern: string | Regex, text: string, message: Value) => whetherOccurs(vm, 'assert_match', text, pattern, (occurs) => assert(occurs, () => `expected ${shown(text)} to match ${shown(pattern)}`, message))],
  ['assert_approx_eq', 'actual: Number, expected: Number, tolerance: Number = 0.000001, message: Any = nil', 'Nil', 'Raises AssertionError unless two numbers are equal within a tolerance.', (_: unknown, actual: Num, expected: Num, tolerance: Num, message: Value) => assert(Math.abs(toDouble(actual) - toDouble(expected)) <= toDouble(tolerance), () => `expected ${shown(expected)} within ${shown(tolerance)}, got ${shown(actual)}`, message)],
  ['assert_raises assert_raises_typed', '*expected: Any, &block: Function', 'Error', 'Raises AssertionError unless a block raises an error that fits all expectations: types, texts and patterns of its message. Returns that error.', assertRaises],
  ['assert_snapshot', 'value: Any, name: String = ""', 'Nil', 'Raises AssertionError unless a value is the one that was stored when the test first ran, in `__snapshots__/`. `svcc test --update` stores it again.', assertSnapshot],
]);
