/** Statements that are counted apart; all further ones are counted together. */
const MAX_STATEMENTS = 200;
/** Characters of a statement that serve as its name. */
const MAX_NAME = 200;

/** Number of runs of each statement and the time they took. */
export class Latencies {
  readonly statements = new Map<string, { count: number; seconds: number }>();

  /** @param sql text without values of parameters */
  note(sql: string, seconds: number): void {
    const name = sql.slice(0, MAX_NAME);
    let entry = this.statements.get(name);
    if (entry === undefined) {
      const counted = this.statements.size < MAX_STATEMENTS ? name : '';
      entry = this.statements.get(counted);
      if (entry === undefined) this.statements.set(counted, (entry = { count: 0, seconds: 0 }));
    }
    entry.count++;
    entry.seconds += seconds;
  }
}
