import type { VM } from '../vm.js';

/**
 * Turns of the event loop after which what threads have sent over connections inside of the process has arrived, if no
 * thread has run meanwhile.
 */
const TURNS = 25;

/**
 * Parts of data that have been written to connections inside of the process, and ends of such connections; and how many
 * of them have certainly arrived.
 */
const transfers = { count: 0, arrived: 0 };

/** Notes that something is on its way over a connection inside of the process: data, or the end of the connection. */
export function noteTransfer(): void {
  transfers.count++;
}

/** Threads that answer what others have sent. */
const ANSWERING = new Set(['request', 'websocket', 'stream']);

/**
 * What ends the waits of a quiet VM: time and other threads only; those, and data on its way through the event loop; or
 * something outside of the process. Threads that serve and those that wait for answers count only while a request is
 * handled: otherwise answers may depend on files and packages that are being loaded.
 */
export function quietness({ scheduler }: VM): 'inside' | 'loop' | 'outside' {
  if (scheduler.unattended > 0) return 'outside';
  let expects = false;
  let loops = false;
  let answers = false;
  for (const { waitEndedBy, name } of scheduler.live) {
    if (waitEndedBy === 'outside') return 'outside';
    if (waitEndedBy === 'signal') expects = true;
    else {
      if (waitEndedBy === 'loop') expects = loops = true;
      if (ANSWERING.has(name)) answers = true;
    }
  }
  if (expects && !answers) return 'outside';
  // What is on its way may wake a thread that answers, or end it.
  return loops || (answers && transfers.arrived !== transfers.count) ? 'loop' : 'inside';
}

/**
 * Calls `then` when the event loop has turned TURNS times since data moved and work in steps ended, unless a thread runs
 * meanwhile.
 */
export function whenSettled({ scheduler, host, longWork }: VM, then: () => void): void {
  const { slices } = scheduler.stats;
  let turns = 0;
  let moved = transfers.count;
  const look = (): void => {
    if (scheduler.stats.slices !== slices || !scheduler.isQuiet) return;
    if (moved !== transfers.count || !longWork.isIdle) {
      moved = transfers.count;
      turns = 0;
    }
    if (++turns < TURNS) host.defer(look);
    else {
      transfers.arrived = transfers.count;
      then();
    }
  };
  host.defer(look);
}
