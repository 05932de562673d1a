import type { Test } from 'tap';
import {
  Cancellation,
  SqlDate,
  SqlDecimal,
  SqlJson,
  SqlVector,
  USUAL_TRANSACTION,
  type Driver,
  type SqlValue,
} from '../../natives/data/driver.js';
import { failure, inserted, rows, script, value } from './support/sessions.js';

export type Open = (t: Test) => Promise<Driver>;

const at = (text: string): SqlDate => new SqlDate(Date.parse(text));
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);

/** Expressions and the values that they have for a program. */
const READ: readonly [sql: string, value: SqlValue][] = [
  ['NULL', null],
  ['true', true],
  ['false', false],
  ['1::int2', 1n],
  ['-7::int4', -7n],
  ['9223372036854775807::int8', 9223372036854775807n],
  ['4294967295::oid', 4294967295n],
  ['1.5::float4', 1.5],
  ['0.1::float8', 0.1],
  ['2::float8', 2],
  [`'NaN'::float8`, NaN],
  [`'-Infinity'::float8`, -Infinity],
  ['1e-20::numeric', new SqlDecimal('0.00000000000000000001')],
  ['12345678901234567890.10::numeric', new SqlDecimal('12345678901234567890.10')],
  [`'a''b"c\\'::text`, `a'b"c\\`],
  [`'é😀'::varchar(9)`, 'é😀'],
  [`'ab'::char(3)`, 'ab '],
  [`'x'::"char"`, 'x'],
  [`'name'::name`, 'name'],
  [`'0e37df36-f698-11e6-8dd4-cb9ced3df976'::uuid`, '0e37df36-f698-11e6-8dd4-cb9ced3df976'],
  [`'10.0.0.1/8'::inet`, '10.0.0.1/8'],
  [`'1 day 02:00'::interval`, '1 day 02:00:00'],
  [`'\\x00ff10'::bytea`, bytes(0, 255, 16)],
  [`''::bytea`, bytes()],
  [`'2026-11-23 05:10:00.123456+05:30'::timestamptz`, at('2026-11-22T23:40:00.123Z')],
  [`'2026-11-23 05:10:00'::timestamp`, at('2026-11-23T05:10:00Z')],
  [`'2026-11-23'::date`, at('2026-11-23T00:00:00Z')],
  [`'0001-01-01'::date`, at('0001-01-01T00:00:00Z')],
  [`'1969-12-31 23:59:59.999'::timestamp`, new SqlDate(-1)],
  [`'12345-01-01'::date`, at('+012345-01-01T00:00:00Z')],
  [`'{"a": [1]}'::json`, new SqlJson('{"a": [1]}')],
  [`'null'::jsonb`, new SqlJson('null')],
  [`'{}'::int[]`, []],
  [`'{1,NULL,3}'::int[]`, [1n, null, 3n]],
  [`'{{1,2},{3,4}}'::int8[]`, [[1n, 2n], [3n, 4n]]], // prettier-ignore
  [`'[0:1]={1,2}'::int[]`, [1n, 2n]],
  [`ARRAY['a,b', 'NULL', NULL, '', 'q"\\', '{}']`, ['a,b', 'NULL', null, '', 'q"\\', '{}']],
  [`'{t,f}'::bool[]`, [true, false]],
  [`'{1.5,2}'::float8[]`, [1.5, 2]],
  [`'{1.50}'::numeric[]`, [new SqlDecimal('1.50')]],
  [`ARRAY['\\x01'::bytea]`, [bytes(1)]],
  [`ARRAY['2026-11-23 05:10'::timestamptz]`, [at('2026-11-23T05:10:00Z')]],
  [`ARRAY['{"a":"}"}'::jsonb]`, [new SqlJson('{"a": "}"}')]],
  [`'sad'::mood`, 'sad'],
  [`ARRAY['sad', NULL]::mood[]`, ['sad', null]],
  [`ARRAY[5]::small[]`, [5n]],
  [`5::small`, 5n],
  [`ROW(1, 'a')`, '(1,a)'],
  [`ARRAY['((0,0),(1,1))'::box]`, '{(1,1),(0,0)}'],
];

