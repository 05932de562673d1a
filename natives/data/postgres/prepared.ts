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

/** The prepared statements of a connection; the least recently used one is removed. */
export class PreparedStatements {
  private readonly entries = new LimitedMap<string, Prepared>(MAX_PREPARED);
  private created = 0;

  /** The statement of a text, as the most recently used one. */
  find(key: string): Prepared | undefined {
    return this.entries.use(key);
  }

  /** Adds a statement. Returns it, and the name of one that must be closed on the server to make room. */
  add(key: string): { entry: Prepared; surplus: string | null } {
    const entry: Prepared = { name: `s${this.created++}`, isReady: false, shape: null };
    const surplus = this.entries.surplus?.[1].name ?? null;
    this.entries.set(key, entry);
    return { entry, surplus };
  }

  /** Forgets a statement that failed: it may not exist on the server. */
  forget(key: string, entry: Prepared): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
