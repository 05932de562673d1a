import { Errors, fail } from '../../../vm/values/error.js';
import { visible } from '../../../vm/values/text/visible.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';
import type { Answered } from '../request/exchange.js';

/** Formats one line of the access log as JSON, with the fields in reading order. */
function line({ request: { parts }, route, status, bytes, startedAt }: Answered): string {
  const text = JSON.stringify({
    time: new Date().toISOString(),
    id: parts.id,
    ip: parts.remoteAddress,
    method: parts.method,
    path: parts.path,
    route: route?.pattern ?? null,
    status,
    bytes,
    ms: Math.round((performance.now() - startedAt) * 100) / 100,
  });
  // JSON.stringify does not escape these characters; written as \u escapes the line is still valid JSON.
  return visible(text);
}

/**
 * Native `app.log(:access)`: writes a JSON line to stdout after each request. Its status is 499 when the client
 * disconnected before the answer.
 */
export function enableLog(vm: NativeContext, app: App, what: string): void {
  if (what !== 'access') fail(Errors.ArgumentError, `app.log() supports only "access", got "${what}"`);
  app.observers.push((exchange) => vm.host.stdout(`${line(exchange)}\n`));
}
