import cluster, { type Worker } from 'node:cluster';
import { CHANNEL_DESCRIPTOR, WORKER_VARIABLE } from '../natives/cluster/firstprocess.js';
import { Services } from '../natives/cluster/services.js';
import { ROLL, STOP } from '../natives/core/stopmessages.js';
import { reasonOf } from '../natives/reasons.js';
import { within } from '../natives/within.js';
import type { WorkerReport } from '../natives/web/connection/drain.js';
import { removeUploads } from '../natives/web/request/upload/tempfiles.js';
import type { Duplex } from 'node:stream';
import type { Host } from '../vm/host.js';
import { endChild } from './endchild.js';
import { refuseBeyondQueue } from './fullqueue.js';
import { returnConnections } from './handover.js';
import { SERVICES } from './services.js';
import { warnOfProcessState } from './workercheck.js';

/** Milliseconds for a new worker to start listening during a rolling restart. */
const START_MS = 60_000;
/** Milliseconds from the end of its drain time until a worker is killed: covers what a program may take to end then. */
const KILL_MS = 4000;

/** Milliseconds until another worker is started after one was killed at its start or got no process. */
const RETRY_MS = 1000;

/** Milliseconds of listening after which the death of a worker says nothing about the next one. */
const STABLE_MS = 5000;
/** Milliseconds without such a death after which the next one is replaced at once. */
const CALM_MS = 120_000;
/** Maximum milliseconds until another worker is started when workers die soon, one after the other. */
const MAX_PAUSE_MS = 30_000;

/** Milliseconds that the end of the pool waits for the removal of files. */
const REMOVAL_MS = 2000;

/** A step of a rolling restart, until the new worker listens or has ended. */
interface Step {
  readonly old: Worker;
  readonly fresh: Worker;
}

/**
 * `svcc run --workers N`: N processes on one port. A worker that dies is replaced. SIGHUP replaces all in turn by
 * processes that load the newest code; each old one drains when its successor listens. SIGTERM and SIGINT drain all
 * workers, then the pool ends.
 */
export class WorkerPool {
  private stopping = false;
  private restarting = false;
  /** SIGHUP came during a restart: the first new workers may have loaded older code. */
  private restartsAgain = false;
  private resolve: (code: number) => void = () => {};
  /** Processes that have not ended. Unlike `cluster.workers`, includes those that are draining. */
  private readonly live = new Set<Worker>();
  /** Workers that are being replaced on purpose. */
  private readonly retiring = new Set<Worker>();
  private step: Step | null = null;
  /** Workers that listen or have listened, and since when by `performance.now()`. */
  private readonly listening = new Map<Worker, number>();
  /** What the paths of the temporary files of workers begin with. */
  private readonly uploads = new WeakMap<Worker, string>();
  /** Resolves when the files of workers that were killed are removed. */
  private removal: Promise<unknown> = Promise.resolve();
  private readonly services = new Services(SERVICES);
  private code = 0;
  /** Whether any worker has listened. */
  private hasServed = false;
  /** Fills the pool again after a worker was killed at its start or died soon, or the system made no process for it. */
  private retry: NodeJS.Timeout | null = null;
  /** Milliseconds until another worker is started after the next one that dies soon. */
  private pause = 0;
  /** When `retry` runs, and when a worker last died soon, by `performance.now()`. */
  private retryAt = 0;
  private diedSoonAt = 0;
  /** Whether the system made no process at the last attempt. Later attempts report it only after a success. */
  private lacksProcess = false;
  /** Drain time in seconds, as reported by the newest worker. */
  private drainSeconds = 10;

  /** @param file the program */
  constructor(
    private readonly file: string,
    private readonly count: number,
    private readonly host: Host,
  ) {}

