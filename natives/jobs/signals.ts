/** Signals that end a process, for queues that work off jobs in it. */
import { ROLL, STOP } from '../core/stopmessages.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `drain` at the first signal and `end` at the second one. A supervisor of workers sends messages instead, which
 * tell them to stop. Returns a function for the end of the work: it removes the listeners, and lets a signal that came
 * and that nothing else handles end the process if `stays`.
 */
export function onEndOfProcess(drain: () => void, end: () => void, stays: () => boolean): () => void {
  const isSupervised = process.connected;
  let received: (typeof SIGNALS)[number] | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    // The supervisor decides what a closed terminal means.
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
    if (received !== null && process.listenerCount(received) === 0 && stays()) process.kill(process.pid, received);
  };
}
