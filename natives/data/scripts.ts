/** Scripts: texts with several statements. */
import type { Asking } from './asking.js';
import { checkPragma } from './pragmas.js';
import type { SqlText } from './sqltext.js';
import { splitStatements } from './statements.js';
import { inSavepoint, inTransaction } from './whole.js';

/** First words of statements of SQLite that control transactions or cannot run in one. */
const ALONE = ['begin', 'commit', 'end', 'rollback', 'savepoint', 'release', 'vacuum', 'pragma', 'attach', 'detach'];

const SAVEPOINT = 'svc_script';

/** Whether a script for SQLite can run in a transaction. @throws SqlFailure for statements that are refused */
function canBeWhole({ written, verb, laterVerbs }: SqlText, inside: boolean): boolean {
  if (!ALONE.some((word) => word === verb || laterVerbs.has(word))) return true;
  // The words may be those of triggers.
  const parts = splitStatements(written, 'sqlite');
  for (const { sql, words } of parts) if (words[0] === 'pragma') checkPragma(sql, inside);
  return !parts.some(({ words }) => ALONE.includes(words[0] ?? ''));
}

/**
 * Runs several statements, all or none; resolves with the number of changed rows. For SQLite, a script that controls
 * transactions itself, or cannot run in one, runs statement by statement. Rejects with SqlFailure.
 */
export async function runScript({ transaction, session, driver, cancel }: Asking, text: SqlText): Promise<number> {
  const { written } = text;
  if (driver.engine === 'postgres' || !canBeWhole(text, transaction !== null)) return session.script(written, cancel);
  return transaction === null
    ? inTransaction(driver, cancel, (own) => own.script(written, cancel))
    : inSavepoint(transaction, SAVEPOINT, cancel, (inner) => transaction.script(written, inner));
}
