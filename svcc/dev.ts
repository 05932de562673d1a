import { resolve } from 'node:path';
import { ON_MIGRATIONS } from '../natives/core/migrationfolders.js';
import { DEV_HOST, type DevHost } from '../natives/web/dev/devhost.js';
import { problemPage } from '../natives/web/dev/errorpage.js';
import { ADDRESS, type AddressOverrides } from '../natives/web/config/address.js';
import type { Program } from '../vm/bytecode/program.js';
import type { Host } from '../vm/host.js';
import type { VM } from '../vm/vm.js';
import { noSources, type Sources } from './cache.js';
import { execute, type ExecuteOptions } from './execute.js';
import { createVm, nativeNames } from './fullvm.js';
import { goOnWhile } from './internalerror.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';
import type { Recorder } from './record/recorder.js';
import { versionOf } from './record/version.js';
import { FileWatch } from './watch.js';

/** Milliseconds without further changes before the program is reloaded: editors save in several steps. */
const SETTLE_MS = 60;

const NOT_SERVED = 'the newest version has ended without app.run; the version before it goes on';

/**
 * `svcc run --dev`: runs a program, shows errors in the browser, and starts its newest version when one of its files
 * changes, or a template or a migration is added or removed. Sockets stay open, running requests finish on the old version, and a version that does not compile or start
 * leaves the old one in place.
 */
export class DevRunner {
  private readonly dev: DevHost;
  private current: VM | null = null;
  private timer: NodeJS.Timeout | null = null;
  private readonly watch = new FileWatch(() => this.changed());
  /** Output of the newest version to stderr. */
  private errors = '';
  private end: (code: number) => void = () => {};

  constructor(
    private readonly file: string,
    private readonly host: Host,
    private readonly options: ExecuteOptions,
    private readonly address: AddressOverrides,
    private readonly recorder: Recorder | null = null,
  ) {
    this.dev = { server: null, problem: null, recorder };
  }

  /** Resolves with the exit code when the program ends. */
  run(): Promise<number> {
    return new Promise((resolve) => {
      this.end = (code) => void (this.recorder?.written ?? Promise.resolve()).then(() => resolve(code));
      goOnWhile(() => this.dev.server !== null);
      void this.start();
    });
  }

  private changed(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    const timer = setTimeout(() => void this.reload(timer), SETTLE_MS);
    this.timer = timer;
  }

  /** Starts the newest version, unless another file has changed since the last poll: a removed directory is several changes. */
  private async reload(timer: NodeJS.Timeout): Promise<void> {
    await this.watch.poll();
    if (this.timer !== timer) return;
    this.host.stderr('svcc: reloading\n');
    await this.start();
  }

  /** Loads and runs the newest version beside the previous one, whose server it takes over in `app.run`. */
  private async start(): Promise<void> {
    const readAt = Date.now();
    const vm = createVm(this.capturing(), this.options);
    DEV_HOST.set(vm, this.dev);
    ADDRESS.set(vm, this.address);
    ON_MIGRATIONS.set(vm, (folder) => this.watch.addFolder(folder, '.sql', Date.now()));
    const program = await this.load(vm, readAt);
    if (program === null) return;
    this.errors = '';
    this.dev.problem = null;
    const before = this.current;
    this.current = vm;
    if (this.recorder !== null) this.recorder.version = versionOf(program);
    const code = await execute(vm, program);
    if (this.current !== vm) return;
    const hasNotServed = code === 0 && this.dev.server?.servesOther(vm) === true;
    if (code === 0 && !hasNotServed) {
      this.watch.close();
      this.end(0);
      return;
    }
    // The previous version keeps serving; when it ends, the process ends.
    this.current = before;
    if (hasNotServed) {
      this.host.stderr(`svcc: ${NOT_SERVED}\n`);
      this.wait(problemPage('The program has ended', NOT_SERVED));
    } else this.wait(problemPage('The program ended with an error', this.errors));
  }

  /** Watches what the newest version was made from, and where modules were searched for. */
  private add({ files, absent, listings }: Sources, readAt: number): void {
    this.watch.setListings(listings);
    const paths = [...files.map(({ path }) => path), ...absent];
    void this.watch.add([...new Set([resolve(this.file), ...paths])], readAt);
  }

  /** Waits for a file to change. A running server shows the problem in the browser. */
  private wait(problem: string): void {
    this.dev.problem = problem;
    this.host.stderr('svcc: waiting for a change\n');
  }

  private async load(vm: VM, readAt: number): Promise<Program | null> {
    const sources = noSources();
    try {
      return await loadProgram(this.file, nativeNames(vm), this.host.stderr, sources);
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      this.host.stderr(`${error.message}\n`);
      this.wait(problemPage('The program does not compile', error.message));
      return null;
    } finally {
      this.add(sources, readAt);
    }
  }

  /** A host that also records stderr for the error page. */
  private capturing(): Host {
    return {
      ...this.host,
      stderr: (text) => {
        this.errors = (this.errors + text).slice(-20_000);
        this.host.stderr(text);
      },
    };
  }
}
