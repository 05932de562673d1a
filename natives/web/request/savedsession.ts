import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { TraceLine } from '../../../vm/values/error.js';
import type { VM } from '../../../vm/vm.js';

/** A session that a request's thread has saved. */
export interface SavedSession {
  /** The response that carries its cookie. */
  readonly response: object;
  readonly json: string;
  /** Where the program saved it. */
  readonly place: TraceLine | null;
}

/**
 * Calls of `save` of which the place is noted. It takes as long to find out in compiled code as all the rest, and a handler that saves on the wrong
 * response does so from its first request on.
 */
const NOTED = 1000;
const saves = new WeakMap<VM, number>();

/** Where the program saves a session just now; null when it has done so often. */
export function savedAt(vm: VM): TraceLine | null {
  const count = saves.get(vm) ?? 0;
  if (count === NOTED) return null;
  saves.set(vm, count + 1);
  return vm.position();
}

/** Warns of sessions whose cookies nobody gets because another response was sent; once for each place of the program. */
export function warnOfLostSessions(vm: VM, saved: readonly SavedSession[], sent: object): void {
  for (const { response, place } of saved) {
    if (response === sent) continue;
    const where = place === null ? 'an unknown place' : `${place.file}:${place.line}`;
    const warned = WARNED_PLACES.of(vm);
    if (warned.has(where)) continue;
    warned.add(where);
    vm.host.stderr(
      `warning: ${where}: the session was saved on a response that was not returned, so its cookie is lost; save it on the one that is\n`,
    );
  }
}

/** Places of the program that were warned of. */
const WARNED_PLACES = new ModuleState(() => new Set<string>());
