/** Operations outside the VM, each known by the signal that aborts it. */

/** Contexts, mostly requests, for which operations are done. */
const contexts = new WeakMap<AbortSignal, object>();

/** What aborts an operation that is done for `context`. */
export function controllerFor(context: object | null): AbortController {
  const controller = new AbortController();
  if (context !== null) contexts.set(controller.signal, context);
  return controller;
}

/** The context of an operation, which takes turns with others. One that has none counts alone. */
export function contextOf(signal: AbortSignal): object {
  return contexts.get(signal) ?? signal;
}
