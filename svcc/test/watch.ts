import { relative, resolve } from 'node:path';
import { visible } from '../../vm/values/text/visible.js';
import type { Streams } from '../host.js';
import { LoadError } from '../loaderror.js';
import { FileWatch } from '../watch.js';
import { reportCoverage } from './coverage/report.js';
import { hasFailed } from './protocol.js';
import type { Reporter } from './reporters/reporter.js';
import { Runner, type TestFlags } from './runner.js';
import { Standby } from './standby.js';

/** Milliseconds without further changes before tests run: editors save in several steps. */
const SETTLE_MS = 40;
/** Milliseconds between searches for new files of tests. */
const SEARCH_MS = 500;

/** `svcc test --watch`: runs tests again when files change, those first that use a changed file. */
export class TestWatch {
  /** The files that each file of tests was made from. Those of a version that did not compile are added to the last. */
  private readonly sources = new Map<string, ReadonlySet<string>>();
  private readonly watch = new FileWatch((path) => this.changed(path));
  private changes = new Set<string>();
  private settling: NodeJS.Timeout | null = null;
  private searching: NodeJS.Timeout | null = null;
  private runner: Runner | null = null;
  private readonly standby = new Standby();
  /** Files whose last run has failed, or was broken off. */
  private readonly unsettled = new Set<string>();
  private files: string[] = [];
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly find: () => string[],
    private readonly flags: TestFlags,
    private readonly streams: Streams,
    private readonly reporter: () => Reporter,
  ) {}

  /** Runs until the process is ended. */
  run(): Promise<never> {
    this.search();
    this.begin();
    return new Promise(() => {});
  }

  async close(): Promise<void> {
    this.watch.close();
    for (const timer of [this.settling, this.searching]) if (timer !== null) clearTimeout(timer);
    this.standby.close();
    await this.runner?.cancel();
  }

  /** Notes which files of tests there are; new ones count as changed. */
  private search(): void {
    try {
      const files = this.find();
      const known = new Set(this.files);
      this.files = files;
      if (known.size > 0) for (const file of files) if (!known.has(file)) this.changed(file);
    } catch (error) {
      // A folder or file that was named may be replaced right now.
      if (!(error instanceof LoadError)) throw error;
    }
    this.searching = setTimeout(() => this.search(), SEARCH_MS);
  }

  /** Leaves out files that have been deleted. A named file that is missing stays, and is reported. */
  private dropDeleted(): void {
    try {
      const found = new Set(this.find());
      this.files = this.files.filter((file) => found.has(file));
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
    }
  }

  private changed(path: string): void {
    this.changes.add(resolve(path));
    if (this.settling !== null) clearTimeout(this.settling);
    this.settling = setTimeout(() => this.begin(), SETTLE_MS);
  }

  /** Starts a round; one that runs is broken off. */
  private begin(): void {
    const { changes } = this;
    this.changes = new Set();
    this.settling = null;
    void this.runner?.cancel();
    this.round = this.round.then(() => this.runAll(changes));
  }

  /** All files of tests: those that use a changed file, those that failed, the rest. */
  private ordered(changes: ReadonlySet<string>): string[] {
    const uses = (file: string): boolean =>
      changes.has(resolve(file)) || [...changes].some((path) => this.sources.get(file)?.has(path) === true);
    const rank = (file: string): number => (uses(file) ? 0 : this.unsettled.has(file) ? 1 : 2);
    return this.files.toSorted((a, b) => rank(a) - rank(b));
  }

  private async runAll(changes: ReadonlySet<string>): Promise<void> {
    // Another change came while the last round ended.
    if (this.settling !== null) {
      for (const path of changes) this.changes.add(path);
      return;
    }
    const startedAt = Date.now();
    this.dropDeleted();
    const files = this.ordered(changes);
    if (changes.size > 0) {
      const names = [...changes].map((path) => visible(relative('.', path)));
      this.streams.stdout(`\nchanged: ${names.join(', ')}\n\n`);
    }
    const runner = new Runner(
      this.flags,
      this.reporter(),
      (file, sources) => this.loaded(file, sources, startedAt),
      (job) => this.standby.start(job),
    );
    this.runner = runner;
    for (const file of files) this.unsettled.add(file);
    for (const result of await runner.run(files)) if (!hasFailed(result)) this.unsettled.delete(result.file);
    if (this.runner === runner) this.runner = null;
    if (this.flags.coverage === true && !runner.isCancelled) this.coverage(runner, files);
    if (runner.isCancelled) return;
    this.streams.stdout('\nwaiting for a change\n');
    if (files.length > 0) this.standby.prepare(files[0]);
  }

  private coverage(runner: Runner, files: readonly string[]): void {
    try {
      reportCoverage(runner.coverageOf(files), this.streams.stdout);
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      this.streams.stderr(`svcc: ${error.message}\n`);
    }
  }

  /** Watches the files that a file of tests was made from. */
  private loaded(file: string, sources: readonly string[], readAt: number): void {
    const paths = new Set([file, ...sources].map((path) => resolve(path)));
    this.sources.set(file, new Set([...(this.sources.get(file) ?? []), ...paths]));
    void this.watch.add([...paths], readAt);
  }
}
