import { native } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { inspect } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { currentRequest, requestOf } from '../request/current.js';
import type { Request } from '../request/request.js';
import { Response } from './response.js';

/** Own host of a request without a Host header. */
const NO_HOST = 'svc.invalid';
/** Characters of a body up to which its escapes are decoded. */
const MAX_DECODED = 65_536;
/** The host of an address as it is written, after a scheme and slashes of either kind. */
const WRITTEN_HOST = /^\s*(?:[a-z][a-z0-9+.-]*:)?[\\/]*([^\\/?#]*)/i;

/** An address as browsers read it, relative to the request; null if it is none. */
function addressOf(location: string, request: Request): URL | null {
  const base = `${request.isHttps ? 'https' : 'http'}://${request.header('host') ?? NO_HOST}/`;
  return URL.canParse(location, base) ? new URL(location, base) : null;
}

/**
 * Whether browsers may read an address with a scheme in two ways: without two slashes it is a path at a page of this
 * scheme, else another host (WHATWG URL, 4.4). A proxy may have hidden the scheme of the page.
 */
function isAmbiguous(location: string): boolean {
  // Browsers remove tabs and line ends anywhere, and blanks and control characters at the start.
  return /^[\0-\x20]*[a-z][a-z0-9+.-]*:(?![\\/]{2})/i.test(location.replace(/[\t\r\n]/g, ''));
}

/** Whether an address stays at the host that the request was sent to. */
function isOwn({ protocol, host }: URL, request: Request): boolean {
  if (!/^https?:$/.test(protocol)) return false;
  const own = (request.header('host') ?? NO_HOST).toLowerCase();
  return host === own.replace(protocol === 'https:' ? /:443$/ : /:80$/, '');
}

/** Texts that the client has chosen, in lower case: path, query, form, body. */
function sourcesOf(request: Request): string[] {
  const { params, form } = request;
  const values = [...request.queryPairs().map(([, value]) => value), ...params.values(), ...form.values()];
  const { body } = request;
  const text = body.length <= MAX_DECODED ? body.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => decoded(hex)) : body;
  return [request.parts.query, text.replaceAll('\\/', '/'), ...values.map(String)].map((source) =>
    source.toLowerCase(),
  );
}

function decoded(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** Whether the client has chosen where an address leads: the address or its host stands in the request. */
function isChosenByClient(location: string, address: URL | null, request: Request): boolean {
  const wanted = [location, WRITTEN_HOST.exec(location)?.[1] ?? '', address?.host ?? '']
    .map((text) => text.trim().toLowerCase())
    .filter((text) => text !== '');
  const sources = sourcesOf(request);
  // Escapes in a long body are not decoded: any of them may write the host.
  if (request.body.length > MAX_DECODED && request.body.includes('\\u')) return true;
  return wanted.some((text) => sources.some((source) => source.includes(text)));
}

function redirect(vm: NativeContext, location: string, status: Value, external: boolean): Response {
  const request = external ? null : requestOf(vm);
  if (request !== null) {
    const address = addressOf(location, request);
    const isForeign = address === null || isAmbiguous(location) || !isOwn(address, request);
    if (isForeign && isChosenByClient(location, address, request))
      fail(
        Errors.ValueError,
        `redirect(): the request itself names ${inspect(location)}, which leads to another site; check it against the hosts that you allow, then pass external: true`,
      );
  }
  return responseTo('redirect()', location, status);
}

/** Whether a status goes with a Location: 201 names what was made, the others send the client elsewhere (RFC 9110 section 10.2.2). */
function hasLocation(status: Value): status is number {
  return Number.isInteger(status) && (status === 201 || ((status as number) >= 300 && (status as number) <= 399));
}

function responseTo(what: string, location: string, status: Value): Response {
  if (!hasLocation(status))
    return fail(Errors.ValueError, `${what}: status must be 201 or from 300 to 399, got ${inspect(status)}`);
  const response = new Response(status, '', null);
  response.addField('Location', location);
  return response;
}

/** Path and query of the page that sent the request; null if it is unknown or of another host. */
function previousPage(request: Request): string | null {
  const referer = request.header('referer');
  if (referer === null || !URL.canParse(referer)) return null;
  const address = new URL(referer);
  if (!isOwn(address, request)) return null;
  const { pathname, search } = address;
  // Two slashes would begin a host.
  return /^\/[\\/]/.test(pathname) ? null : `${pathname}${search}`;
}

function redirectBack(vm: NativeContext, fallback: string, status: Value): Response {
  const what = 'redirect_back()';
  return responseTo(what, previousPage(currentRequest(vm, what)) ?? fallback, status);
}

/** `redirect` and `redirect_back`. */
// prettier-ignore
export const redirectNatives: NativeFunction[] = [
  native('redirect', 'location: String, status: Any = 302, external: Boolean = false', 'SvcResponse', 'A redirect to another address. ValueError if the request itself has named another site, unless `external`, and for a status other than 201 and 300 to 399.', redirect),
  native('redirect_back', 'fallback: String = "/", status: Any = 303', 'SvcResponse', 'A redirect to the page of this site that sent the request, or to `fallback`.', redirectBack),
];
