/** Statements in autocommit mode that share one COMMIT, each with an outcome of its own. */
import type { Connection, Part } from './connection.js';
import { CancelledFault, faultOf } from './faults.js';
import type { Fault, Request } from './protocol.js';

/** The parts of a request's answer, or why it failed. */
export type Outcome = { readonly parts: readonly Part[] } | { readonly fault: Fault };

export type Outcomes = Map<Request, Outcome>;

async function rollBack(connection: Connection): Promise<void> {
  if (connection.isInTransaction()) await connection.control('ROLLBACK');
}

async function parts(connection: Connection, request: Request): Promise<Part[]> {
  const before: Part[] = [];
  const last = await connection.handle(request, (part) => void before.push(part));
  return [...before, last];
}

async function eachAlone(connection: Connection, requests: readonly Request[], outcomes: Outcomes): Promise<void> {
  for (const request of requests) await commitTogether(connection, [request], outcomes);
}

/** Runs requests in the open transaction. Returns the index of the one that ended it, or -1. */
async function runAll(connection: Connection, requests: readonly Request[], outcomes: Outcomes): Promise<number> {
  for (const [index, request] of requests.entries()) {
    try {
      if (connection.wasCancelled(request.id)) throw new CancelledFault();
      outcomes.set(request, { parts: await parts(connection, request) });
      if (!connection.wasCancelled(request.id)) continue;
      // It ran to its end, but has to be undone: without it, the others run again.
      await connection.control('ROLLBACK');
      throw new CancelledFault();
    } catch (error) {
      const fault = connection.wasCancelled(request.id) ? faultOf(new CancelledFault()) : faultOf(error);
      outcomes.set(request, { fault });
      if (!connection.isInTransaction()) return index;
    }
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
): Promise<void> {
  try {
    await connection.control('BEGIN IMMEDIATE');
  } catch (error) {
    const fault = faultOf(error);
    for (const request of requests) outcomes.set(request, { fault });
    return;
  }
  const ended = await runAll(connection, requests, outcomes);
  if (ended >= 0) {
    const before = requests.slice(0, ended).filter((request) => 'parts' in (outcomes.get(request) as Outcome));
    await eachAlone(connection, before, outcomes);
    if (ended + 1 < requests.length) await commitTogether(connection, requests.slice(ended + 1), outcomes);
    return;
  }
  try {
    await connection.control('COMMIT');
  } catch (error) {
    await rollBack(connection);
    const succeeded = requests.filter((request) => 'parts' in (outcomes.get(request) as Outcome));
    if (succeeded.length > 1) await eachAlone(connection, succeeded, outcomes);
    else for (const request of succeeded) outcomes.set(request, { fault: faultOf(error) });
  }
}
