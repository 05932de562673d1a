import type { Interface } from 'node:readline';
import type { Program } from '../vm/bytecode/program.js';
import type { AddressOverrides } from '../natives/web/server.js';
import type { Host } from '../vm/host.js';
import { describeThreads } from '../vm/inspect.js';
import { exitWhenWritten, nodeHost, processStreams } from './host.js';
import { surviveInternalErrors } from './internalerror.js';
import { installParts, libraryNames } from './library.js';
import { loadCached, loadProgram } from './load.js';
import { LoadError } from './loaderror.js';
import { createCoreVm, execute, jitOf, type ExecuteOptions } from './execute.js';
import { simulationOf } from './simulation.js';

export interface RunFlags {
  dev?: boolean;
  workers?: number;
  seeds?: number;
  /** False: neither read nor written. */
  cache?: boolean;
  port?: number;
  host?: string;
}

/** `svcc run`: compiles and runs a program; the exit code. */
export async function run(file: string, args: string[], flags: RunFlags): Promise<number> {
  const host = nodeHost(processStreams());
  const address = addressOf(flags);
  if (typeof address === 'string') {
    host.stderr(`${address}\n`);
    return 2;
  }
  const simulation = simulationOf(process.env);
  if (typeof simulation === 'string') {
    host.stderr(`${simulation}\n`);
    return 2;
  }
  const jit = jitOf(process.env);
  if (typeof jit === 'string') {
    host.stderr(`${jit}\n`);
    return 2;
  }
  const options: ExecuteOptions = { slice: Number(process.env.SVC_SLICE ?? simulation?.slice ?? 0), jit, simulation, process: { args, env: process.env }, stdin: standardInput() };
  if (flags.seeds !== undefined) {
    const { runSeeds } = await import('./seeds.js');
    return ended(await runSeeds(file, args, flags.seeds, jit));
  }
  // Loaded only when asked for: they would slow the start of every program.
  if (flags.dev === true) {
    const { DevRunner } = await import('./dev.js');
    return ended(await new DevRunner(file, host, options, address).run());
  }
  if (flags.workers !== undefined && process.env.SVC_WORKER === undefined) {
    const { WorkerPool } = await import('./workers.js');
    return ended(await new WorkerPool(flags.workers, host).run(process.argv.slice(2)));
  }
  const vm = createCoreVm(quietHost(host), options);
  vm.modules.set('address', address);
  let program: Program;
  try {
    program = await (flags.cache === false ? loadProgram : loadCached)(file, libraryNames(), host.stderr);
    await installParts(vm, program.natives);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    // A worker's channel to its parent would keep it alive.
    return ended(error.exitCode);
  }
  surviveInternalErrors(() => [...vm.scheduler.live].some(({ waitsFor }) => waitsFor === 'server'));
  // As a virtual machine for other languages would: what every thread does, on demand.
  process.on('SIGQUIT', () => host.stderr(describeThreads(vm)));
  return ended(await execute(vm, program));
}

/** Workers after the first do not announce the address again. */
function quietHost(host: Host): Host {
  return process.env.SVC_WORKER === 'quiet' ? { ...host, stdout: (text) => { if (!text.startsWith('Svc web server running on ')) host.stdout(text); } } : host;
}

function ended(code: number): number {
  exitWhenWritten(code);
  return code;
}

/** The address that flags and environment give; a text says what is wrong. */
function addressOf(flags: RunFlags): AddressOverrides | string {
  const { PORT, HOST } = process.env;
  const address: AddressOverrides = { port: flags.port, host: flags.host };
  if (PORT !== undefined && PORT !== '') {
    if (!/^\d+$/.test(PORT) || Number(PORT) > 65535) return `svcc: the environment variable PORT must be a number from 0 to 65535, got '${PORT}'`;
    address.defaultPort = Number(PORT);
  }
  if (HOST !== undefined && HOST !== '') address.defaultHost = HOST;
  return address;
}

/** Lines of standard input, read only when the program asks for one. */
function standardInput(): { readLine(): Promise<string | null> } {
  let lines: AsyncIterator<string> | null = null;
  const open = async (): Promise<AsyncIterator<string>> => {
    const { createInterface } = await import('node:readline');
    const reader: Interface = createInterface({ input: process.stdin, crlfDelay: Infinity });
    return reader[Symbol.asyncIterator]();
  };
  return {
    async readLine() {
      lines ??= await open();
      const { value, done } = await lines.next();
      return done === true ? null : value;
    },
  };
}
