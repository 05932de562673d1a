import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { within } from '../within.js';

/** Milliseconds that a program waits at its end for what is still to be written or sent, and for what is ended after that. */
const FLUSH_MS = 2000;

type Endings = Set<() => Promise<unknown>>;

/** Functions that write or send what waits, called when the program has ended. */
export const ENDINGS = new ModuleState<Endings, NativeContext>(() => new Set());

/** Functions that end what those of ENDINGS use, called after them. */
export const LAST_ENDINGS = new ModuleState<Endings, NativeContext>(() => new Set());

async function settled(endings: Endings): Promise<void> {
  const all = Promise.allSettled([...endings].map((end) => end()));
  await within(FLUSH_MS, all, () => null);
}

/** Calls `then` once the functions of ENDINGS and LAST_ENDINGS have settled or taken too long, at once if there are none. */
export function whenFlushed(vm: NativeContext, then: () => void): void {
  const [first, last] = [ENDINGS.of(vm), LAST_ENDINGS.of(vm)];
  if (first.size === 0 && last.size === 0) {
    then();
    return;
  }
  void settled(first)
    .then(() => settled(last))
    .then(then);
}

let isToldToEnd = false;

/** Notes that a signal or a supervisor tells the process to end, which then must not wait for others without limit. */
export function tellToEnd(): void {
  isToldToEnd = true;
}

export function wasToldToEnd(): boolean {
  return isToldToEnd;
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
