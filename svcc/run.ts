import { createInterface, type Interface } from 'node:readline';
import type { Program } from '../vm/bytecode/program.js';
import type { AddressOverrides } from '../natives/web/server.js';
import { createVm, execute, nativeNames } from './execute.js';
import { nodeHost, processStreams } from './host.js';
import { LoadError, loadProgram } from './load.js';

export interface RunFlags {
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
  const vm = createVm(host, { slice: Number(process.env.SVC_SLICE ?? 0), process: { args, env: process.env }, stdin: standardInput() });
  vm.modules.set('address', address);
  let program: Program;
  try {
    program = await loadProgram(file, nativeNames(vm), host.stderr);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return 2;
  }
  const code = await execute(vm, program);
  flushAndExit(code);
  return code;
}

/** Ends the process once what was written has left it: other threads may still hold timers and sockets. */
function flushAndExit(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
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
  const open = (): AsyncIterator<string> => {
    const reader: Interface = createInterface({ input: process.stdin, crlfDelay: Infinity });
    return reader[Symbol.asyncIterator]();
  };
  return {
    async readLine() {
      lines ??= open();
      const { value, done } = await lines.next();
      return done === true ? null : value;
    },
  };
}
