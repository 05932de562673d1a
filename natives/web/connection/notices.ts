import type { VM } from '../../../vm/vm.js';

/** Milliseconds until the same notice may be written again. */
const AGAIN_MS = 60_000;

/** When each notice was written last, by application. */
const written = new WeakMap<object, Map<string, number>>();

/** Writes a warning to stderr, at most once a minute for each `what`: a client that can cause it must not fill the log. */
export function notice(vm: VM, app: object, what: string, text: string): void {
  let times = written.get(app);
  if (times === undefined) written.set(app, (times = new Map()));
  const now = performance.now();
  if (now - (times.get(what) ?? -Infinity) < AGAIN_MS) return;
  times.set(what, now);
  vm.host.stderr(`warning: ${text}\n`);
}
