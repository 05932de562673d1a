/** A server under measurement, in a process of its own on a free port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The repository, which is the working directory of servers. */
const ROOT = resolve(import.meta.dirname, '../..');
const TICKS_PER_SECOND = 100;

export class Server {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts node, or another command, with the arguments that `args` returns for a port. Throws if nothing listens
   * within ten seconds.
   */
  static async start(args: (port: string) => readonly string[], command: string = process.execPath): Promise<Server> {
    const port = await freePort();
    const child = spawn(command, args(String(port)), {
      cwd: ROOT,
      env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    for (let waited = 0; waited < 10_000 && child.exitCode === null; waited += 20) {
      if (await listens(port)) return new Server(port, child);
      await sleep(20);
    }
    child.kill('SIGKILL');
    throw new Error(`nothing listens: ${command} ${args(String(port)).join(' ')}`);
  }

  /** Processor time of the process in seconds, or null without /proc. */
  processorSeconds(): number | null {
    return processorSecondsOf(this.child.pid);
  }

  /** Processor time of the process and of its children in seconds, or null without /proc. */
  groupProcessorSeconds(): number | null {
    const path = `/proc/${this.child.pid}/task/${this.child.pid}/children`;
    if (!existsSync(path)) return null;
    const children = readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
    return [this.child.pid, ...children].reduce((sum: number, pid) => sum + (processorSecondsOf(pid) ?? 0), 0);
  }

  /** Resident memory of the process in bytes, or null without /proc. */
  memory(): number | null {
    const path = `/proc/${this.child.pid}/status`;
    const line = existsSync(path) ? /VmRSS:\s+(\d+) kB/.exec(readFileSync(path, 'utf8')) : null;
    return line === null ? null : Number(line[1]) * 1024;
  }

  /** Sends SIGTERM. Resolves with the seconds until the process has ended. */
  async terminate(): Promise<number> {
    const start = performance.now();
    const ended = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGTERM');
    await ended;
    return (performance.now() - start) / 1000;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGKILL');
    await ended;
  }
}

function processorSecondsOf(pid: number | undefined): number | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  const fields = readFileSync(path, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });
}