/** Columns, what is stored in them, and what is read from them. */
const STORED: readonly [type: string, value: SqlValue, read?: SqlValue][] = [
  ['int2', 7n],
  ['int4', -7n],
  ['int8', 2n ** 62n],
  ['float4', 1.5],
  ['float8', 0.1],
  ['float8', NaN],
  ['float8', 3],
  ['float8', 4n, 4],
  ['int4', 2, 2n],
  ['numeric(20,2)', new SqlDecimal('12.50')],
  ['numeric', 5n, new SqlDecimal('5')],
  ['numeric', 0.25, new SqlDecimal('0.25')],
  ['bool', true],
  ['text', 'a\nb\t\\N é😀'],
  ['text', ''],
  ['text', 5n, '5'],
  ['varchar(5)', 'abc'],
  ['uuid', '0e37df36-f698-11e6-8dd4-cb9ced3df976'],
  ['mood', 'happy'],
  ['mood[]', ['happy', null]],
  ['bytea', bytes(0, 1, 92, 255)],
  ['bytea', bytes()],
  ['timestamptz', at('2026-11-23T05:10:00.123Z')],
  ['timestamp', at('2026-11-23T05:10:00.123Z')],
  ['date', at('2026-11-23T23:59:00Z'), at('2026-11-23T00:00:00Z')],
  ['timestamptz', at('+020000-01-01T00:00:00Z')],
  ['json', new SqlJson('{"a": [1, "x"]}')],
  ['jsonb', new SqlJson('{"a": [1, "x"]}')],
  ['jsonb', new SqlVector(() => ['a'], () => '["b"]'), new SqlJson('["b"]')], // prettier-ignore
  ['text[]', new SqlVector(() => ['a'], () => '["b"]'), ['a']], // prettier-ignore
  ['text[]', ['a', 'NULL', null, '', 'q"\\,{}']],
  ['int8[]', [[1n], [2n]]],
  ['int8[]', []],
  ['bytea[]', [bytes(1, 2), null]],
  ['timestamptz[]', [at('2026-11-23T05:10:00Z')]],
  ['numeric[]', [new SqlDecimal('1.5')]],
  ['interval', '1 day', '1 day'],
  ['inet', '10.0.0.1'],
  ['text', null],
  ['jsonb', null],
];

const TYPES = `
  CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE DOMAIN small AS int CHECK (VALUE < 10);`;

