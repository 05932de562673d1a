/** The tables of the benchmark: `t` with rows to read, `w` to write to. */

/** Statements that make the tables. @param many a table expression `g(i)` of the numbers up to `rows` */
function statements(integer: string, real: string, key: string, many: string): string[] {
  return [
    `create table t (id ${integer} primary key, name text, n ${integer}, x ${real})`,
    `insert into t select i, 'name ' || i, i * 3, i / 7.0 from ${many}`,
    `create table w (id ${key}, a ${integer}, b text)`,
  ];
}

export function sqliteTables(rows: number): string[] {
  const many = `(with recursive g(i) as (select 1 union all select i + 1 from g where i < ${rows}) select i from g)`;
  return statements('integer', 'real', 'integer primary key', many);
}

export function postgresTables(rows: number): string[] {
  return statements('bigint', 'double precision', 'bigserial primary key', `generate_series(1, ${rows}) as g(i)`);
}
