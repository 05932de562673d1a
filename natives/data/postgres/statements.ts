import { SqlFailure } from '../driver.js';
import { endOfComment } from '../skipping.js';
import { splitStatements } from '../statements.js';

const BEFORE_WORDS = /[\s;(]+|--[^\n]*|\/\*/y;

/** Index of a statement's first word: spaces, comments, semicolons and parentheses may stand before it. */
function startOf(sql: string): number {
  for (let at = 0; ;) {
    BEFORE_WORDS.lastIndex = at;
    const found = BEFORE_WORDS.exec(sql)?.[0];
    if (found === undefined) return at;
    at = found === '/*' ? endOfComment(sql, at, true) : BEFORE_WORDS.lastIndex;
  }
}

/** The first words of a statement in capitals, after spaces and comments. */
function firstWords(sql: string): string {
  const start = startOf(sql);
  return (
    /^[a-z]*(?:\s+[a-z]+){0,3}/i
      .exec(sql.slice(start, start + 80))?.[0]
      .toUpperCase()
      .replace(/\s+/g, ' ') ?? ''
  );
}

const ENDS_OR_BEGINS = /^(?:BEGIN|START TRANSACTION|COMMIT|END|ABORT|ROLLBACK|PREPARE TRANSACTION)\b/;
const OF_SAVEPOINTS = /^(?:SAVEPOINT|RELEASE)\b/;
const TO_SAVEPOINT = /^ROLLBACK (?:WORK |TRANSACTION )?TO\b/;

function refuse(sql: string): never {
  throw new SqlFailure('database', `${firstWords(sql).split(' ')[0]} is not possible here: use db.transaction`);
}

/** Refuses statements that control transactions, where statements share connections. @throws SqlFailure */
export function refuseTransactionControl(sql: string): void {
  const words = firstWords(sql);
  if (ENDS_OR_BEGINS.test(words) || OF_SAVEPOINTS.test(words)) refuse(sql);
}

/** Refuses statements that end a transaction of `db.transaction`; savepoints are allowed. @throws SqlFailure */
export function refuseTransactionEnd(sql: string): void {
  const words = firstWords(sql);
  if (ENDS_OR_BEGINS.test(words) && !TO_SAVEPOINT.test(words)) refuse(sql);
}

/** Refuses scripts that would end a transaction which may write nothing, and go on without it. @throws SqlFailure */
export function refuseEndsInScript(sql: string): void {
  for (const part of splitStatements(sql, 'postgres')) refuseTransactionEnd(part.sql);
}

/** SET of what ends with the transaction. */
const OF_TRANSACTION = /^SET (?:LOCAL|TRANSACTION|CONSTRAINTS)\b/;

/** Refuses statements that change settings of a connection, which other threads use too. @throws SqlFailure */
export function refuseSettings(sql: string, isInside: boolean): void {
  if (!/^[^a-z]*(?:set|reset|discard)\b|^\s*(?:--|\/\*)/i.test(sql)) return;
  const words = firstWords(sql);
  const [verb] = words.split(' ');
  if (!/^(?:SET|RESET|DISCARD)$/.test(verb)) return;
  const isOfTransaction = OF_TRANSACTION.test(words);
  if (isOfTransaction && isInside) return;
  const [what, hint] = isOfTransaction
    ? [words.split(' ', 2).join(' '), 'use it within db.transaction']
    : [
        verb,
        'all threads share the connections; use SET LOCAL within db.transaction, or for all connections the URL: `?options=-c%20name%3Dvalue`',
      ];
  throw new SqlFailure('database', `${what} is not possible here: ${hint}`);
}

/** A name as SQL; all characters but NUL are possible. A table may be written with its schema: `app.users`. */
export function quoteName(name: string): string {
  if (name.includes('\0')) throw new SqlFailure('database', 'a name holds a NUL character');
  return `"${name.replaceAll('"', '""')}"`;
}

/** A table as SQL: `users`, or with its schema `app.users`. */
export function quoteTable(table: string): string {
  return table.split('.').map(quoteName).join('.');
}

/** Refuses COPY from and to the client, which cannot share a connection. @throws SqlFailure */
export function refuseCopy(sql: string): void {
  if (!firstWords(sql).startsWith('COPY') || !/\b(?:STDIN|STDOUT)\b/i.test(sql)) return;
  throw new SqlFailure('database', 'COPY with STDIN or STDOUT is not possible here: use db.insert_many or db.each');
}
