import type { Fiber, Thrown } from '../../vm/fibers/fiber.js';
import { native } from '../../vm/calls/native.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail, isExit, Signal, SvcError } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import { inspect } from '../../vm/values/text/text.js';
import { isLarge } from '../../vm/values/weight.js';
import type { Requests } from '../../vm/calls/caller.js';
import { toDouble } from '../../vm/values/numbers/arithmetic.js';
import { type DurationValue, inSeconds } from '../core/dates/duration.js';
import { functions, type Num } from '../core/declare.js';
import { TEST_RESULTS } from '../core/testresults.js';
import { diffOf } from './diff.js';
import { type Body, RunningTest, Skipped } from './running.js';
import { type CurrentTest, type Failure, groupIn, TESTS, TIMEOUT_MS, type TestInfo, type TestRun } from './run.js';

/** Maximum characters of a row in the name of a test. */
const MAX_ROW = 60;

type Timeout = Num | DurationValue | null;

/** The test that runs. @throws RuntimeError if none does */
function runningTest(vm: NativeContext, what: string): CurrentTest {
  return TESTS.of(vm).current ?? fail(Errors.RuntimeError, `${what}() belongs in a test`);
}

/** @throws RuntimeError while a test runs */
function refuseWithin(run: TestRun, what: string): void {
  if (run.current !== null)
    fail(
      Errors.RuntimeError,
      `${what}() inside of a test: tests run one after another, so put it outside of the block`,
    );
}

function millisecondsOf(timeout: Timeout): number {
  if (timeout === null) return TIMEOUT_MS;
  const seconds = toDouble(inSeconds<Num>(timeout));
  if (!(seconds > 0)) fail(Errors.ArgumentError, `timeout: must be more than 0 seconds, got ${inspect(timeout)}`);
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}

/** Runs a function as a test, unless the filter leaves it out. Returns whether it passed. */
function runTest(vm: NativeContext, name: string, timeout: Timeout, body: Body): Value | undefined {
  const run = TESTS.of(vm);
  const info: TestInfo = {
    names: [...run.group.names, name],
    place: vm.position(),
    timeoutMs: millisecondsOf(timeout),
  };
  if (run.filter !== null && !run.filter.test(info.names.join(' '))) {
    run.filtered++;
    return true;
  }
  if (run.bails && TEST_RESULTS.of(vm).failed > 0) return false;
  const caller = vm.scheduler.current as Fiber;
  const isVirtual = vm.host.behind !== undefined && timeout !== null;
  return vm.wait(
    'test',
    (resume) => {
      const running = new RunningTest(vm, info, body, isVirtual, caller, resume);
      running.start();
      return () => running.cancel();
    },
    'thread',
  );
}

function test(vm: NativeContext, name: string, timeout: Timeout, block: Value): Value | undefined {
  refuseWithin(TESTS.of(vm), 'test');
  return runTest(vm, name, timeout, { fn: block, args: [] });
}

function rowText(row: Value): string {
  const text = isLarge(row) ? '…' : inspect(row);
  const inner = Array.isArray(row) && text !== '…' ? `(${text.slice(1, -1)})` : `(${text})`;
  return inner.length > MAX_ROW ? `${inner.slice(0, MAX_ROW)}…)` : inner;
}

/** Runs a block as a test for each row of a table. */
function testEach(vm: NativeContext, table: Value[], name: string, timeout: Timeout, block: Value): undefined {
  refuseWithin(TESTS.of(vm), 'test_each');
  const rows = table.slice();
  if (rows.length === 0) fail(Errors.ArgumentError, 'test_each() needs a table with at least one row');
  const runRow = (i: number): Value | undefined => {
    const row = rows[i];
    const title = name === '' ? rowText(row) : `${name} ${rowText(row)}`;
    return runTest(vm, title, timeout, { fn: block, args: Array.isArray(row) ? row : [row] });
  };
  let all = true;
  const next = native('test_each', 'i: Integer', 'Any', '', (_vm: NativeContext, i: number) => runRow(i));
  return vm.answering(
    (function* (): Requests {
      for (let i = 0; i < rows.length; i++) all = (yield { fn: next, args: [i] }) === true && all;
      return all;
    })(),
  );
}

/** The failure of a group whose block was ended by an error or by `exit`; null for other signals. */
function groupFailure(thrown: Thrown): Failure | null {
  const phase = 'describe';
  if (isExit(thrown))
    return { phase, type: '', message: `the group called exit(${String(thrown.payload)})`, trace: [], diff: [] };
  if (!(thrown instanceof SvcError)) return null;
  const { type, message, trace } = thrown.value;
  return { phase, type: type.name, message, trace: trace ?? [], diff: diffOf(thrown.value) };
}

/** Runs a block whose tests belong to a group. An error or `exit` outside of its tests is a failure of the group. */
function describe(vm: NativeContext, name: string, block: Value): undefined {
  const run = TESTS.of(vm);
  refuseWithin(run, 'describe');
  const outer = run.group;
  const group = (run.group = groupIn(outer, name));
  const place = vm.position();
  return vm.callThen(block, [], {
    done: () => {
      run.group = outer;
      return null;
    },
    failed: (thrown: Thrown) => {
      run.group = outer;
      const failure = groupFailure(thrown);
      if (failure === null) throw thrown;
      const info = { names: group.names, place, timeoutMs: TIMEOUT_MS };
      TEST_RESULTS.of(vm).failed++;
      run.reporter.started(info);
      run.reporter.ended(info, {
        failures: [failure],
        skipped: null,
        left: [],
        written: 0,
        ms: 0,
      });
      return null;
    },
  });
}

function addHook(vm: NativeContext, when: 'before' | 'after', block: Value): null {
  const run = TESTS.of(vm);
  refuseWithin(run, `${when}_each`);
  run.group[when].push(block);
  return null;
}

/** Ends the test that runs; it counts as skipped. */
function skip(vm: NativeContext, reason: string): never {
  const { fiber } = runningTest(vm, 'skip');
  if (vm.scheduler.current !== fiber) fail(Errors.RuntimeError, 'skip() belongs in the thread of the test itself');
  throw new Signal('cancel', new Skipped(reason));
}

/** Functions that declare tests. */
// prettier-ignore
export const declaring = functions([
  ['test', 'name: String, timeout: Integer|Float|Duration? = nil, &block: Function', 'Boolean', 'Runs a block as a test, in a thread of its own for at most 30 seconds or `timeout`, and prints `ok` or `not ok` with its name. After a failed test the exit code of the program is 1.', test],
  ['test_each', 'table: Vector, name: String = "", timeout: Integer|Float|Duration? = nil, &block: Function', 'Boolean', 'Runs a block as a test for each row of a table, whose elements are its arguments; the row is part of the name.', testEach],
  ['describe', 'name: String, &block: Function', 'Nil', 'Runs a block whose tests and hooks form a group with a name.', describe],
  ['before_each', '&block: Function', 'Nil', 'Runs a block before each of the tests of the group that follow.', (vm: NativeContext, block: Value) => addHook(vm, 'before', block)],
  ['after_each', '&block: Function', 'Nil', 'Runs a block after each of the tests of the group that follow, also if they fail.', (vm: NativeContext, block: Value) => addHook(vm, 'after', block)],
  ['skip', 'reason: String', 'Nil', 'Ends the test that runs; it counts neither as passed nor as failed.', skip],
]);
