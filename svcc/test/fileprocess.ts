import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endChild } from '../endchild.js';
import { titleOf } from './text.js';
import type { FileCounts } from './coverage/merge.js';
import { Capture } from './capture.js';
import {
  type DoneRecord,
  type FailureRecord,
  type FileResult,
  GRACE_MS,
  type Job,
  type TestEvent,
  type TestRecord,
} from './protocol.js';
import { killGroup } from './standby.js';

/** Milliseconds without an event after which a file is ended while no test runs. */
const IDLE_MS = 120_000;

type Start = Extract<TestEvent, { is: 'start' }>;

/** The process of one file of tests. */
export class FileProcess {
  /** Resolves when the process has ended. */
  readonly ended: Promise<FileResult>;
  private readonly raw = new Capture();
  private readonly tests: TestRecord[] = [];
  private current: Start | null = null;
  private finished: DoneRecord | null = null;
  private seed: number | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isStuck = false;
  private begun = false;
  private rest = '';
  private readonly startedAt = performance.now();

  /** Whether the process has read its job: if not, nothing of it has run. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /** Counts of the program's files; empty without coverage, and if the process has died. */
  get coverage(): readonly FileCounts[] {
    return this.finished?.coverage ?? [];
  }

  /**
   * @param child the process that runs `job`
   * @param loaded called with the paths of the files that the program was made from
   */
  constructor(
    private readonly job: Job,
    private readonly child: ChildProcess,
    private readonly loaded: (sources: readonly string[]) => void,
  ) {
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.raw.add(text));
    (this.child.stdio[3] as Readable).setEncoding('utf8').on('data', (text: string) => this.read(text));
    this.wait(IDLE_MS);
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => {
        this.raw.add(error.message);
        resolve(this.result(null, null));
      });
      this.child.on('exit', (code, signal) => {
        killGroup(this.child);
        // Processes that have left the group may keep the streams open.
        const timer = setTimeout(() => resolve(this.result(code, signal)), 1000);
        this.child.once('close', () => {
          clearTimeout(timer);
          resolve(this.result(code, signal));
        });
      });
    });
  }

  /** Ends the process and those that it has started. */
  kill(): void {
    endChild(this.child, () => killGroup(this.child));
  }

  private wait(ms: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isStuck = true;
      this.kill();
    }, ms);
  }

  private read(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() as string;
    for (const line of lines) this.take(JSON.parse(line) as TestEvent);
  }

  private take(event: TestEvent): void {
    this.begun = true;
    if (event.is === 'start') this.current = event;
    this.wait(this.current === null ? IDLE_MS : this.current.timeoutMs + GRACE_MS);
    if (event.is === 'sources') this.loaded(event.paths);
    else if (event.is === 'seed') {
      this.seed = event.seed;
      this.current = null;
    } else if (event.is === 'done') this.finished = event;
    else if (event.is === 'end') {
      const { is: _, ...test } = event;
      this.tests.push(test);
      this.current = null;
    }
  }

  private result(code: number | null, signal: NodeJS.Signals | null): FileResult {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const done = this.finished;
    const how = this.isStuck ? 'did not react, and was killed' : `ended with ${signal ?? `exit code ${code}`}`;
    const raw = this.raw.take();
    if (this.current !== null) {
      const message = `the ${done === null ? `process ${how}` : `program ended with exit code ${done.code}`} while the test ran`;
      this.tests.push(lost(this.current, message, raw));
    }
    return {
      file: this.job.file,
      tests: this.tests,
      problem: done === null ? this.crash(how) : problemOf(done, this.tests),
      output: done === null ? raw : done.output + raw,
      left: done?.left ?? [],
      obsolete: done?.obsolete ?? [],
      removed: done?.removed ?? [],
      filtered: done?.filtered ?? 0,
      seed: this.seed,
      doc: this.job.doc,
      ms: performance.now() - this.startedAt,
    };
  }

  private crash(how: string): string {
    const { current } = this;
    if (current === null && this.isStuck && this.tests.length === 0)
      return `the program did not end within ${IDLE_MS / 1000} s, and was killed: a file without tests must end by itself`;
    return current === null
      ? `the process ${how}`
      : `the process ${how}; tests after '${titleOf(current)}' did not run`;
  }
}

/** Why a program that ended was not successful, apart from its tests. */
function problemOf({ refused, code, isComplete, isCut }: DoneRecord, tests: readonly TestRecord[]): string | null {
  if (refused !== null) return refused;
  if (isCut && code === 0) return 'a thread called exit(0); tests after that did not run';
  const hasFailures = tests.some(({ failures }) => failures.length > 0);
  return code !== 0 && !(isComplete && hasFailures && code === 1) ? `the program ended with exit code ${code}` : null;
}

/** A test whose process has died. */
function lost({ names, file, line }: Start, message: string, output: string): TestRecord {
  const failure: FailureRecord = { phase: 'test', type: '', message, trace: [], diff: [], source: [] };
  return { names, file, line, failures: [failure], skipped: null, left: [], written: 0, ms: 0, output };
}
