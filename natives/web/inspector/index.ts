import type { TraceLine } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';
import { addEndpoint, pagePath } from '../app/endpoint.js';
import { INSPECTION } from '../app/inspection.js';
import { notice } from '../connection/notices.js';
import { DEV_HOST, isDeveloper } from '../dev/devhost.js';
import type { Exchange } from '../request/exchange.js';
import { HTML, Response, TEXT } from '../response/response.js';
import { Inspector } from './inspector.js';
import { PAGE, POLICY } from './page.js';

const inspectors = new WeakMap<NativeContext, Inspector>();

/**
 * Observes the requests of a program. Answers `path` with a page that shows them, and `path`/data with the data of the
 * page as JSON.
 */
export function inspect(vm: NativeContext, app: App, path: string, place: TraceLine | null): void {
  let inspector = inspectors.get(vm);
  if (inspector === undefined) {
    inspector = new Inspector(vm, place?.file ?? '');
    inspectors.set(vm, inspector);
    INSPECTION.set(vm, inspector);
  }
  const { answers } = inspector;
  const add = (pattern: string, make: () => Response): void => {
    const handler = addEndpoint(vm, app, { pattern, place, answer: notFound });
    answers.set(handler, (exchange) => forDeveloper(vm, app, exchange, make));
  };
  const { base, pattern: own } = pagePath(path);
  const data = (): Response => new Response(200, JSON.stringify(inspector.data()), 'application/json');
  add(own, () => {
    const response = new Response(200, PAGE, HTML);
    response.addField('Content-Security-Policy', POLICY);
    return response;
  });
  add(`${base}/data`, data);
}

function notFound(): Response {
  return new Response(404, 'Not Found', TEXT);
}

/** Returns the response of `make` if a developer requests it in development; otherwise a response with 404. */
function forDeveloper(vm: NativeContext, app: App, { req }: Exchange, make: () => Response): Response {
  if (!isDeveloper(req)) {
    if (DEV_HOST.of(vm) !== null)
      notice(
        vm,
        app,
        'inspector',
        'the page of app.inspect answers only requests that a browser on this machine sends to localhost, without a proxy',
      );
    return notFound();
  }
  if (DEV_HOST.of(vm) === null)
    return new Response(
      404,
      `Not Found: this page is shown in development, with svcc run --dev. In a terminal, svcc top ${process.pid} shows the same.\n`,
      TEXT,
    );
  const response = make();
  response.addField('Cache-Control', 'no-store');
  response.addField('X-Content-Type-Options', 'nosniff');
  response.addField('Cross-Origin-Resource-Policy', 'same-origin');
  return response;
}
