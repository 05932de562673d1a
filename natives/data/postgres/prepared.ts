import { LimitedMap } from '../../limitedmap.js';
import type { Decoder } from './decode.js';
import { LOSSY } from './oids.js';

/** Maximum number of prepared statements of a connection. */
const MAX_PREPARED = 500;

/** A prepared statement of one connection. */
export interface Prepared {
  readonly name: string;
  /** Whether the server has confirmed it. Until then others use the unnamed statement, for this one may fail. */
  isReady: boolean;
  /** The columns of its rows; null until the server has described them. */
  shape: Shape | null;
  /** Types of its parameters, which stay those of the tables when it was prepared; null until they are known. */
  parameters: readonly number[] | null;
  /** Whether one of these types would drop a part of a value if the column's type has changed. */
  isLossy: boolean;
}

/** Names of columns and numbers of their types. */
export interface Shape {
  readonly names: readonly string[];
  readonly types: readonly number[];
  /** How the columns are converted; null until all types are known. */
  decoders: readonly Decoder[] | null;
}

/** Shared by the connections to a database: how often its tables have changed, as far as one of them has noticed. */
export class Alterations {
  count = 0;
}

/** Tags of statements after which prepared ones may return other columns. */
const ALTERING = /^(?:ALTER|DROP|CREATE VIEW|DO$)/;

/** Those of which other connections learn. */
const SHARED = /^(?:ALTER|CREATE VIEW|DROP (?:TYPE|DOMAIN))/;

/** Also of this outside of transactions. In them, services often drop temporary tables, which others do not see. */
const DROPPED = 'DROP TABLE';

/** Maximum number of statements that failed at their parameters, and whose types are kept. */
const MAX_SUSPECTS = 50;

const NONE: readonly string[] = [];

/** The prepared statements of a connection; the least recently used one is removed. */
export class PreparedStatements {
  private readonly entries = new LimitedMap<string, Prepared>(MAX_PREPARED);
  private created = 0;
  /** Names of statements that must be closed on the server. */
  private discarded = NONE;
  /** The alterations for which statements have been discarded. */
  private seen: number;
  /** Whether the transaction has changed tables. */
  private hasAltered = false;
  /** Whether other connections must learn of it. */
  private isShared = false;
  /** Types of parameters of statements that were forgotten because they did not take their values. */
  private readonly suspects = new LimitedMap<string, readonly number[]>(MAX_SUSPECTS);

  constructor(private readonly alterations = new Alterations()) {
    this.seen = alterations.count;
  }

  /** The statement of a text, as the most recently used one. */
  find(key: string): Prepared | undefined {
    if (this.seen !== this.alterations.count) this.discard();
    return this.entries.use(key);
  }

  /** Names of statements to close on the server; call after `find`. */
  takeDiscarded(): readonly string[] {
    const names = this.discarded;
    this.discarded = NONE;
    return names;
  }

  /** A statement has succeeded. @param tag what the server called it; `isInside`: whether in a transaction */
  note(tag: string, isInside: boolean): void {
    if (ALTERING.test(tag)) {
      this.hasAltered = true;
      this.isShared ||= SHARED.test(tag) || (tag === DROPPED && !isInside);
      this.altered();
    } else if (tag === 'BEGIN') {
      this.hasAltered = this.isShared = false;
    } else if (this.hasAltered && (tag === 'COMMIT' || tag === 'ROLLBACK')) {
      this.altered();
    }
  }

  private altered(): void {
    if (this.isShared) this.alterations.count++;
    this.discard();
  }

  private discard(): void {
    this.seen = this.alterations.count;
    if (this.entries.size > 0)
      this.discarded = [...this.discarded, ...[...this.entries.values()].map(({ name }) => name)];
    this.entries.clear();
  }

  /** Adds a statement. Returns it, and the name of one that must be closed on the server to make room. */
  add(key: string): { entry: Prepared; surplus: string | null } {
    const entry: Prepared = {
      name: `s${this.created++}`,
      isReady: false,
      shape: null,
      parameters: null,
      isLossy: false,
    };
    const surplus = this.entries.surplus?.[1].name ?? null;
    this.entries.set(key, entry);
    return { entry, surplus };
  }

  /**
   * Forgets a statement that failed: it may not exist on the server.
   * @param isStale whether it failed because a table has changed: others may fail as well, also on other connections
   */
  forget(key: string, entry: Prepared, isStale: boolean): void {
    if (this.entries.get(key) !== entry) return;
    this.entries.delete(key);
    if (entry.isReady) this.discarded = [...this.discarded, entry.name];
    if (isStale) this.alterations.count++;
  }

  /** Forgets a statement that did not take its values: the types of columns may have changed. */
  suspect(key: string, entry: Prepared): void {
    if (entry.parameters !== null) this.suspects.set(key, entry.parameters);
    this.forget(key, entry, false);
  }

  /** The server has told the types of a statement's parameters. If they have changed, others may have changed as well. */
  learn(key: string, entry: Prepared, parameters: readonly number[]): void {
    entry.parameters = parameters;
    entry.isLossy = parameters.some((oid) => LOSSY.has(oid));
    // Such a statement is parsed anew each time, and needs no name.
    if (entry.isLossy) this.discarded = [...this.discarded, entry.name];
    const before = this.suspects.get(key);
    if (before === undefined) return;
    this.suspects.delete(key);
    if (before.join() !== parameters.join()) this.alterations.count++;
  }

  /** The server has forgotten all statements. */
  clear(): void {
    this.entries.clear();
    this.discarded = NONE;
  }
}