/** Values of all types, both ways. */
export function valueCases(t: Test, open: Open): void {
  t.test('values of all types are read', async (t) => {
    const db = await open(t);
    await script(db, TYPES);
    for (const [sql, expected] of READ) t.strictSame(await value(db, `SELECT ${sql} AS v`), expected, sql);
    const all = await rows(db, `SELECT ${READ.map(([sql]) => sql).join(', ')}`);
    t.strictSame(all, [READ.map(([, expected]) => expected)], 'all in one row');
  });

  t.test('values of all types are stored as parameters and by COPY', async (t) => {
    const db = await open(t);
    await script(db, TYPES);
    for (const [i, [type, stored, expected = stored]] of STORED.entries()) {
      await script(db, `CREATE TABLE t${i} (v ${type})`);
      t.strictSame(await value(db, `INSERT INTO t${i} VALUES ($1) RETURNING v`, stored), expected, type);
      t.equal(await inserted(db, `t${i}`, ['v'], [[stored]]), 1, `${type} by COPY`);
      t.strictSame(await rows(db, `SELECT v FROM t${i}`), [[expected], [expected]], type);
    }
  });

  t.test('dates before Christ are stored', async (t) => {
    const db = await open(t);
    const texts = {
      '-000043-03-15T12:00:00Z': '0044-03-15 12:00:00 BC',
      '0000-12-31T00:00:00Z': '0001-12-31 00:00:00 BC',
    };
    for (const [iso, text] of Object.entries(texts)) {
      t.equal(await value(db, 'SELECT ($1::timestamp)::text', at(iso)), text);
    }
  });

  t.test('the server infers the types of parameters', async (t) => {
    const db = await open(t);
    await script(
      db,
      'CREATE TABLE t (id int PRIMARY KEY, at timestamptz); INSERT INTO t SELECT g, now() FROM generate_series(1, 9) g',
    );
    t.strictSame(await rows(db, 'SELECT id FROM t WHERE id = $1', 3n), [[3n]]);
    t.strictSame(await rows(db, 'SELECT id FROM t ORDER BY id LIMIT $1 OFFSET $2', 1n, 1n), [[2n]]);
    t.strictSame(await rows(db, 'SELECT count(*) FROM t WHERE id = ANY ($1)', [1n, 2n, 99n]), [[2n]]);
    t.strictSame(await rows(db, 'SELECT count(*) FROM t WHERE at > $1', new SqlDate(0)), [[9n]]);
    t.equal(await value(db, 'SELECT $1 + 1', 41n), 42n);
    t.equal(await value(db, 'SELECT $1', 'text'), 'text');
    t.strictSame(await value(db, 'SELECT $1', bytes(1, 2, 3, 4)), bytes(1, 2, 3, 4), 'bytes stay bytes');
    t.equal(await value(db, 'SELECT 1 WHERE $1', true), 1n);
  });

  t.test('values without a counterpart name their column', async (t) => {
    const db = await open(t);
    const values = [`'NaN'::numeric`, `'infinity'::date`, `'-infinity'::timestamptz`, `'0044-03-15 BC'::date`];
    for (const sql of [...values, `ARRAY['NaN'::numeric]`]) {
      const { kind, message } = await failure(rows(db, `SELECT ${sql} AS "the column"`));
      t.equal(kind, 'type', sql);
      t.match(message, /^column "the column" holds .*, which has no counterpart$/, message);
    }
    t.equal(await value(db, 'SELECT 1'), 1n, 'the connection is usable');
  });

  t.test('settings of connections are refused', async (t) => {
    const db = await open(t);
    for (const sql of ['SET statement_timeout = 1234', '/* x */ reset all', "SET SESSION ROLE 'x'", 'DISCARD ALL']) {
      const verb = /set|reset|discard/i.exec(sql)?.[0].toUpperCase();
      const refused = new RegExp(`^${verb} is not possible here: all threads share the connections; use SET LOCAL`);
      const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
      t.match((await failure(rows(transaction, sql))).message, refused, sql);
      await transaction.rollback();
      t.match((await failure(rows(db, sql))).message, refused, sql);
    }
    t.equal(
      (await failure(rows(db, 'SET LOCAL statement_timeout = 1234'))).message,
      'SET LOCAL is not possible here: use it within db.transaction',
    );
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    await rows(transaction, 'SET LOCAL statement_timeout = 1234');
    t.equal(await value(transaction, 'SHOW statement_timeout'), '1234ms');
    await transaction.commit();
    t.equal(await value(db, 'SHOW statement_timeout'), '0');
  });

  t.test('parameters that cannot be stored are refused', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t (n int, s text)');
    const nul = await failure(rows(db, 'INSERT INTO t (s) VALUES ($1)', 'secret\0'));
    t.equal(nul.message, 'parameter $1 holds a NUL character, which PostgreSQL cannot store in a text');
    t.match(
      (await failure(rows(db, 'INSERT INTO t (n) VALUES ($1)', bytes(0, 0, 0, 1)))).message,
      /is of type integer but expression is of type bytea/,
    );
    await script(db, 'CREATE TABLE b (b bytea)');
    const vector = await failure(rows(db, 'INSERT INTO b VALUES ($1)', [1n, 2n]));
    t.strictSame(
      [vector.kind, vector.message],
      ['type', 'parameter $1 must be Bytes for a column of type bytea, got Vector'],
    );
    const many = new Array<SqlValue>(65_536).fill(1n);
    t.match((await failure(rows(db, 'SELECT 1', ...many))).message, /takes 65535 at most/);
    t.equal((await failure(rows(db, 'SELECT $1::int, $2::int', 1n))).message, 'parameters needed: 2, given: 1');
    t.strictSame(await rows(db, 'SELECT * FROM t'), []);
  });
}

