import { setTimeout as sleep } from 'node:timers/promises';
import { type ActualResponse, Connection } from './connection.js';
import type { Exchange, ExpectedResponse, Step } from './exchange.js';

/** An exchange that did not go as written: the expected and the actual responses, as two texts. */
export interface Mismatch {
  expected: string;
  actual: string;
}

/** Plays exchanges one after the other against a server; returns those that did not go as written. */
export async function play(port: number, exchanges: Exchange[]): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = [];
  let shared: Connection | null = null;
  for (const exchange of exchanges) {
    const connection: Connection = shared === null || exchange.isRaw ? await Connection.open(port) : shared;
    const mismatch = await playOne(connection, exchange);
    if (mismatch !== null) mismatches.push(mismatch);
    // After a mismatch, more bytes may still arrive: use a new connection.
    const isSpent = mismatch !== null || connection.isSpent;
    if (isSpent || exchange.isRaw) connection.socket.destroy();
    if (!exchange.isRaw) shared = isSpent ? null : connection;
  }
  shared?.socket.destroy();
  return mismatches;
}

async function playOne(
  connection: Connection,
  { title, line, steps, methods, responses, closes }: Exchange,
): Promise<Mismatch | null> {
  const expected: string[] = [];
  const actual: string[] = [];
  try {
    for (const step of steps) await take(connection, step);
    for (const [i, response] of responses.entries()) {
      const came = compareResponse(response, await connection.response(methods[i] ?? 'GET'));
      expected.push(came.expected);
      actual.push(came.actual);
    }
    if (closes) await connection.close();
    if (connection.unread.length > 0)
      actual.push(`unexpected: ${JSON.stringify(connection.unread.toString('latin1', 0, 300))}`);
  } catch (error) {
    actual.push((error as Error).message);
  }
  const texts = [expected, actual].map((parts) => [`${title} (line ${line})`, ...parts].join('\n'));
  return texts[0] === texts[1] ? null : { expected: texts[0], actual: texts[1] };
}

async function take(connection: Connection, step: Step): Promise<void> {
  if ('send' in step) connection.send(step.send);
  else if ('pause' in step) await sleep(step.pause);
  else if ('end' in step) connection.socket.end();
  else connection.socket.resetAndDestroy();
}

/** The expected and the actual response as texts, which are equal if the response is as expected. */
export function compareResponse(expected: ExpectedResponse, actual: ActualResponse): Mismatch {
  const wanted: string[] = [`=> ${expected.status}`];
  const hasStatus = expected.status.split('|').includes(String(actual.status));
  const came: string[] = [`=> ${hasStatus ? expected.status : actual.status}`];
  for (const name of new Set(expected.headers.map(([name]) => name))) {
    const should = valuesOf(expected.headers, name);
    const values = valuesOf(actual.headers, name);
    const isRight =
      should[0] === '<absent>'
        ? values.length === 0
        : should.length === values.length && should.every((value, i) => agrees(value, values[i]));
    wanted.push(...should.map((value) => `${name}: ${value}`));
    came.push(...(isRight ? should : values.length === 0 ? ['<absent>'] : values).map((value) => `${name}: ${value}`));
  }
  if (expected.body !== null) {
    const isRight =
      expected.body instanceof RegExp ? expected.body.test(actual.body.toString()) : expected.body.equals(actual.body);
    wanted.push('', shownBody(expected.body));
    came.push('', isRight ? shownBody(expected.body) : shownBody(actual.body));
  }
  // The body of a wrong status often names the reason.
  if (!hasStatus && expected.body === null) came.push('', shownBody(actual.body));
  return { expected: wanted.join('\n'), actual: came.join('\n') };
}

function valuesOf(headers: [string, string][], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted.toLowerCase()).map(([, value]) => value);
}

/** `<any>`, `~regex`, or the exact value. */
function agrees(expected: string, actual: string): boolean {
  return (
    expected === '<any>' ||
    (expected.startsWith('~') ? new RegExp(expected.slice(1)).test(actual) : expected === actual)
  );
}

const SHOWN = 2000;

function shownBody(body: Buffer | RegExp): string {
  if (body instanceof RegExp) return `~${body.source}`;
  return body.length > SHOWN ? `${body.toString('utf8', 0, SHOWN)}… (${body.length} bytes)` : body.toString();
}
