import { native } from '../../../vm/calls/native.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Errors, fail, type TraceLine } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { quote } from '../../../vm/values/text/text.js';
import { NO_POSITIONS } from '../config/level.js';
import type { App } from './app.js';

/** A route that the library answers itself. */
interface Endpoint {
  /** GET if missing. */
  readonly method?: string;
  readonly pattern: string;
  /** Where the program added it. */
  readonly place: TraceLine | null;
  /** Called with the VM and the request; returns a Response. */
  readonly answer: NativeFunction['impl'];
}

/**
 * Adds a route to the endpoints of an application. Middleware and filters run before it, so what guards the routes
 * guards it too. Returns its handler. @throws ValueError for a malformed pattern
 */
export function addEndpoint(
  vm: NativeContext,
  app: App,
  { method = 'GET', pattern, place, answer }: Endpoint,
): NativeFunction {
  const handler = native('endpoint', 'request: Any', 'SvcResponse', 'Answers with a page of the library.', answer);
  const route = { method, pattern, handler, place, finish: false, levels: NO_POSITIONS, streamsBody: false };
  app.addRoute(vm, route, 'endpoints');
  return handler;
}

/**
 * Checks the path of a page, the argument `name` of the method `method`. `example` is shown in the error.
 * @throws ValueError
 */
export function checkPagePath(method: string, name: string, path: string, example: string): void {
  if (!/^\/[\w.~/-]*$/.test(path))
    fail(Errors.ValueError, `SvcApp.${method}(): ${name} must be a path such as "${example}", got ${quote(path)}`);
}

/** A page's path without slashes at its end, to which paths below the page are appended; and the page's own pattern. */
export function pagePath(path: string): { base: string; pattern: string } {
  const base = path.replace(/\/+$/, '');
  return { base, pattern: base === '' ? '/' : base };
}
