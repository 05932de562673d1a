import { builtin } from '../natives/builtin.js';
import { reopenLogs } from '../natives/core/ending.js';
import { endProgramOnSignals } from '../natives/endbysignal.js';
import { JOBS_ONLY, workOffJobs } from '../natives/core/jobsonly.js';
import { ADDRESS, type AddressOverrides } from '../natives/web/config/address.js';
import type { Host } from '../vm/host.js';
import { Signal, type SvcError } from '../vm/values/error.js';
import type { VM } from '../vm/vm.js';
import { describeThreads } from '../vm/watch/inspect.js';
import { limitOf } from './cachefiles.js';
import { exitWhenWritten, nodeHost, processStreams } from './host.js';
import { goOnWhile } from './internalerror.js';
import { installParts, libraryNames } from './library.js';
import {
  CODE_NAME,
  type CachedProgram,
  loadCached,
  loadProgram,
  loadText,
  readStandardInput,
  STDIN_NAME,
} from './load.js';
import { LoadError } from './loaderror.js';
import { createCoreVm, execute, JIT_CALLS, jitOf, type ExecuteOptions } from './execute.js';
import { simulationOf } from './simulation.js';
import { STANDARD_INPUT } from './standardinput.js';

export interface RunFlags {
  dev?: boolean;
  /** Records requests; only with `dev`. */
  record?: boolean;
  workers?: number;
  /** Whether the program only runs jobs, and serves nothing. */
  jobs?: boolean;
  seeds?: number;
  /** False: the cache is neither read nor written. */
  cache?: boolean;
  port?: number;
  host?: string;
  /** File for a profile. */
  profile?: string;
  /** The text of the program, in place of a file. */
  code?: string;
}

/** `svcc run`: compiles and runs a program. @returns the exit code */
export async function run(file: string, args: string[], flags: RunFlags): Promise<number> {
  const host = nodeHost(processStreams());
  try {
    return ended(await start(file, args, flags, host));
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    // The channel of a worker to its parent would keep the process alive.
    return ended(error.exitCode);
  }
}

/** Returns a setting from flags or environment. @throws LoadError if it is an error message */
function valid<T>(setting: T | string): T {
  if (typeof setting === 'string') throw new LoadError(setting);
  return setting;
}

async function start(file: string, args: string[], flags: RunFlags, host: Host): Promise<number> {
  const address = valid(addressOf(flags));
  const simulation = valid(simulationOf(process.env));
  const jit = valid(jitOf(process.env));
  valid(limitOf(process.env));
  const slice = valid(sliceOf(process.env)) ?? simulation?.slice ?? 0;
  const given = await textOf(file, flags);
  const options: ExecuteOptions = {
    slice,
    jit,
    simulation,
    process: { args, env: process.env, isTerminal: () => builtin('node:tty').isatty(2) },
    // The program itself has used up standard input.
    stdin: given?.name === STDIN_NAME ? undefined : standardInput(),
  };
  // Loaded only when needed: they would slow down the start of every program.
  if (flags.seeds !== undefined) {
    const { runSeeds } = await import('./seeds.js');
    return runSeeds(file, args, flags.seeds, jit);
  }
  if (flags.record === true && flags.dev !== true)
    throw new LoadError('svcc: --record needs --dev: requests are recorded during development only');
  if (flags.dev === true) {
    const { DevRunner } = await import('./dev.js');
    const recorder =
      flags.record === true ? new (await import('./record/recorder.js')).Recorder(file, host.stderr) : null;
    return new DevRunner(file, host, options, address, recorder).run();
  }
  if (flags.workers !== undefined && process.env.SVC_WORKER === undefined) {
    const { WorkerPool } = await import('./workers.js');
    return new WorkerPool(file, flags.workers, host).run(process.argv.slice(2));
  }
  const vm = createCoreVm(host, options);
  ADDRESS.set(vm, { ...address, isUnannounced: process.env.SVC_WORKER === 'quiet' });
  const { program, ...kept } = await loaded(file, given, flags, host.stderr);
  // Code that was generated under other settings may be slower.
  const shelf = jit === JIT_CALLS && slice === 0 && simulation === undefined ? kept.shelf : null;
  await installParts(vm, program);
  if (flags.profile !== undefined) (await import('./profile/index.js')).startProfile(vm, flags.profile, file);
  goOnWhile(() => [...vm.scheduler.live].some(({ waitEndedBy }) => waitEndedBy === 'signal'));
  // SIGQUIT prints all threads, as the JVM does.
  process.on('SIGQUIT', () => host.stderr(describeThreads(vm)));
  // Without a listener, node would open its debugger.
  process.on('SIGUSR1', reopenLogs);
  // However the process ends, but for a signal that kills it.
  if (shelf !== null) process.once('exit', () => storeCode(vm));
  const execution = { shelf, endsBy: endProgramOnSignals };
  if (flags.jobs !== true) return execute(vm, program, execution);
  JOBS_ONLY.of(vm).isOn = true;
  return execute(vm, program, { ...execution, whenOver: (then) => workToEnd(vm, then) });
}

