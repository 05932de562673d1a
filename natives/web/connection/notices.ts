import type { NativeContext } from '../../../vm/nativecontext.js';

/** Milliseconds until the same notice may be repeated. */
const AGAIN_MS = 60_000;

/** Time at which each notice was last written, by application. */
const written = new WeakMap<object, Map<string, number>>();

/** Writes a warning to stderr, at most once a minute for each `what`, so that a client cannot flood the log. */
export function notice(vm: Pick<NativeContext, 'host'>, app: object, what: string, text: string): void {
  let times = written.get(app);
  if (times === undefined) written.set(app, (times = new Map()));
  const now = performance.now();
  if (now - (times.get(what) ?? -Infinity) < AGAIN_MS) return;
  times.set(what, now);
  vm.host.stderr(`warning: ${text}\n`);
}
