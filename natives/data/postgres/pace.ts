import { LimitedMap } from '../../limitedmap.js';

/** Statements whose duration is remembered. */
const MAX_STATEMENTS = 2000;

/** Weight of the last duration in the average. */
const WEIGHT = 0.25;

/** Remembers how long statements take, by their text. */
export class Pace {
  private readonly averages = new LimitedMap<string, number>(MAX_STATEMENTS);

  note(sql: string, ms: number): void {
    const before = this.averages.get(sql);
    this.averages.set(sql, before === undefined ? ms : before + (ms - before) * WEIGHT);
  }

  /** Average duration in milliseconds; Infinity for statements that have not run yet. */
  of(sql: string): number {
    return this.averages.get(sql) ?? Infinity;
  }
}
