import type { ColumnInfo, Result, SqlValue, Statement } from '../driver.js';

type Run = (statement: Statement) => Promise<Result>;

const TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'libsql_vector_meta_shadow' ORDER BY name`;

const COLUMNS = `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`;

function columnInfo([name, type, notNull, fallback, primary]: readonly SqlValue[]): ColumnInfo {
  const isPrimary = primary !== 0n;
  const isRowid = isPrimary && /^integer$/i.test(type as string);
  return {
    name: name as string,
    type: type as string,
    nullable: notNull === 0n && !isRowid,
    fallback: fallback as string | null,
    primary: isPrimary,
  };
}

/** Names of the tables, but for those of SQLite and libsql. */
export async function tablesOf(run: Run): Promise<string[]> {
  const { pieces } = await run({ sql: TABLES, params: [] });
  return pieces.flat().map(([name]) => name as string);
}

export async function columnsOf(run: Run, table: string): Promise<ColumnInfo[]> {
  const { pieces } = await run({ sql: COLUMNS, params: [table] });
  return pieces.flat().map(columnInfo);
}
