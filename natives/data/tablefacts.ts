/** What inserts know about a table. */
export interface TableFact {
  /** Names of the primary key's columns. */
  readonly key?: readonly string[];
  /** SQLite: whether the table has rowids. */
  readonly hasRowids?: boolean;
}

const NOTHING: TableFact = {};

/**
 * What is known about the tables of a database, or what a transaction knows. A transaction learns for itself, because
 * it may be rolled back, and reads what the database knows until it changes tables.
 */
export class TableFacts {
  private readonly facts = new Map<string, TableFact>();
  /** Number of times that facts were dropped here. */
  private drops = 0;
  /** Version of `base` when the transaction began. */
  private readonly since: number;
  /** Whether the transaction may have changed tables. */
  private isApart = false;

  /** @param base for a transaction: what is known outside */
  constructor(private readonly base: TableFacts | null = null) {
    this.since = base?.version ?? 0;
  }

  /** Changes when facts are dropped: what was asked for before may be out of date. */
  get version(): number {
    return this.drops + (this.base?.version ?? 0);
  }

  of(table: string): TableFact {
    return this.facts.get(table) ?? (this.isApart ? NOTHING : (this.base?.of(table) ?? NOTHING));
  }

  /** Keeps a fact. @param version `version` before the engine was asked for it */
  note(table: string, fact: TableFact, version: number): void {
    if (version === this.version) this.facts.set(table, { ...this.of(table), ...fact });
  }

  /** Tables may have changed. */
  forget(): void {
    this.isApart = true;
    this.undo();
  }

  /** A savepoint of the transaction was rolled back, perhaps with tables that it had made. */
  undo(): void {
    this.facts.clear();
    this.drops++;
  }

  /** What was known about a table, here and outside, is wrong. */
  drop(table: string): void {
    this.facts.delete(table);
    this.drops++;
    this.base?.drop(table);
  }

  /** The transaction has ended. If it is not known whether it was committed, tables may have changed. */
  end(isCommitted: boolean): void {
    const { base } = this;
    if (base === null) return;
    if (this.isApart) base.forget();
    else if (isCommitted && base.version === this.since)
      for (const [table, fact] of this.facts) base.note(table, fact, base.version);
  }
}