  /** Starts the workers. Resolves with the exit code when all have ended. */
  run(args: readonly string[]): Promise<number> {
    cluster.setupPrimary({ args: [...args], stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe'] });
    refuseBeyondQueue(this.host);
    cluster.on('exit', (worker, code, signal) => this.exited(worker, code, signal));
    process.on('SIGHUP', () => void this.restart());
    // It would kill a worker that is still starting.
    process.on('SIGQUIT', () => {
      for (const worker of this.listening.keys()) worker.process.kill('SIGQUIT');
    });
    process.on('SIGUSR1', () => this.reopenLogs());
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => this.stop());
    // Start the others when the first listens, so that a program that cannot start reports it once.
    const first = this.fork('first', (reason) => {
      this.host.stderr(`svcc: cannot start a worker: ${reason}\n`);
      this.resolve(1);
    });
    first?.once('listening', () => {
      this.fill();
      if (this.count > 1) warnOfProcessState(this.file, this.host);
    });
    return new Promise((resolve) => (this.resolve = resolve));
  }

  /**
   * Starts a worker. Returns null if the system makes no process for it, because processes, memory or descriptors are
   * short.
   * @param announcement `quiet`: the worker does not announce the address
   * @param failed called with the reason for null, after this turn of the event loop
   */
  private fork(announcement: 'first' | 'quiet', failed: (reason: string) => void): Worker | null {
    let worker: Worker;
    try {
      worker = cluster.fork({ [WORKER_VARIABLE]: announcement });
    } catch (error) {
      process.nextTick(failed, reasonOf(error));
      return null;
    }
    if (worker.process.pid === undefined) {
      // Node emits `error` later, and no `exit`.
      worker.once('error', (error: unknown) => failed(reasonOf(error)));
      worker.on('error', () => {});
      (worker.process.stdio as Worker['process']['stdio'] | undefined)?.[CHANNEL_DESCRIPTOR]?.destroy();
      delete cluster.workers?.[worker.id];
      return null;
    }
    this.live.add(worker);
    this.services.attach(worker.process.stdio[CHANNEL_DESCRIPTOR] as Duplex, worker.process.pid);
    returnConnections(worker, () =>
      [...this.listening.keys()].some((other) => other !== worker && other.isConnected()),
    );
    // Sending to a worker that is about to end fails. Its end is handled by the `exit` event.
    worker.on('error', () => {});
    worker.once('listening', () => {
      this.listening.set(worker, performance.now());
      this.hasServed = true;
    });
    worker.on('message', ({ drainSeconds, uploads }: WorkerReport) => {
      this.drainSeconds = drainSeconds;
      this.uploads.set(worker, uploads);
    });
    return worker;
  }

  /** Passes SIGUSR1 on. A worker that is still starting gets it later: node would open its debugger. */
  private reopenLogs(): void {
    for (const worker of this.live) {
      const reopen = (): boolean => worker.process.kill('SIGUSR1');
      if (this.listening.has(worker)) reopen();
      else worker.once('listening', reopen);
    }
  }

  /** Number of workers without those that end on purpose. A worker and the new one that is to replace it are one. */
  private get places(): number {
    const isDouble = this.step !== null && this.live.has(this.step.old) && this.live.has(this.step.fresh);
    return this.live.size - this.retiring.size - (isDouble ? 1 : 0);
  }

  /** Starts the workers that are missing. */
  private fill(): void {
    while (!this.stopping && this.places < this.count) if (!this.add()) return;
  }

  /** Starts a worker. If the system makes no process for it, fills the pool later. Returns whether it has started. */
  private add(): boolean {
    const isReported = this.lacksProcess;
    const report = (reason: string): void => {
      if (!isReported) this.host.stderr(`svcc: cannot start a worker: ${reason}; trying again\n`);
    };
    this.lacksProcess = this.fork('quiet', report) === null;
    if (this.lacksProcess) this.fillLater();
    return !this.lacksProcess;
  }

  private fillLater(ms = RETRY_MS): void {
    if (this.retry !== null) return;
    this.retryAt = performance.now() + ms;
    this.retry = setTimeout(() => {
      this.retry = null;
      this.fill();
    }, ms);
  }

  private exited(worker: Worker, code: number | null, signal: string | null): void {
    this.live.delete(worker);
    if (signal !== null) this.removeUploadsOf(worker);
    const since = this.listening.get(worker);
    const hasListened = this.listening.delete(worker);
    const isRetired = this.retiring.delete(worker);
    if (this.stopping) {
      if (isFailure(hasListened, code, signal)) this.code ||= code ?? 1;
    } else if (!isRetired && !this.isCovered(worker, code, signal)) this.replace(worker, since, code, signal);
    this.endIfEmpty();
  }

  /** Removes the temporary files of a worker that could not do so itself. */
  private removeUploadsOf(worker: Worker): void {
    const start = this.uploads.get(worker);
    if (start === undefined) return;
    this.removal = Promise.all([this.removal, within(REMOVAL_MS, removeUploads(start), () => {})]);
  }

  private end(): void {
    void this.removal.then(() => this.resolve(this.code));
  }

  /** Ends the pool if nothing will start a worker again. */
  private endIfEmpty(): void {
    if (this.live.size === 0 && this.retry === null && !this.restarting) this.end();
  }

  /** Whether a worker that ended during a rolling restart needs no other one: the second worker of the step lives. */
  private isCovered(worker: Worker, code: number | null, signal: string | null): boolean {
    if (this.step === null) return false;
    const { old, fresh } = this.step;
    // `replaceAll` reports the end of the new one.
    if (worker === fresh) return this.live.has(old);
    if (worker !== old || !this.live.has(fresh)) return false;
    this.host.stderr(`svcc: worker ${old.process.pid} died (${howEnded(code, signal)}); its successor is starting\n`);
    return true;
  }

  /** Replaces a worker that died. One that ended by itself before it listened is not: it would fail again. */
  private replace(worker: Worker, since: number | undefined, code: number | null, signal: string | null): void {
    const how = howEnded(code, signal);
    if (since !== undefined) this.replaceDead(worker, since, how);
    else if (signal !== null && this.hasServed) {
      // Not the program's fault: the system may be short of memory for a while.
      this.host.stderr(`svcc: worker ${worker.process.pid} was killed at its start (${how}); starting another\n`);
      this.fillLater();
    } else if ([...this.listening.keys()].some((other) => !this.retiring.has(other))) {
      this.host.stderr(`svcc: worker ${worker.process.pid} did not start (${how}); SIGHUP tries again\n`);
    } else {
      // A program that ends by itself at its first start says why.
      if (this.hasServed || signal !== null)
        this.host.stderr(
          `svcc: worker ${worker.process.pid} ended before it listened (${how}), and no other one runs\n`,
        );
      this.code = code ?? 1;
      this.stop();
    }
  }

  /** Replaces a worker that has listened: at once, unless it died soon and another one did so shortly before. */
  private replaceDead({ process: { pid } }: Worker, since: number, how: string): void {
    const now = performance.now();
    const isSoon = now - since < STABLE_MS;
    if (!isSoon || now - this.diedSoonAt > CALM_MS) this.pause = 0;
    if (isSoon) this.diedSoonAt = now;
    if (!isSoon || (this.pause === 0 && this.retry === null)) {
      if (isSoon) this.pause = RETRY_MS;
      this.host.stderr(`svcc: worker ${pid} died (${how}); starting another\n`);
      this.add();
      return;
    }
    // Workers that die during a pause do not make the next one longer.
    if (this.retry === null) {
      this.fillLater(this.pause);
      this.pause = Math.min(this.pause * 2, MAX_PAUSE_MS);
    }
    const seconds = Math.max(1, Math.round((this.retryAt - now) / 1000));
    this.host.stderr(
      `svcc: worker ${pid} died (${how}) soon after it listened, as one before; starting another in ${seconds} s\n`,
    );
  }

  /** Replaces all workers in turn; once more if SIGHUP came meanwhile. */
  private async restart(): Promise<void> {
    this.restartsAgain = this.restarting;
    if (this.restarting) return;
    this.restarting = true;
    do {
      this.restartsAgain = false;
      await this.replaceAll();
    } while (this.restartsAgain && !this.stopping);
    this.restarting = false;
    this.endIfEmpty();
  }

  private async replaceAll(): Promise<void> {
    let hasFailed = false;
    for (const old of [...this.live]) {
      if (this.stopping) break;
      // The worker that replaced it is new already.
      if (!this.live.has(old)) continue;
      const fresh = this.fork('quiet', (reason) =>
        this.host.stderr(`svcc: cannot start a worker: ${reason}; the old ones keep running, SIGHUP tries again\n`),
      );
      if (fresh === null) break;
      this.step = { old, fresh };
      const outcome = await this.startOf(fresh);
      this.step = null;
      const hasOld = this.live.has(old);
      if (outcome !== 'listens') {
        hasFailed = true;
        if (!this.stopping && hasOld) this.reportFailedStep(fresh, outcome === 'late');
        break;
      }
      if (!hasOld) continue;
      this.retiring.add(old);
      await this.drain(old, ROLL);
    }
    // Restore the full number of workers, unless the new version has just failed.
    if (!hasFailed && this.listening.size > 0) this.fill();
  }

  /** Reports that a new worker ended before it listened. @param isLate whether it was killed for being late */
  private reportFailedStep({ process: { pid, signalCode } }: Worker, isLate: boolean): void {
    const report = isLate
      ? `the new version did not listen within ${START_MS / 1000} s and was killed; the old one keeps running`
      : signalCode === null
        ? 'the new version does not start; the old one keeps running'
        : `worker ${pid} was killed at its start (${signalCode}); the old one keeps running, SIGHUP tries again`;
    this.host.stderr(`svcc: ${report}\n`);
  }

  /** Resolves when a worker listens or has ended, with `late` if it was killed because it did not listen in time. */
  private startOf(worker: Worker): Promise<'listens' | 'ended' | 'late'> {
    return new Promise((resolve) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        endNow(worker);
      }, START_MS);
      worker.once('listening', () => {
        clearTimeout(timer);
        resolve('listens');
      });
      worker.once('exit', () => {
        clearTimeout(timer);
        resolve(isLate ? 'late' : 'ended');
      });
    });
  }

  /** Resolves when the worker has answered its requests and ended. One that exceeds its time is killed. */
  private drain(worker: Worker, why: typeof ROLL | typeof STOP): Promise<void> {
    return new Promise((resolve) => {
      if (!this.live.has(worker)) {
        resolve();
        return;
      }
      const timer = setTimeout(
        () => {
          this.host.stderr(`svcc: worker ${worker.process.pid} does not end; killing it\n`);
          if (this.stopping) this.code ||= 1;
          endNow(worker);
        },
        this.drainSeconds * 1000 + KILL_MS,
      );
      worker.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      // Not a signal: a worker that received SIGTERM with this process would see it as the second one.
      if (this.listening.has(worker) && worker.isConnected()) worker.send(why);
      else worker.process.kill('SIGTERM');
      // No further connections are passed to it. Earlier ones arrive before the message; one that it refuses returns
      // and goes to another worker.
      if (worker.isConnected()) worker.disconnect();
    });
  }

  /** Drains the workers; a second call ends them at once. */
  private stop(): void {
    if (this.stopping) for (const worker of this.live) endNow(worker);
    else for (const worker of this.live) void this.drain(worker, STOP);
    this.stopping = true;
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
    if (this.live.size === 0) this.end();
  }
}

/** Whether a worker ended otherwise than it was told to. One that does not listen yet ends by the signal. */
function isFailure(hasListened: boolean, code: number | null, signal: string | null): boolean {
  if (signal !== null) return signal !== 'SIGTERM' && signal !== 'SIGINT';
  return hasListened && code !== 0;
}

function howEnded(code: number | null, signal: string | null): string {
  return signal ?? `exit code ${code}`;
}

function endNow({ process: child }: Worker): void {
  endChild(child, () => child.kill('SIGKILL'));
}
