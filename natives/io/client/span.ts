import type { NativeContext } from '../../../vm/nativecontext.js';
import { childSpan, type Span } from '../../core/tracing.js';
import { RequestFailure } from './failures.js';
import type { Fields } from './target.js';

/**
 * Opens the span of a request to another server, or of the handshake of a WebSocket, and adds the fields that continue
 * its trace there unless the program has set them; null without tracing.
 */
export function requestSpan(vm: NativeContext, method: string, url: URL, fields: Fields): Span | null {
  const span = childSpan(vm, method, 'client', () => ({
    'http.request.method': method,
    'server.address': url.hostname.replace(/^\[(.*)\]$/, '$1'),
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    // Without name, password and query, which may be secret.
    'url.full': `${url.origin}${url.pathname}`,
  }));
  if (span !== null && !fields.has('traceparent'))
    for (const [name, value] of Object.entries(span.headers)) fields.set(name, value);
  return span;
}

/** Sends a request, with its redirections and repetitions, and ends its span. */
export async function inSpan<T extends { status: number }>(span: Span | null, send: () => Promise<T>): Promise<T> {
  if (span === null) return send();
  try {
    const response = await send();
    span.set({ 'http.response.status_code': response.status });
    if (response.status >= 400) span.failed(String(response.status));
    return response;
  } catch (error) {
    span.failed(error instanceof RequestFailure ? error.error.value : 'cancelled');
    throw error;
  } finally {
    span.end();
  }
}
