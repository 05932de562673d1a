import { SURVEY } from '../natives/web/app/survey.js';
import { relative } from 'node:path';
import type { ListedRoute } from '../natives/web/config/route.js';
import type { App } from '../natives/web/app/app.js';
import type { Program } from '../vm/bytecode/program.js';
import type { VM } from '../vm/vm.js';
import { execute } from './execute.js';
import { createVm, nativeNames } from './fullvm.js';
import { exitWhenWritten, nodeHost, processStreams } from './host.js';
import { loadProgram } from './load.js';
import { LoadError } from './loaderror.js';
import { aligned } from './table.js';

/** Milliseconds until the program must have called `app.run`. */
const LIMIT_MS = 10_000;
/** Milliseconds after that in which other threads can serve further applications. */
const OTHERS_MS = 1000;

/** The table of an application's routes. */
function table(app: App): string {
  const listed: ListedRoute[] = [
    ...app.routes,
    ...app.endpoints,
    ...app.sockets.routes,
    ...app.statics.map((mount) => mount.listed),
  ];
  const rows = listed.map(({ method, pattern, place, levels }) => [
    method,
    pattern,
    place === null ? '' : `${relative('', place.file) || place.file}:${place.line}`,
    String(levels.reduce((sum, { level }) => sum + level.middleware.length, app.middleware.length)),
  ]);
  return `${aligned([['METHOD', 'PATTERN', 'PLACE', 'MIDDLEWARE'], ...rows])}\n`;
}

/** Collects the applications that a program serves. */
class Survey {
  readonly found: { address: string; table: string }[] = [];

  /** @param done called after threads that are ready had time to serve further applications */
  constructor(vm: VM, done: () => void) {
    const { host, scheduler } = vm;
    let end = Infinity;
    const look = (): void => host.defer(() => (scheduler.isQuiet || host.now() > end ? done() : look()));
    SURVEY.set(vm, (app, address) => {
      this.found.push({ address, table: table(app) });
      if (this.found.length > 1) return;
      end = host.now() + OTHERS_MS;
      look();
    });
  }

  text(): string {
    return this.found.map(({ address, table }) => (this.found.length > 1 ? `${address}\n${table}` : table)).join('\n');
  }
}

/** Runs a program until all threads wait after its first `app.run`. Resolves with the exit code. */
function survey(file: string, program: Program, vm: VM): Promise<number> {
  return new Promise((resolve) => {
    const refuse = (why: string): void => {
      vm.host.stderr(`${file} ${why}\n`);
      resolve(1);
    };
    const cancel = vm.host.setTimer(LIMIT_MS, () =>
      refuse(`has not called app.run within ${LIMIT_MS / 1000} seconds; \`svcc routes\` runs a program up to there`),
    );
    const seen = new Survey(vm, () => {
      vm.host.stdout(seen.text());
      resolve(0);
    });
    void execute(vm, program).then((code) => {
      cancel();
      if (seen.found.length > 0) return;
      if (code === 0) refuse('starts no web server: it never calls app.run');
      else resolve(code);
    });
  });
}

/** `svcc routes`: runs a program up to its `app.run` and prints its routes. @returns the exit code */
export async function routes(file: string): Promise<number> {
  const host = nodeHost(processStreams());
  const vm = createVm(host, { process: { args: [], env: process.env } });
  let code: number;
  try {
    code = await survey(file, await loadProgram(file, nativeNames(vm), host.stderr), vm);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    code = error.exitCode;
  }
  // Other threads may still be running.
  exitWhenWritten(code);
  return code;
}
