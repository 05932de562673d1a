import { tlsReason } from '../../tlsreasons.js';
import { SqlFailure, type FailureKind, type Violation } from '../driver.js';

/** The fields of an ErrorResponse that are used. */
export interface ServerError {
  readonly message: string;
  readonly code?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly position?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly routine?: string;
}

/** What a statement was, as far as its failures depend on it. */
export interface Asked {
  readonly sql: string;
  /** Whether values were sent beside the text; messages could repeat them. */
  readonly hasValues: boolean;
  /** Whether the statement was cancelled by its caller. */
  readonly isCancelled: boolean;
}

export const CANCELLED = '57014';

/** SQLSTATEs that make the server close the connection: shutdown, crash, starting up, dropped database, idle time-outs. */
const CLOSING = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
  '25P03',
  '25P04',
  '53300',
  '08000',
  '08003',
  '08006',
]);

const VIOLATIONS: Readonly<Record<string, Violation['kind']>> = {
  '23001': 'foreign',
  '23502': 'not null',
  '23503': 'foreign',
  '23505': 'unique',
  '23514': 'check',
  // Exclusion constraints generalise unique ones.
  '23P01': 'unique',
};

/** Whether a prepared statement failed because a table has changed: it would return other columns than before. */
export function isStale({ code, routine }: ServerError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

function kindOf(error: ServerError, asked: Asked): FailureKind {
  const { code = '' } = error;
  if (code === CANCELLED) return asked.isCancelled ? 'cancelled' : 'database';
  if (code === '40001' || code === '40P01' || isStale(error)) return 'serialization';
  if (CLOSING.has(code)) return 'connection';
  return code.startsWith('23') ? 'constraint' : 'database';
}

/** Index of the end of the list that begins at `start`: the first parenthesis that closes none of its own. */
function endOfList(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === '(') depth++;
    else if (char === ')' && depth-- === 0) return i;
  }
  return -1;
}

/** Splits at commas outside of quotes and parentheses. */
function splitNames(list: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let i = 0; i <= list.length; i++) {
    const char = list[i];
    if (char === '"') isQuoted = !isQuoted;
    else if (char === '(' && !isQuoted) depth++;
    else if (char === ')' && !isQuoted) depth--;
    else if (i === list.length || (char === ',' && !isQuoted && depth === 0)) {
      names.push(list.slice(start, i).trim());
      start = i + 1;
    }
  }
  return names.map((name) => (/^".*"$/s.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name));
}

/** Names of columns in details such as `Key (a, b)=(1, 2) already exists.`, in any language. */
function columnsOf(detail: string): string[] {
  const start = detail.indexOf('(') + 1;
  const end = start === 0 ? -1 : endOfList(detail, start);
  return end === -1 || !detail.startsWith(')=(', end) ? [] : splitNames(detail.slice(start, end));
}

const QUOTE = /["«»„“”「」『』]/g;

/**
 * Whether a row could not be changed because others refer to it: the table of the violation is that of the others, the
 * columns in the detail are those of the row. In any language, the message then has three names and the detail that table.
 */
function isReferenced({ table, message, detail = '' }: ServerError): boolean {
  if (table === undefined || (message.match(QUOTE)?.length ?? 0) < 6) return false;
  return detail.slice(detail.lastIndexOf(')')).includes(table);
}

function violationOf(error: ServerError): Violation | null {
  const kind = VIOLATIONS[error.code ?? ''];
  if (kind === undefined) return null;
  const columns = error.column === undefined ? columnsOf(error.detail ?? '') : [error.column];
  if (kind === 'foreign' && isReferenced(error)) columns.length = 0;
  return { kind, table: error.table ?? null, columns, constraint: error.constraint ?? null };
}

/** Index in UTF-16 of the character that the server counts from 1, or −1. */
function positionOf(error: ServerError, sql: string): number {
  const characters = Number(error.position ?? 0) - 1;
  if (characters < 0) return -1;
  let index = 0;
  for (let i = 0; i < characters && index < sql.length; i++)
    index += (sql.codePointAt(index) as number) > 0xffff ? 2 : 1;
  return index;
}

const MISCOUNTED = /supplies (\d+) parameters.* requires (\d+)/;

function messageOf(error: ServerError, code: string, asked: Asked): string {
  const { message, hint } = error;
  // Data exceptions quote the value that was refused.
  if (code.startsWith('22') && asked.hasValues) return message.replace(/".*"/s, '"…"');
  const [, given, needed] = (code === '08P01' && MISCOUNTED.exec(message)) || [];
  if (given !== undefined) return `parameters needed: ${needed}, given: ${given}`;
  return code.startsWith('42') && hint !== undefined && hint !== '' ? `${message} (${hint})` : message;
}

/** Makes a failure of what the server sent. `detail` and `where` are dropped, because they hold values. */
export function failureOf(error: ServerError, asked: Asked): SqlFailure {
  const code = error.code ?? '';
  const kind = kindOf(error, asked);
  const message = kind === 'cancelled' ? 'the statement was cancelled' : messageOf(error, code, asked);
  return new SqlFailure(kind, message, code, violationOf(error), positionOf(error, asked.sql));
}

export function cancelledFailure(): SqlFailure {
  return new SqlFailure('cancelled', 'the statement was cancelled', CANCELLED);
}

export function closedFailure(): SqlFailure {
  return new SqlFailure('closed', 'the database has been closed');
}

/** Errors of the system and of TLS in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'unknown host',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'no answer',
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not signed by a known authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not signed by a known authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not signed by a known authority",
  UNABLE_TO_GET_ISSUER_CERT: "sslrootcert lacks the root authority of the server's certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};

/** An error of node. It tries all addresses of a name; `errors` are those of each. */
export type SystemError = Error & { code?: string; errors?: readonly SystemError[] };

/** Errors of a certificate whose authority is not known. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/**
 * Why a connection could not be made or broke, in words; never with a password.
 * @param hasAuthority whether the program names the authorities that may sign the server's certificate
 */
export function reasonOf(error: SystemError, hasAuthority = false): string {
  const { code = '', message } = error.errors?.[0] ?? error;
  if (hasAuthority && UNTRUSTED.has(code))
    return "the server's certificate is not signed by an authority of sslrootcert";
  return REASONS[code] ?? tlsReason(code, message) ?? message;
}
