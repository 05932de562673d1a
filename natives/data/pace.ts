import { LimitedMap } from '../limitedmap.js';

/** Statements whose duration is remembered. */
const MAX_STATEMENTS = 2000;

/** Weight of the last duration in the average. */
const WEIGHT = 0.25;

/**
 * Milliseconds of work that a connection gets ahead. What waits in front of it can still take turns, and be given to
 * others.
 */
export const AHEAD_MS = 10;

/** How long a statement takes. */
export class StatementPace {
  /** Average duration in milliseconds; Infinity if it has not run yet. */
  ms = Infinity;

  note(ms: number): void {
    this.ms = this.ms === Infinity ? ms : this.ms + (ms - this.ms) * WEIGHT;
  }
}

/** Remembers how long statements take, by their text. */
export class Pace {
  private readonly statements = new LimitedMap<string, StatementPace>(MAX_STATEMENTS);
  private lastSql = '';
  private last = new StatementPace();

  of(sql: string): StatementPace {
    if (sql === this.lastSql) return this.last;
    let found = this.statements.get(sql);
    if (found === undefined) this.statements.set(sql, (found = new StatementPace()));
    this.lastSql = sql;
    return (this.last = found);
  }
}
