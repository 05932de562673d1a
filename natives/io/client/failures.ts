/** Errors of requests, in plain words. */
import { Errors, errorOf, SvcError } from '../../../vm/values/error.js';
import { connectionProblem } from '../connection.js';
import { shownUrl } from './target.js';

const TIMEOUTS = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Failures that may not occur again. */
const PASSING = new Set([
  ...TIMEOUTS,
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_SOCKET',
    'SVC_NO_TUNNEL',
  ],
]);

/** A request that failed without a response, or in the middle of one. */
export class RequestFailure extends Error {
  /** @param passing whether the same request may succeed later */
  constructor(
    readonly error: SvcError,
    readonly passing: boolean,
  ) {
    super(error.value.message);
  }
}

interface Cause {
  code?: unknown;
  message?: string;
  /** The host of the proxy, if the connection to it failed. */
  proxy?: string;
  cause?: Cause;
}

/** The failure of a request: `error` is what a package or node threw. */
export function failureOf(method: string, url: URL, error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  if (error instanceof SvcError) return new RequestFailure(error, false);
  const thrown = error as Cause;
  const { cause = thrown } = typeof thrown.code === 'string' ? {} : thrown;
  const code = typeof cause.code === 'string' ? cause.code : '';
  const type = TIMEOUTS.has(code) ? Errors.TimeoutError : Errors.ConnectionError;
  const { proxy } = cause;
  const text = TIMEOUTS.has(code)
    ? `${proxy === undefined ? url.host : `the proxy ${proxy}`} did not answer in time`
    : `cannot get an answer from ${url.host}${proxy === undefined ? '' : ` through the proxy ${proxy}`}: ${connectionProblem(code, cause.message ?? '')}`;
  return new RequestFailure(errorOf(type, `${text} (${method} ${shownUrl(url)})`), PASSING.has(code));
}

/** A failure that is found in a response. */
export function refused(method: string, url: URL, reason: string): RequestFailure {
  return failureOf(method, url, new Error(reason));
}
