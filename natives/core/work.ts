import type { NativeContext } from '../../vm/nativecontext.js';

/** What a thread works for, such as a request: the `context` of its fiber. */
export interface Work {
  /** Identifier of the request, or of the handshake of a WebSocket. */
  readonly requestId: string;
  /** The route that the thread serves, such as `GET /users/:id`, for profiles and the inspector. */
  readonly label: string;
  /** Fuel used by its threads, if an inspector counts it (`Scheduler.onFuel`). */
  fuelUsed: number;
}

/** Identifiers of a span in hexadecimal: the `span` of a fiber. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** What the running thread works for; null: for the program itself. */
export function workOf(vm: NativeContext): Partial<Work> | null {
  return vm.scheduler.current?.context ?? null;
}

/** The innermost span that is open around the running thread; null without tracing. */
export function spanOf(vm: NativeContext): SpanIds | null {
  return (vm.scheduler.current?.span ?? null) as SpanIds | null;
}
