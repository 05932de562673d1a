import { setTimeout as sleep } from 'node:timers/promises';
import { SqlFailure, UNLIMITED } from '../driver.js';
import { Pace } from '../pace.js';
import { Lane } from './lane.js';
import type { ConnectionSettings } from './protocol.js';

/** Milliseconds between two attempts to lock a file that another process has locked. */
const RETRY_MS = 50;

/** Waits for the lock of SQLite on a file; the system releases it when the process ends, however that happens. */
async function lockFile(lane: Lane): Promise<void> {
  for (;;) {
    try {
      return void (await lane.ask({ kind: 'run', sql: 'BEGIN EXCLUSIVE' }).promise);
    } catch (error) {
      if (!(error instanceof SqlFailure) || error.code !== 'SQLITE_BUSY') throw error;
    }
    await sleep(RETRY_MS);
  }
}

/** Locks between processes: for each name a file beside the database, which stays empty. */
export class FileLock {
  /** The last holder of each name in this process. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(private readonly settings: ConnectionSettings) {}

  async locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(name) ?? Promise.resolve()).then(() => this.betweenProcesses(name, work));
    const settled = turn.catch(() => {});
    this.last.set(name, settled);
    try {
      return await turn;
    } finally {
      if (this.last.get(name) === settled) this.last.delete(name);
    }
  }

  private async betweenProcesses<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.settings.path === ':memory:') return work();
    const path = `${this.settings.path}-${encodeURIComponent(name)}.lock`;
    const lane = new Lane({ ...this.settings, path }, UNLIMITED, new Pace(), () => {});
    try {
      await lockFile(lane);
      return await work();
    } finally {
      await lane.close(new SqlFailure('closed', 'the lock was released'));
    }
  }
}