/** Failures of statements. */
export function failureCases(t: Test, open: Open): void {
  t.test('violated constraints', async (t) => {
    const db = await open(t);
    await script(
      db,
      `CREATE TABLE a (id int PRIMARY KEY, "odd ""name, x" text, b int NOT NULL, c int CONSTRAINT c_positive CHECK (c > 0),
         UNIQUE (b, "odd ""name, x"));
       CREATE UNIQUE INDEX a_lower ON a (lower("odd ""name, x"), c);
       CREATE TABLE d (id int REFERENCES a DEFERRABLE INITIALLY DEFERRED);
       INSERT INTO a VALUES (1, 'secret', 1, 1)`,
    );
    const violation = async (sql: string, ...params: SqlValue[]): Promise<unknown> => {
      const { kind, violation, message, stack } = await failure(rows(db, sql, ...params));
      t.equal(kind, 'constraint', sql);
      t.notMatch(`${message} ${stack}`, /secret/i);
      return violation;
    };
    t.strictSame(await violation('INSERT INTO a VALUES (1, $1, 2, 1)', 'x'), {
      kind: 'unique',
      table: 'a',
      columns: ['id'],
      constraint: 'a_pkey',
    });
    t.strictSame(await violation('INSERT INTO a VALUES (2, $1, 1, 2)', 'secret'), {
      kind: 'unique',
      table: 'a',
      columns: ['b', 'odd "name, x'],
      constraint: 'a_b_odd "name, x_key',
    });
    t.match(await violation('INSERT INTO a VALUES (3, $1, 3, 1)', 'SECRET'), {
      kind: 'unique',
      columns: ['lower("odd ""name, x")', 'c'],
      constraint: 'a_lower',
    });
    t.strictSame(await violation('INSERT INTO a VALUES (4, NULL, NULL, 1)'), {
      kind: 'not null',
      table: 'a',
      columns: ['b'],
      constraint: null,
    });
    t.match(await violation('INSERT INTO a VALUES (5, NULL, 5, -1)'), {
      kind: 'check',
      table: 'a',
      constraint: 'c_positive',
    });
    await script(db, 'CREATE TABLE e (of int REFERENCES a); INSERT INTO e VALUES (1)');
    t.strictSame(
      await violation('DELETE FROM a'),
      { kind: 'foreign', table: 'e', columns: [], constraint: 'e_of_fkey' },
      'the columns are those of another table',
    );
    t.strictSame(await violation('INSERT INTO e VALUES (78)'), {
      kind: 'foreign',
      table: 'e',
      columns: ['of'],
      constraint: 'e_of_fkey',
    });
    t.match(
      await violation('INSERT INTO d VALUES (77)'),
      { kind: 'foreign', table: 'd', columns: ['id'] },
      'found at the commit',
    );
    t.equal(await value(db, 'SELECT count(*) FROM d'), 0n);
  });

  t.test('messages', async (t) => {
    const db = await open(t);
    await script(db, `CREATE TABLE customers (name text); CREATE TYPE mood AS ENUM ('sad')`);
    const message = async (sql: string, ...params: SqlValue[]): Promise<string> =>
      (await failure(rows(db, sql, ...params))).message;
    t.equal(await message('SELECT * FROM custmers'), 'relation "custmers" does not exist; did you mean "customers"?');
    t.equal(
      await message('SELECT nam FROM customers'),
      'column "nam" does not exist (Perhaps you meant to reference the column "customers.name".)',
    );
    for (const type of ['int', 'timestamptz', 'mood', 'jsonb', 'int[]', 'bool']) {
      t.notMatch(await message(`SELECT $1::${type}`, 'secret'), /secret/, type);
    }
    t.notMatch(await message(`SELECT ($1::text || 'x')::int`, 'secret "value"'), /secret/);
    const position = await failure(rows(db, `SELECT '😀', wrong`));
    t.equal(position.position, `SELECT '😀', `.length, 'positions count as JavaScript does');
    t.strictSame([position.kind, position.code], ['database', '42703']);
    t.equal((await failure(rows(db, 'SELECT 1; SELECT 2'))).code, '42601');
    t.equal((await failure(rows(db, 'SELECT 1/0'))).code, '22012');
  });

  t.test('statements that must not share connections', async (t) => {
    const db = await open(t);
    for (const sql of [
      'BEGIN',
      ' -- x\n commit',
      '/* x */ ROLLBACK',
      'START TRANSACTION',
      'SAVEPOINT a',
      'end',
      "PREPARE TRANSACTION 'x'",
    ]) {
      t.match((await failure(rows(db, sql))).message, /use db\.transaction$/, sql);
    }
    t.match((await failure(rows(db, 'COPY x FROM STDIN'))).message, /use db\.insert_many/);
    t.match((await failure(script(db, 'CREATE TABLE x (a int); COPY x FROM STDIN'))).message, /use insert_many/);
    t.match((await failure(script(db, 'BEGIN; SELECT 1'))).message, /left a transaction open/);
    t.equal(await value(db, `SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'`), 0n);
  });
}
