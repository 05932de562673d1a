import { DEV_HOST, type DevHost } from '../natives/web/dev/devhost.js';
import { problemPage } from '../natives/web/dev/errorpage.js';
import { ADDRESS, type AddressOverrides } from '../natives/web/config/address.js';
import type { Program } from '../vm/bytecode/program.js';
import type { Host } from '../vm/host.js';
import type { VM } from '../vm/vm.js';
import { execute, type ExecuteOptions } from './execute.js';
import { createVm, nativeNames } from './fullvm.js';
import { goOnWhile } from './internalerror.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';
import { FileWatch } from './watch.js';

/** Milliseconds without a further change before the program is loaded again: editors write in several steps. */
const SETTLE_MS = 60;

/**
 * `svcc run --dev`: runs a program, shows errors in the browser, and starts its newest version whenever one of its files changes. The sockets
 * stay open, requests that run finish on the old version, and a version that does not compile or start leaves the old one in place.
 */
export class DevRunner {
  private readonly dev: DevHost = { server: null, problem: null };
  private current: VM | null = null;
  private timer: NodeJS.Timeout | null = null;
  private readonly watch = new FileWatch(() => this.changed());
  /** What the newest version has written to stderr. */
  private errors = '';
  private end: (code: number) => void = () => {};

  constructor(
    private readonly file: string,
    private readonly host: Host,
    private readonly options: ExecuteOptions,
    private readonly address: AddressOverrides,
  ) {}

  /** Resolves with the exit code when the program has ended. */
  run(): Promise<number> {
    return new Promise((resolve) => {
      this.end = resolve;
      goOnWhile(() => this.dev.server !== null);
      void this.start();
    });
  }

  private changed(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.host.stderr('svcc: reloading\n');
      void this.start();
    }, SETTLE_MS);
  }

  /** Loads the newest version and runs it beside the one before, whose server it takes over in `app.run`. */
  private async start(): Promise<void> {
    const readAt = Date.now();
    const vm = createVm(this.capturing(), this.options);
    DEV_HOST.set(vm, this.dev);
    ADDRESS.set(vm, this.address);
    const program = await this.load(vm, readAt);
    if (program === null) return;
    this.add(
      program.sources.map(({ path }) => path),
      readAt,
    );
    this.errors = '';
    this.dev.problem = null;
    const before = this.current;
    this.current = vm;
    const code = await execute(vm, program);
    if (this.current !== vm) return;
    if (code === 0) {
      this.watch.close();
      this.end(0);
      return;
    }
    // The one before goes on serving, and with its end all ends.
    this.current = before;
    this.wait(problemPage('The program ended with an error', this.errors));
  }

  /** Watches the files of the newest version. */
  private add(paths: string[], readAt: number): void {
    void this.watch.add([this.file, ...paths.filter((path) => path !== '')], readAt);
  }

  /** Nothing can go on before a file changes; a server that runs shows why. */
  private wait(problem: string): void {
    this.dev.problem = problem;
    this.host.stderr('svcc: waiting for a change\n');
  }

  private async load(vm: VM, readAt: number): Promise<Program | null> {
    try {
      return await loadProgram(this.file, nativeNames(vm), this.host.stderr);
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      this.host.stderr(`${error.message}\n`);
      // The mistake may be in a module that no version before had.
      this.add(
        error.diagnostics.map(({ file }) => file),
        readAt,
      );
      this.wait(problemPage('The program does not compile', error.message));
      return null;
    }
  }

  /** The host, noting what goes to stderr for the page. */
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
