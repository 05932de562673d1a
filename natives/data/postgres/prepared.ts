import { LimitedMap } from '../../limitedmap.js';
import type { Decoder } from './decode.js';

/** Maximum number of prepared statements of a connection. */
const MAX_PREPARED = 500;

/** A prepared statement of one connection. */
export interface Prepared {
  readonly name: string;
  /** Whether the server has confirmed it. Until then others use the unnamed statement, for this one may fail. */
  isReady: boolean;
  /** The columns of its rows; null until the server has described them. */
  shape: Shape | null;
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

/** Those of which other connections learn. Services often drop temporary tables, which others do not see. */
const SHARED = /^(?:ALTER|CREATE VIEW)/;

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

  /** A statement has succeeded. @param tag what the server called it */
  note(tag: string): void {
    if (ALTERING.test(tag)) {
      this.hasAltered = true;
      this.isShared ||= SHARED.test(tag);
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
    const entry: Prepared = { name: `s${this.created++}`, isReady: false, shape: null };
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

  /** The server has forgotten all statements. */
  clear(): void {
    this.entries.clear();
    this.discarded = NONE;
  }
}
