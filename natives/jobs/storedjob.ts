import type { SqlValue } from '../data/driver.js';
import { sql } from './sql.js';

/** A row of the table of jobs. */
export interface StoredJob {
  readonly id: bigint;
  readonly name: string;
  /** JSON text. */
  readonly data: string;
  readonly key: string | null;
  /** Jobs with larger priorities run first. */
  readonly priority: number;
  /** Number of the attempt: 1 for the first; 0 before it. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When the job is due, in milliseconds since 1970. */
  readonly runAt: number;
}

/** The columns that `storedJob` reads, in this order. */
export const JOB_COLUMNS = sql`id, name, data, key, priority, attempt, created_at, run_at`;

/** Makes a job from a row that begins with JOB_COLUMNS. */
export function storedJob([id, name, data, key, priority, attempt, createdAt, runAt]: SqlValue[]): StoredJob {
  return {
    id: id as bigint,
    name: name as string,
    data: data as string,
    key: key as string | null,
    priority: Number(priority),
    attempt: Number(attempt),
    createdAt: Number(createdAt),
    runAt: Number(runAt),
  };
}
