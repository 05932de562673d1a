import { Errors, fail, SvcError } from '../../vm/values/error.js';
import type { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions, type Num, type Row } from '../core/declare.js';
import type { DurationValue } from '../core/dates/duration.js';
import { connectionProblem } from './connection.js';
import { requestOf, type Wanted } from './httprequest.js';
import { httpResponseMethods, readResponse } from './httpresponse.js';
import { urlRows } from './urls.js';
import { waitForOperation } from './waiting.js';

const TIMEOUTS = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Raises a `fetch` error with a plain message. */
function failHttp(host: string, error: unknown): never {
  if (error instanceof SvcError) throw error;
  // fetch always says "fetch failed"; the reason is the error's cause.
  const { cause = error } = error as { cause?: NodeJS.ErrnoException };
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (TIMEOUTS.has(code)) fail(Errors.TimeoutError, `${host} did not answer in time`);
  return fail(Errors.ConnectionError, `cannot get an answer from ${host}: ${connectionProblem(code, message)}`);
}

function request(vm: NativeContext, wanted: Wanted, seconds: Num | DurationValue | null): undefined {
  const { url, init } = requestOf(wanted);
  return waitForOperation(
    vm,
    'http',
    async (signal) => {
      try {
        return await readResponse(vm, await fetch(url, { ...init, signal }), signal);
      } catch (error) {
        // The caller no longer waits.
        if (signal.aborted) return null;
        return failHttp(url.host, error);
      }
    },
    seconds,
  );
}

function withoutBody(
  vm: NativeContext,
  url: string,
  headers: Hash | null,
  seconds: Num | DurationValue | null,
  follow: boolean,
): undefined {
  return request(vm, { method: 'GET', url, headers, follow, body: null, json: null, form: null }, seconds);
}

/** A function that sends a request with a body. */
function sender(method: string, doc: string): Row {
  const impl = (
    vm: NativeContext,
    url: string,
    body: Value,
    headers: Hash | null,
    json: Value,
    form: Hash | null,
    seconds: Num | DurationValue | null,
    follow: boolean,
  ): undefined => request(vm, { method, url, body, headers, json, form, follow }, seconds);
  return [
    `http_${method.toLowerCase()}`,
    'url: String, body: Any = nil, headers: Hash? = nil, json: Any = nil, form: Hash? = nil, timeout: Number|Duration? = 30, follow: Boolean = true',
    'HttpResponse',
    doc,
    impl,
  ];
}

/** Requests to other servers, and URL encoding. */
// prettier-ignore
export const http = [
  ...functions([
    ['http_get', 'url: String, headers: Hash? = nil, timeout: Number|Duration? = 30, follow: Boolean = true', 'HttpResponse', 'Sends a GET request and waits for the response, at most `timeout` seconds, or a Duration; follows redirects unless `follow` is false.', withoutBody],
    sender('POST', 'Sends a POST request with a text, a value as JSON or a form, and waits for the response.'),
    sender('PUT', 'Sends a PUT request with a text, a value as JSON or a form, and waits for the response.'),
    sender('PATCH', 'Sends a PATCH request with a text, a value as JSON or a form, and waits for the response.'),
    sender('DELETE', 'Sends a DELETE request and waits for the response.'),
    ...urlRows,
  ]),
  ...httpResponseMethods,
];
