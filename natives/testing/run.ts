import { ModuleState } from '../../vm/calls/modulestate.js';
import type { Fiber } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { TraceLine } from '../../vm/values/error.js';
import { visible } from '../../vm/values/text/visible.js';
import type { Value } from '../../vm/values/value.js';
import type { DiffLine } from './diff.js';
import type { Snapshot } from './snapshottext.js';

/** Milliseconds that a test may take unless it says otherwise. */
export const TIMEOUT_MS = 30_000;

/** A test that runs. */
export interface TestInfo {
  /** The names of the groups around it, and its own. */
  readonly names: readonly string[];
  /** Where it stands; null if that is unknown. */
  readonly place: TraceLine | null;
  readonly timeoutMs: number;
}

/** A part of a test; `thread`: a thread that the test started. */
export type Phase = 'describe' | 'before_each' | 'test' | 'after_each' | 'thread';

/** Why a test failed. */
export interface Failure {
  readonly phase: Phase;
  /** Name of the error's type; empty for what is not an error of the program, such as a timeout. */
  readonly type: string;
  readonly message: string;
  /** Innermost line first. */
  readonly trace: readonly TraceLine[];
  /** How the values of an assertion differ; empty for other failures. */
  readonly diff: readonly DiffLine[];
}

/** Outcome of a test: it failed if there are failures, and was skipped if there is a reason. */
export interface TestOutcome {
  readonly failures: readonly Failure[];
  readonly skipped: string | null;
  /** What it left running, and was ended. */
  readonly left: readonly string[];
  /** Number of snapshots stored for the first time, or anew. */
  readonly written: number;
  /** Elapsed milliseconds by the real clock. */
  readonly ms: number;
}

/** Receives the outcomes of tests. */
export interface TestReporter {
  started(test: TestInfo): void;
  /** A part of the test begins, which has the test's time again. */
  phase?(): void;
  ended(test: TestInfo, outcome: TestOutcome): void;
}

/** The test that runs, as functions for tests see it. */
export interface CurrentTest {
  /** The thread that runs its body or a hook. */
  readonly fiber: Fiber | null;
  readonly snapshots: {
    /** The stored value that differs from `value`; null if there is none. @throws AssertionError */
    compare(value: Snapshot, name: string): Snapshot | null;
  };
}

/** A group of tests: `describe`, or the whole file. */
export interface Group {
  readonly names: readonly string[];
  readonly parent: Group | null;
  readonly before: Value[];
  readonly after: Value[];
}

/** A group within another one. */
export function groupIn(parent: Group, name: string): Group {
  return { names: [...parent.names, name], parent, before: [], after: [] };
}

/** The functions that run before a test of the group, outer groups first. */
export function hooksBefore(group: Group | null): Value[] {
  return group === null ? [] : [...hooksBefore(group.parent), ...group.before];
}

/** The functions that run after a test of the group: those declared last come first. */
export function hooksAfter(group: Group | null): Value[] {
  return group === null ? [] : [...group.after.toReversed(), ...hooksAfter(group.parent)];
}

/** Prints a line for each test, for programs that `svcc run` runs. */
class PlainReporter implements TestReporter {
  constructor(private readonly print: (text: string) => void) {}

  started(): void {}

  ended({ names }: TestInfo, { failures, skipped, left }: TestOutcome): void {
    const title = visible(names.join(' › '));
    if (failures.length > 0) this.print(`not ok - ${title}: ${failures.map(textOf).join('; ')}\n`);
    else this.print(`ok - ${title}${skipped === null ? '' : ` # SKIP ${visible(skipped)}`}\n`);
    for (const thread of left) this.print(`# ${title} left ${thread} running\n`);
  }
}

function textOf({ phase, type, message, trace }: Failure): string {
  const text = type === '' || type === 'AssertionError' ? message : `${type}: ${message}`;
  const where = trace.length === 0 ? '' : ` (line ${trace[0].line})`;
  return `${phase === 'test' ? '' : `${phase}: `}${visible(text)}${where}`;
}

/** The tests of a VM. */
export class TestRun {
  reporter: TestReporter;
  /** Runs only tests whose names, joined by blanks, match. */
  filter: RegExp | null = null;
  /** Whether no further test runs after the first failure. */
  bails = false;
  /** Whether snapshots are stored anew. */
  updates = false;
  /** Whether a snapshot that is missing is a failure instead of being stored. */
  isStrict = false;
  group: Group = { names: [], parent: null, before: [], after: [] };
  /** The test that runs. */
  current: CurrentTest | null = null;
  /** Number of tests that the filter left out. */
  filtered = 0;
  /** Number of tests declared so far by full name, for snapshots of tests with the same name. */
  readonly declared = new Map<string, number>();

  constructor(vm: NativeContext) {
    this.reporter = new PlainReporter((text) => vm.host.stdout(text));
  }
}

/** The tests of a VM. */
export const TESTS = new ModuleState<TestRun, NativeContext>((vm) => new TestRun(vm));
