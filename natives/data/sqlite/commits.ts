/** Statements in autocommit mode that share one COMMIT, each with an outcome of its own. */
import { PIECE } from '../driver.js';
import type { Connection, Emit, Weighed } from './connection.js';
import { CancelledFault, faultOf, TooLargeFault } from './faults.js';
import type { Fault, Request } from './protocol.js';

/** The last part of a request's answer, which must be sent after COMMIT only, or why the request failed. */
export type Outcome = { readonly last: Weighed } | { readonly fault: Fault };

export type Outcomes = Map<Request, Outcome>;

/** Sends a part of an answer before the last one. It counts only if the last one follows. */
type Send = (request: Request, part: Weighed) => Promise<void> | null;

/** Weight, in rows, from which the rows of a last part are sent before COMMIT. */
const HELD = PIECE / 10;

/** Sends the rows of a part; returns the rest of it. */
async function withoutRows(part: Weighed, emit: Emit): Promise<Weighed> {
  await emit({ ...part, more: true });
  return { ...part, header: null, rows: null, weight: 1 };
}

async function rollBack(connection: Connection): Promise<void> {
  if (connection.isInTransaction()) await connection.control('ROLLBACK');
}

async function eachAlone(
  connection: Connection,
  requests: readonly Request[],
  outcomes: Outcomes,
  send: Send,
): Promise<void> {
  for (const request of requests) await commitTogether(connection, [request], outcomes, send);
}

/** Runs requests in the open transaction. Returns the index of the one that ended it, or -1. */
async function runAll(
  connection: Connection,
  requests: readonly Request[],
  outcomes: Outcomes,
  send: Send,
): Promise<number> {
  for (const [index, request] of requests.entries()) {
    const wasCancelled = (): boolean => connection.wasCancelled(request.id);
    try {
      if (wasCancelled()) {
        outcomes.set(request, { fault: faultOf(new CancelledFault()) });
        continue;
      }
      const last = await connection.handle(request, (part) => send(request, part));
      outcomes.set(request, {
        last: last.weight < HELD ? last : await withoutRows(last, (part) => send(request, part)),
      });
      if (!wasCancelled()) continue;
    } catch (error) {
      outcomes.set(request, { fault: faultOf(error) });
      // It has changed rows before it returned some.
      if (error instanceof TooLargeFault) await rollBack(connection);
    }
    if (wasCancelled()) {
      outcomes.set(request, { fault: faultOf(new CancelledFault()) });
      // What it changed has to be undone: without it, the others run again.
      await rollBack(connection);
    }
    if (!connection.isInTransaction()) return index;
  }
  return -1;
}

/**
 * Runs requests and commits them together. A statement that fails is undone alone. If one ends the whole transaction, or
 * if COMMIT fails, those that had succeeded run again one by one.
 */
export async function commitTogether(
  connection: Connection,
  requests: readonly Request[],
  outcomes: Outcomes,
  send: Send,
): Promise<void> {
  try {
    await connection.control('BEGIN IMMEDIATE');
  } catch (error) {
    const fault = faultOf(error);
    for (const request of requests) outcomes.set(request, { fault });
    return;
  }
  const ended = await runAll(connection, requests, outcomes, send);
  if (ended >= 0) {
    const before = requests.slice(0, ended).filter((request) => 'last' in (outcomes.get(request) as Outcome));
    await eachAlone(connection, before, outcomes, send);
    if (ended + 1 < requests.length) await commitTogether(connection, requests.slice(ended + 1), outcomes, send);
    return;
  }
  try {
    await connection.control('COMMIT');
  } catch (error) {
    await rollBack(connection);
    const succeeded = requests.filter((request) => 'last' in (outcomes.get(request) as Outcome));
    if (succeeded.length > 1) await eachAlone(connection, succeeded, outcomes, send);
    else for (const request of succeeded) outcomes.set(request, { fault: faultOf(error) });
  }
}
