import cluster, { type Worker } from 'node:cluster';
import { ROLL, STOP, type WorkerReport } from '../natives/web/connection/drain.js';
import type { Host } from '../vm/host.js';

/** Milliseconds that a new worker may take to listen during a rolling restart. */
const START_MS = 10_000;
/** Milliseconds after the end of its drain time, and of what a program may take to end then, after which a worker is killed. */
const KILL_MS = 4000;

/**
 * `svcc run --workers N`: N processes on one port. A worker that dies is replaced; SIGHUP replaces all in turn by processes that load the newest
 * code, each old one draining once its successor listens; SIGTERM and SIGINT drain all of them and end.
 */
export class WorkerPool {
  private stopping = false;
  private restarting = false;
  /** SIGHUP came during a restart: the code may be newer than what the first of its workers have loaded. */
  private restartsAgain = false;
  private resolve: (code: number) => void = () => {};
  /** Processes that have not ended; those of `cluster.workers` leave it when they begin to drain. */
  private readonly live = new Set<Worker>();
  /** Workers that are being replaced on purpose. */
  private readonly retiring = new Set<Worker>();
  /** Workers of a new version that may not start. */
  private readonly trials = new Set<Worker>();
  /** Workers that have listened. */
  private readonly listening = new Set<Worker>();
  private code = 0;
  /** Seconds that the newest worker gives its requests. */
  private drainSeconds = 10;

  constructor(
    private readonly count: number,
    private readonly host: Host,
  ) {}

  /** Starts the workers; resolves with the exit code when all have ended. */
  run(args: readonly string[]): Promise<number> {
    cluster.setupPrimary({ args: [...args] });
    cluster.on('exit', (worker, code, signal) => this.exited(worker, code, signal));
    // The others once the first listens: a program that cannot start says so once.
    this.fork('first').once('listening', () => this.fill());
    process.on('SIGHUP', () => void this.restart());
    process.on('SIGQUIT', () => {
      for (const worker of this.live) worker.process.kill('SIGQUIT');
    });
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => this.stop());
    return new Promise((resolve) => (this.resolve = resolve));
  }

  /** @param announcement `quiet`: the worker does not announce the address again */
  private fork(announcement: 'first' | 'quiet'): Worker {
    const worker = cluster.fork({ SVC_WORKER: announcement });
    this.live.add(worker);
    // A message to one that is about to end cannot be delivered; its end is told apart.
    worker.on('error', () => {});
    worker.once('listening', () => this.listening.add(worker));
    worker.on('message', ({ drainSeconds }: WorkerReport) => (this.drainSeconds = drainSeconds));
    return worker;
  }

  private fill(): void {
    while (!this.stopping && this.live.size < this.count) this.fork('quiet');
  }

  private exited(worker: Worker, code: number | null, signal: string | null): void {
    this.live.delete(worker);
    const hasListened = this.listening.delete(worker);
    const wanted = [this.retiring, this.trials].some((workers) => workers.delete(worker));
    if (!this.stopping && !wanted) this.replace(worker, hasListened, code, signal);
    if (this.live.size === 0) this.resolve(this.code);
  }

  /** A worker that never listened would die again: its problem is the program's. */
  private replace(worker: Worker, hasListened: boolean, code: number | null, signal: string | null): void {
    const how = signal ?? `exit code ${code}`;
    if (hasListened) {
      this.host.stderr(`svcc: worker ${worker.process.pid} died (${how}); starting another\n`);
      this.fork('quiet');
    } else if (this.listening.size > 0) {
      this.host.stderr(`svcc: worker ${worker.process.pid} did not start (${how}); SIGHUP tries again\n`);
    } else {
      this.code = code ?? 1;
      this.stop();
    }
  }

  /** Replaces all workers in turn, and once more if that was asked for meanwhile. */
  private async restart(): Promise<void> {
    this.restartsAgain = this.restarting;
    if (this.restarting) return;
    this.restarting = true;
    do {
      this.restartsAgain = false;
      await this.replaceAll();
    } while (this.restartsAgain && !this.stopping);
    this.restarting = false;
  }

  private async replaceAll(): Promise<void> {
    let hasFailed = false;
    for (const old of [...this.live]) {
      if (this.stopping) break;
      const fresh = this.fork('quiet');
      this.trials.add(fresh);
      const listens = await this.listens(fresh);
      this.trials.delete(fresh);
      if (!listens) {
        hasFailed = true;
        if (!this.stopping) this.host.stderr('svcc: the new version does not start; the old one keeps running\n');
        break;
      }
      this.retiring.add(old);
      await this.drain(old, ROLL);
    }
    // Some may have been missing. A version that has just failed would fail again.
    if (!hasFailed && this.listening.size > 0) this.fill();
  }

  /** Whether a worker comes to listen; otherwise it has ended. */
  private listens(worker: Worker): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => worker.process.kill('SIGKILL'), START_MS);
      const done = (listens: boolean): void => {
        clearTimeout(timer);
        resolve(listens);
      };
      worker.once('listening', () => done(true));
      worker.once('exit', () => done(false));
    });
  }

  /** Resolves when the worker has answered what it has, and ended; one that does not end in its time is killed. */
  private drain(worker: Worker, why: typeof ROLL | typeof STOP): Promise<void> {
    return new Promise((resolve) => {
      if (!this.live.has(worker)) {
        resolve();
        return;
      }
      const timer = setTimeout(
        () => {
          this.host.stderr(`svcc: worker ${worker.process.pid} does not end; killing it\n`);
          worker.process.kill('SIGKILL');
        },
        this.drainSeconds * 1000 + KILL_MS,
      );
      worker.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      // A signal would be the second one for a worker that got the first together with us.
      if (this.listening.has(worker) && worker.isConnected()) worker.send(why);
      else worker.process.kill('SIGTERM');
      // From now on it is handed no connection. Those before the message it gets before it, and one that it refuses comes back and goes to another.
      if (worker.isConnected()) worker.disconnect();
    });
  }

  /** Drains the workers; a second call ends them at once. */
  private stop(): void {
    if (this.stopping) for (const worker of this.live) worker.process.kill('SIGKILL');
    else for (const worker of this.live) void this.drain(worker, STOP);
    this.stopping = true;
    if (this.live.size === 0) this.resolve(this.code);
  }
}
