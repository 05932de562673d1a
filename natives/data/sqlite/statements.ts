import { nearest } from '../../../vm/bytecode/nearest.js';
import { LimitedMap } from '../../limitedmap.js';
import type { Library, Prepared } from './libraries.js';
import type { ColumnKind, Header, Wire } from './protocol.js';

/** Maximum number of prepared statements of a connection. */
const LIMIT = 500;

const SCHEMA_VERSION = 'PRAGMA schema_version';

export interface Kept {
  readonly prepared: Prepared;
  readonly header: Header;
  /** Milliseconds of its last run. Infinite before the first one, because it may take long. */
  ms: number;
}

/** How values of a column with the given declared type are read. */
function kindOf(type: string | null): ColumnKind {
  if (type === null) return null;
  if (/^bool/i.test(type)) return 'boolean';
  if (/^(?:date|time)/i.test(type)) return 'date';
  if (/^(?:decimal|numeric)/i.test(type)) return 'decimal';
  return /^json/i.test(type) ? 'json' : null;
}

const NAMES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')";

/** An error of SQLite, with the name of a table that is similar to the one it misses. */
export async function suggesting(library: Library, error: unknown): Promise<unknown> {
  const missing = error instanceof Error ? /^no such table: (?:main\.)?(.+)$/.exec(error.message)?.[1] : undefined;
  if (missing === undefined) return error;
  const rows = await (await library.prepare(NAMES)).rows([]);
  const names: string[] = [];
  for (let row = rows.next(); row.done !== true; row = rows.next()) names.push(row.value[0] as string);
  const near = nearest(missing, names);
  if (near !== null) (error as Error).message += `; did you mean "${near}"?`;
  return error;
}

async function prepare(library: Library, sql: string): Promise<Kept> {
  let prepared: Prepared;
  try {
    prepared = await library.prepare(sql);
  } catch (error) {
    throw await suggesting(library, error);
  }
  const columns = prepared.columns();
  const kinds = columns.map(({ type }) => kindOf(type));
  return {
    prepared,
    header: {
      columns: columns.map(({ name }) => name),
      kinds: kinds.every((kind) => kind === null) ? null : kinds,
    },
    ms: Infinity,
  };
}

async function firstValue({ prepared }: Kept): Promise<Wire> {
  const rows = await prepared.rows([]);
  const first = rows.next();
  while (rows.next().done !== true);
  return first.done === true ? null : first.value[0];
}

/** The prepared statements of a connection; the least recently used one is dropped first. */
export class Statements {
  private readonly kept = new LimitedMap<string, Kept>(LIMIT);
  /** The statement that was used last. */
  private latest: Kept | null = null;
  private schema: Wire = null;

  constructor(private readonly library: Library) {}

  /** Version of the schema that the statements were prepared for. */
  get version(): number | null {
    return this.schema === null ? null : Number(this.schema);
  }

  /** The statement if it is prepared, else null. */
  known(sql: string): Kept | null {
    const known = this.kept.get(sql);
    if (known === undefined) return null;
    if (known === this.latest) return known;
    this.latest = known;
    return this.kept.use(sql) as Kept;
  }

  async get(sql: string): Promise<Kept> {
    const known = this.known(sql);
    if (known !== null) return known;
    const kept = await prepare(this.library, sql);
    this.latest = kept;
    this.kept.set(sql, kept);
    return kept;
  }

  /** A statement of its own, for a cursor: several may have rows left. */
  fresh(sql: string): Promise<Kept> {
    return prepare(this.library, sql);
  }

  /** Drops a statement that reads and has failed: libsql would repeat its error whenever it runs again. */
  forget(sql: string): void {
    this.kept.delete(sql);
    this.latest = null;
  }

  /** Keeps how long the last run of a statement took. */
  note(sql: string, ms: number): void {
    const kept = this.kept.get(sql);
    if (kept !== undefined) kept.ms = ms;
  }

  milliseconds(sql: string): number {
    return this.kept.get(sql)?.ms ?? Infinity;
  }

  /** Runs a short statement without rows. Returns false if it is not prepared, or may take long. */
  runAtOnce(sql: string): boolean {
    return (this.known(sql)?.prepared.row([]) ?? null) !== null;
  }

  /** Whether the schema is certainly that of the prepared statements. Waits for nothing. */
  isCurrent(): boolean {
    const rows = this.known(SCHEMA_VERSION)?.prepared.row([]) ?? [];
    return rows.length > 0 && rows[0][0] === this.schema;
  }

  /** Drops all statements if the schema has changed, because the columns of `SELECT *` are those of its time. */
  async refresh(): Promise<void> {
    const version = await firstValue(await this.get(SCHEMA_VERSION));
    if (version === this.schema) return;
    this.kept.clear();
    this.latest = null;
    this.schema = version;
    for (const sql of ['BEGIN', 'COMMIT']) await this.get(sql);
    // SQLite reads the new schema when a statement first runs, not when it is prepared.
    await firstValue(await this.fresh('SELECT count(*) FROM sqlite_master'));
  }
}