/** Stores generated code for the next run. A failure costs that run some milliseconds, and is no error of this one. */
function storeCode({ tier }: VM): void {
  try {
    tier?.store();
  } catch {
    // Nothing is stored.
  }
}

/** The program, from the cache if it is a file and flags allow it. @throws LoadError */
async function loaded(
  file: string,
  given: { name: string; bytes: Buffer } | null,
  flags: RunFlags,
  warn: (text: string) => void,
): Promise<CachedProgram> {
  if (given !== null) return { program: await loadText(given.name, given.bytes, libraryNames(), warn), shelf: null };
  return flags.cache === false
    ? { program: await loadProgram(file, libraryNames(), warn), shelf: null }
    : loadCached(file, libraryNames, warn);
}

/** Works off the jobs of a program whose first thread has ended, unless it has done so itself. */
function workToEnd(vm: VM, then: () => void): void {
  workOffJobs(vm).then(
    () => vm.scheduler.whenIdle(then),
    (error: SvcError) => {
      vm.report(null, error);
      vm.report(null, new Signal('exit', 1));
    },
  );
}

/** The text of a program that is in no file; null for one that is. @throws LoadError for flags that need a file */
async function textOf(file: string, flags: RunFlags): Promise<{ name: string; bytes: Buffer } | null> {
  if (flags.code !== undefined) return { name: CODE_NAME, bytes: Buffer.from(flags.code) };
  if (file !== STANDARD_INPUT) return null;
  for (const name of ['seeds', 'dev', 'workers'] as const)
    if (flags[name] !== undefined)
      throw new LoadError(`svcc: --${name} needs a file, because it starts the program more than once`);
  return { name: STDIN_NAME, bytes: await readStandardInput() };
}

function ended(code: number): number {
  exitWhenWritten(code);
  return code;
}

/**
 * Safepoints per slice from the environment variable SVC_SLICE; undefined if it is not set. A string is an error
 * message.
 */
function sliceOf({ SVC_SLICE: text }: NodeJS.ProcessEnv): number | string | undefined {
  if (text === undefined || text === '') return undefined;
  return /^\d{1,9}$/.test(text)
    ? Number(text)
    : `svcc: the environment variable SVC_SLICE must be the number of safepoints of a slice, got '${text}'`;
}

/** The address from flags and environment. A string is an error message. */
export function addressOf(flags: RunFlags): AddressOverrides | string {
  const { PORT, HOST } = process.env;
  const address: AddressOverrides = { port: flags.port, host: flags.host };
  if (PORT !== undefined && PORT !== '') {
    if (!/^\d+$/.test(PORT) || Number(PORT) > 65535)
      return `svcc: the environment variable PORT must be a number from 0 to 65535, got '${PORT}'`;
    address.defaultPort = Number(PORT);
  }
  if (HOST !== undefined && HOST !== '') address.defaultHost = HOST;
  return address;
}

/** Lines of standard input. Nothing is read before the program asks. */
function standardInput(): { readLine(): Promise<string | null> } {
  let lines: AsyncIterator<string | SvcError> | null = null;
  const open = async (): Promise<AsyncIterator<string | SvcError>> => {
    const { inputLines } = await import('./inputlines.js');
    return inputLines(process.stdin);
  };
  return {
    async readLine() {
      lines ??= await open();
      const { value, done } = await lines.next();
      if (done === true) return null;
      if (typeof value !== 'string') throw value;
      return value;
    },
  };
}
