import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { TraceLine } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';

/** A session saved by a request's fiber. */
export interface SavedSession {
  /** The response that carries its cookie. */
  readonly response: object;
  /** null if the contents are in a store. */
  readonly json: string | null;
  /** Place in the program that saved it. */
  readonly place: TraceLine | null;
}

/**
 * Number of `save` calls whose place is recorded. In compiled code finding the place costs as much as the rest of the
 * call, and a handler that saves on the wrong response does so from its first request.
 */
const NOTED = 1000;
const saves = new WeakMap<NativeContext, number>();

/** The place in the program that is saving a session; null once NOTED places have been recorded. */
export function savedAt(vm: NativeContext): TraceLine | null {
  const count = saves.get(vm) ?? 0;
  if (count === NOTED) return null;
  saves.set(vm, count + 1);
  return vm.position();
}

/**
 * Warns, once for each place in the program, about sessions whose cookies are lost because another response was sent.
 */
export function warnOfLostSessions(vm: NativeContext, saved: readonly SavedSession[], sent: object): void {
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
