import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { within } from '../within.js';

/** Milliseconds that a program waits at its end for what is still to be written or sent. */
const FLUSH_MS = 2000;

/** Functions that write or send what waits, called when the program has ended. */
export const ENDINGS = new ModuleState<Set<() => Promise<unknown>>, NativeContext>(() => new Set());

/** Calls `then` once everything that a program wrote to logs is written, at once if there are none. */
export function whenFlushed(vm: NativeContext, then: () => void): void {
  const endings = ENDINGS.of(vm);
  if (endings.size === 0) {
    then();
    return;
  }
  const flushes = Promise.allSettled([...endings].map((flush) => flush()));
  void within(FLUSH_MS, flushes, () => null).then(then);
}

const reopeners = new Set<() => void>();

/** Calls `reopen` when files of logs have been renamed. */
export function onReopen(reopen: () => void): void {
  reopeners.add(reopen);
}

/** Opens the files of logs again: another process has renamed them. */
export function reopenLogs(): void {
  for (const reopen of reopeners) reopen();
}
