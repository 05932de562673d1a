import cluster, { type Worker } from 'node:cluster';
import type { Host } from '../vm/host.js';

/** Milliseconds that a new worker may take to listen during a rolling restart. */
const START_MS = 10_000;

/**
 * `svcc run --workers N`: N processes on one port. A worker that dies is replaced; SIGHUP replaces all in turn by processes that load the newest
 * code, each old one draining once its successor listens; SIGTERM and SIGINT drain them in turn and end.
 */
export class WorkerPool {
  private stopping = false;
  private resolve: (code: number) => void = () => {};
  /** Workers that are being replaced on purpose. */
  private readonly retiring = new Set<number>();
  /** Workers that have listened. */
  private readonly listening = new Set<number>();
  private code = 0;

  constructor(private readonly count: number, private readonly host: Host) {}

  /** Starts the workers; resolves with the exit code when all have ended. */
  run(args: readonly string[]): Promise<number> {
    cluster.setupPrimary({ args: [...args] });
    cluster.on('exit', (worker, code, signal) => this.exited(worker, code, signal));
    for (let i = 0; i < this.count; i++) this.watch(this.fork(i > 0));
    process.on('SIGHUP', () => void this.restart());
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => this.stop());
    return new Promise((resolve) => (this.resolve = resolve));
  }

  /** @param quiet the worker does not announce the address again */
  private fork(quiet: boolean): Worker {
    return cluster.fork({ SVC_WORKER: quiet ? 'quiet' : 'first' });
  }

  private workers(): Worker[] {
    return Object.values(cluster.workers ?? {}) as Worker[];
  }

  private exited(worker: Worker, code: number | null, signal: string | null): void {
    const wanted = this.stopping || this.retiring.delete(worker.id);
    if (!wanted) this.replace(worker, code, signal);
    if (this.workers().length === 0) this.resolve(this.code);
  }

  /** A worker that never listened would die again: its problem is the program's. */
  private replace(worker: Worker, code: number | null, signal: string | null): void {
    if (!this.listening.has(worker.id)) {
      this.code = code ?? 1;
      this.stop();
      return;
    }
    this.host.stderr(`svcc: worker ${worker.process.pid} died (${signal ?? `exit code ${code}`}); starting another\n`);
    this.watch(this.fork(true));
  }

  private watch(worker: Worker): Worker {
    worker.once('listening', () => this.listening.add(worker.id));
    return worker;
  }

  /** Replaces all workers in turn. */
  private async restart(): Promise<void> {
    for (const old of this.workers()) {
      if (this.stopping) return;
      const fresh = this.watch(this.fork(true));
      if (!(await this.listens(fresh))) {
        this.host.stderr('svcc: the new version does not start; the old one goes on\n');
        return;
      }
      this.retiring.add(old.id);
      await this.drain(old);
    }
  }

  private listens(worker: Worker): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), START_MS);
      worker.once('listening', () => { clearTimeout(timer); resolve(true); });
      worker.once('exit', () => { clearTimeout(timer); resolve(false); });
    });
  }

  private drain(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      worker.once('exit', () => resolve());
      worker.process.kill('SIGTERM');
    });
  }

  /** Drains the workers in turn; a second call ends them at once. */
  private stop(): void {
    const workers = this.workers();
    if (this.stopping) {
      for (const worker of workers) worker.process.kill('SIGKILL');
      return;
    }
    this.stopping = true;
    void (async () => { for (const worker of workers) if (!worker.isDead()) await this.drain(worker); })();
    if (workers.length === 0) this.resolve(this.code);
  }
}
