import t from 'tap';
import { splitStatements } from '../../../natives/data/statements.js';
import { refuseTransactionControl } from '../../../natives/data/postgres/statements.js';
import { shapeOf } from '../../../natives/data/sqlite/text.js';
import { SqlTexts } from '../../../natives/data/sqltext.js';

function texts(sql: string, engine: 'sqlite' | 'postgres'): string[] {
  return splitStatements(sql, engine).map((part) => part.sql);
}

t.test('statements end at semicolons outside of texts, names and comments', async (t) => {
  const sql = `-- one; two
CREATE TABLE "a;b" (x TEXT DEFAULT ';'); /* ; */
INSERT INTO t VALUES ('it''s; fine') -- ;
;;
SELECT 1`;
  for (const engine of ['sqlite', 'postgres'] as const)
    t.strictSame(texts(sql, engine), [
      `CREATE TABLE "a;b" (x TEXT DEFAULT ';')`,
      `INSERT INTO t VALUES ('it''s; fine') -- ;`,
      'SELECT 1',
    ]);
  t.strictSame(texts('', 'sqlite'), []);
  t.strictSame(texts(' ;\n-- nothing\n;', 'postgres'), []);
});

t.test('positions and first words', async (t) => {
  const [first, second] = splitStatements('\n-- x\n create /* y */ index i on t (a);\n"q" ;', 'sqlite');
  t.strictSame(first, { sql: 'create /* y */ index i on t (a)', start: 7, words: ['create', 'index', 'i', 'on', 't'] });
  t.strictSame(second.words, []);
});

t.test('triggers of SQLite hold statements', async (t) => {
  const trigger = `CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN
  UPDATE a SET x = CASE WHEN 1 THEN 2 END;
  SELECT 'END;';
END`;
  t.strictSame(texts(`${trigger};SELECT 1;`, 'sqlite'), [trigger, 'SELECT 1']);
  t.strictSame(texts('CREATE TABLE trigger_log (x); SELECT 1', 'sqlite'), ['CREATE TABLE trigger_log (x)', 'SELECT 1']);
});

t.test('functions and rules of PostgreSQL hold statements', async (t) => {
  const dollars = 'CREATE FUNCTION f() RETURNS int AS $x$ BEGIN; RETURN 1; END; $x$ LANGUAGE plpgsql';
  const atomic = `CREATE OR REPLACE FUNCTION g() RETURNS int BEGIN ATOMIC
  SELECT CASE WHEN true THEN 1 END;
  SELECT 2;
END`;
  const rule = 'CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)';
  const nested = 'SELECT /* a /* ; */ ; */ 1';
  t.strictSame(texts(`${dollars};\n${atomic};\n${rule};\n${nested};`, 'postgres'), [dollars, atomic, rule, nested]);
});

t.test('texts, names and comments of any length', (t) => {
  const LENGTH = 20_000_000;
  for (const filling of ['a', '😀', "''", '""', '*', '\\']) {
    const long = filling.repeat(LENGTH / filling.length);
    for (const [opening, closing, other] of [
      ["'", "'", "''"],
      ['"', '"', '""'],
      ['/*', '*/', '*/'],
      ["E'", "'", "''"],
    ]) {
      // A filling of quotes stands in its own kind only; in the others it would end the part.
      if (filling === closing[0] && filling !== other) continue;
      const sql = `SELECT ${opening}${long}${closing} FROM t WHERE a = ?`;
      for (const engine of ['sqlite', 'postgres'] as const) {
        if (engine === 'sqlite' && opening === "E'") continue;
        const { count, verb } = new SqlTexts(engine).get(sql);
        t.strictSame([verb, count], ['select', 1], `${opening}${filling}`);
      }
      t.equal(shapeOf(sql).parameters, opening === "E'" ? shapeOf(sql).parameters : 1);
      const comment = opening === '/*' ? `${opening}${long}${closing}` : '';
      t.throws(() => refuseTransactionControl(`${comment} COMMIT`), { message: /^COMMIT is not possible/ });
    }
  }
  t.end();
});

t.test('blanks and words of any length', (t) => {
  for (const filling of [' ', 'a', 'é', '$'])
    t.equal(shapeOf(`SELECT ? ${filling.repeat(10_000_000 / filling.length)} , ?`).parameters, 2, filling);
  const before = ' \n--a\n/**/;('.repeat(1_000_000);
  t.throws(() => refuseTransactionControl(`${before} COMMIT`), { message: /^COMMIT is not possible/ });
  t.end();
});

t.test('comments of PostgreSQL hold others', (t) => {
  t.throws(() => refuseTransactionControl('/* a /* b */ c */ -- d\n(; COMMIT'), { message: /^COMMIT is not possible/ });
  t.strictSame(texts(`SELECT E'a\\';', e'''\\\\'; SELECT '\\'`, 'postgres'), [
    `SELECT E'a\\';', e'''\\\\'`,
    `SELECT '\\'`,
  ]);
  t.end();
});
