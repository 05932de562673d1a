import type { ColumnInfo, Result, Statement } from '../driver.js';
import { quoteTable } from './statements.js';

type Run = (statement: Statement) => Promise<Result>;

const TABLES = `
  SELECT (CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END || c.relname) COLLATE "C"
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
  ORDER BY 1`;

const COLUMNS = `
  SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
    CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
    EXISTS (
      SELECT FROM pg_catalog.pg_index i
      WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)
    )
  FROM pg_catalog.pg_attribute a
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum`;

/** Names of tables; those outside of the search path with their schema. Partitions count as parts of their table. */
export async function tablesOf(run: Run): Promise<string[]> {
  const { pieces } = await run({ sql: TABLES, params: [] });
  return pieces.flat().map(([name]) => name as string);
}

export async function columnsOf(run: Run, table: string): Promise<ColumnInfo[]> {
  const { pieces } = await run({ sql: COLUMNS, params: [quoteTable(table)] });
  return pieces.flat().map(([name, type, nullable, fallback, primary]) => ({
    name: name as string,
    type: type as string,
    nullable: nullable as boolean,
    fallback: fallback as string | null,
    primary: primary as boolean,
  }));
}
