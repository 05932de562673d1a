/** Signals that end a process, for queues that run jobs in it. */
import { ROLL, STOP } from '../core/stopmessages.js';
import { type EndSignal, isHandled } from '../endbysignal.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const satisfies EndSignal[];

/**
 * Calls `drain` at the first signal, `end` at each further one. In a worker of `--workers`, messages of the first
 * process call `drain` as well. Returns a function to call when the queue has stopped: it removes the listeners, and
 * repeats a received signal, so that it ends the process, if nothing else handles it and `stays` returns true.
 */
export function onEndOfProcess(drain: () => void, end: () => void, stays: () => boolean): () => void {
  const isSupervised = process.connected;
  let received: (typeof SIGNALS)[number] | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    // The first process also gets this signal, and decides what it means.
    if (signal === 'SIGHUP' && isSupervised) return;
    if (received === null) drain();
    else end();
    received = signal as (typeof SIGNALS)[number];
  };
  const onMessage = (message: unknown): void => {
    if (message === STOP || message === ROLL) drain();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  if (isSupervised) process.on('message', onMessage);
  return () => {
    for (const name of SIGNALS) process.off(name, onSignal);
    if (isSupervised) process.off('message', onMessage);
    if (received !== null && !isHandled(received) && stays()) process.kill(process.pid, received);
  };
}
