import type { NativeContext } from '../../vm/nativecontext.js';

/** What a thread works for. It is the `context` of its fiber; threads that it starts inherit it. */
export interface Work {
  /** Identifier of the request or the WebSocket's handshake; null outside of both. */
  readonly requestId: string | null;
  /** Identifiers of the innermost open span, in hexadecimal; null without tracing. */
  readonly span: { readonly traceId: string; readonly spanId: string } | null;
}

/** What the running thread works for; null: for the program itself. */
export function workOf(vm: NativeContext): Work | null {
  return (vm.scheduler.current?.context ?? null) as Work | null;
}
