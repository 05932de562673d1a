/** The end of the process by a signal that nothing else handles, such as a server, which finishes its work first. */
import { constants } from 'node:os';
import { tellToEnd, wasToldToEnd } from './core/ending.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** Milliseconds that `ensure` blocks of a program have after a signal. */
const GRACE_MS = 10_000;

/** Number of callers of `exitOnSignals` whose function has not been called. */
let callers = 0;
/** Ends the program of this process with an exit code, so that its `ensure` blocks run; null without one. */
let endProgram: ((code: number) => void) | null = null;

/** Whether anything but this module handles a signal. */
export function isHandled(signal: EndSignal): boolean {
  return process.listenerCount(signal) > process.listeners(signal).filter((listener) => listener === onSignal).length;
}

function onSignal(signal: NodeJS.Signals): void {
  if (isHandled(signal as EndSignal)) return;
  const code = 128 + constants.signals[signal];
  // A second signal ends the process at once.
  if (endProgram === null || wasToldToEnd()) {
    endBySignal(signal, code);
    process.exit(code);
  }
  tellToEnd();
  endBySignal(signal, code);
  setTimeout(() => process.exit(code), GRACE_MS).unref();
  endProgram(code);
}

/** Makes the system report that the signal has ended the process, if it ends with `code`: callers tell it apart. */
function endBySignal(signal: NodeJS.Signals, code: number): void {
  process.once('exit', (actual) => {
    if (actual !== code) return;
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  });
}

/**
 * Makes listeners of `exit` run before a signal ends the process, until the returned function is called. They must be
 * added with `prependListener`.
 */
export function exitOnSignals(): () => void {
  if (callers++ === 0) for (const name of SIGNALS) process.on(name, onSignal);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--callers === 0) for (const name of SIGNALS) process.off(name, onSignal);
  };
}

/** Makes the first signal call `end` with an exit code. The process ends at the second one, or GRACE_MS later. */
export function endProgramOnSignals(end: (code: number) => void): void {
  exitOnSignals();
  endProgram = end;
}
