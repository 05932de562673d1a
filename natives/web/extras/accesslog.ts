import { Errors, fail } from '../../../vm/values/error.js';
import type { VM } from '../../../vm/vm.js';
import type { App } from '../application.js';
import type { Exchange } from '../exchange.js';

/** One line of the access log: JSON, in the order in which people read it. */
function line(exchange: Exchange): string {
  const { res, request } = exchange;
  const { parts } = request;
  return JSON.stringify({
    time: new Date().toISOString(),
    id: parts.id,
    ip: parts.remoteAddress,
    method: parts.method,
    path: parts.path,
    route: exchange.route?.pattern ?? null,
    status: res.headersSent ? res.statusCode : 499,
    bytes: exchange.bytes,
    ms: Math.round((performance.now() - exchange.startedAt) * 100) / 100,
  });
}

/** Native `app.log(:access)`: writes a JSON line to stdout for each request when it has been answered; 499 when the client went away first. */
export function enableLog(vm: VM, app: App, what: string): void {
  if (what !== 'access') fail(Errors.ArgumentError, `app.log() knows "access", got "${what}"`);
  app.observers.push((exchange) => vm.host.stdout(`${line(exchange)}\n`));
}
