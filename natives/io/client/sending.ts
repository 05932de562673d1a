/** A request with its redirections and repetitions. */
import { contextOf, controllerFor } from '../../../vm/fibers/operations.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Errors, errorOf } from '../../../vm/values/error.js';
import { findHeader } from '../../http/headers.js';
import type { DurationValue } from '../../core/dates/duration.js';
import type { Num } from '../../core/declare.js';
import type { Content } from './content.js';
import { ACCEPTED, BadCoding, decoded } from './decoding.js';
import { failureOf, RequestFailure, refused } from './failures.js';
import type { Jar } from './jar.js';
import { OpenBody } from './body.js';
import { HttpResponse, responseFields } from './response.js';
import type { Incoming, Route } from './route.js';
import { type Fields, isBadPort, isHttp, shownUrl } from './target.js';

/** A request, ready to be sent. */
export interface Job {
  readonly method: string;
  readonly url: URL;
  readonly fields: Fields;
  /** Names of fields that are for the first origin only, besides those of CREDENTIALS. */
  readonly own: readonly string[];
  readonly content: Content | null;
  readonly follow: number;
  readonly retries: number;
  readonly timeout: Num | DurationValue | null;
  /** Monotonic milliseconds at which the timeout expires; Infinity for none. */
  readonly endsAt: number;
  readonly maxBytes: number;
  readonly stream: boolean;
  readonly route: Route;
  readonly jar: Jar | null;
  /** Address of the cookies: a client inside of the process may send those for HTTPS. */
  readonly cookieUrl: (url: URL) => string;
}

/** Fields that are not sent to another origin. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization', 'host'];
/** Fields that describe a body. */
const OF_CONTENT = ['content-type', 'content-encoding', 'content-language', 'content-location', 'content-length'];
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Methods that may be repeated (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
/** Statuses of servers that may answer differently later. */
const TRY_LATER = new Set([429, 502, 503, 504]);
/** Milliseconds before the first repetition, doubled each time, and their maximum. */
const FIRST_DELAY = 200;
const MAX_DELAY = 20_000;
/** Bytes of a body without use that are read so that its connection can be used again. */
const DUMPED = 16 * 1024;

/** Sends a request; repeats it if that may help. @throws RequestFailure */
export async function sendRequest(vm: NativeContext, job: Job, signal: AbortSignal): Promise<HttpResponse> {
  await job.jar?.open();
  for (let attempt = 0; ; attempt++) {
    const mayRepeat = attempt < job.retries && IDEMPOTENT.has(job.method);
    let last: HttpResponse | RequestFailure;
    try {
      last = await answered(vm, job, signal);
    } catch (error) {
      last = failureOf(job.method, job.url, error);
    }
    const delay = mayRepeat ? delayBefore(last, attempt, () => vm.host.random()) : null;
    if (delay === null || signal.aborted || performance.now() + delay > job.endsAt) {
      if (last instanceof RequestFailure) throw last;
      return last;
    }
    if (last instanceof HttpResponse) last.close();
    await pause(delay, signal);
  }
}

/** Milliseconds before a request is repeated; null if that would not help. */
function delayBefore(last: HttpResponse | RequestFailure, attempt: number, random: () => number): number | null {
  // Between half and all of the delay, so that clients do not return at the same time.
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** attempt) * (0.5 + random() / 2);
  if (last instanceof RequestFailure) return last.passing ? delay : null;
  if (!TRY_LATER.has(last.status)) return null;
  const wanted = retryAfter(last.headers.get('retry-after'));
  return wanted === null ? delay : Math.max(delay, wanted);
}

/** Milliseconds of a Retry-After field: seconds or a date (RFC 9110, 10.2.3). */
function retryAfter(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Real time, also under a virtual clock, because the network is real. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, 0x7fffffff));
    signal.addEventListener('abort', done);
  });
}

/** Sends a request once, and again to where it is redirected. */
async function answered(vm: NativeContext, job: Job, signal: AbortSignal): Promise<HttpResponse> {
  let { method, url, content } = job;
  const fields: Fields = new Map(job.fields);
  for (let hops = 0; ; hops++) {
    // A streamed body outlives `signal`.
    const controller = controllerFor(contextOf(signal));
    const abort = (): void => controller.abort();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      const incoming = await sendOnce(job, method, url, fields, content, controller.signal);
      const next = job.follow > 0 ? redirection(method, url, incoming) : null;
      if (next === null) return await responseTo(vm, job, method, url, incoming, controller);
      discard(incoming);
      if (hops >= job.follow) throw refused(job.method, job.url, 'too many redirections');
      if (next.method !== method) {
        content = null;
        for (const name of OF_CONTENT) fields.delete(name);
      }
      if (next.url.origin !== url.origin) for (const name of [...CREDENTIALS, ...job.own]) fields.delete(name);
      ({ method, url } = next);
    } catch (error) {
      controller.abort();
      throw failureOf(method, url, error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

async function sendOnce(
  { route, jar, cookieUrl }: Job,
  method: string,
  url: URL,
  fields: Fields,
  content: Content | null,
  signal: AbortSignal,
): Promise<Incoming> {
  if (isBadPort(url)) throw new Error('bad port');
  const cookies = [jar?.header(cookieUrl(url)) ?? '', fields.get('cookie') ?? '']
    .filter((text) => text !== '')
    .join('; ');
  const sent = new Map(fields);
  if (cookies !== '') sent.set('cookie', cookies);
  if (!sent.has('accept')) sent.set('accept', '*/*');
  if (!sent.has('accept-encoding')) sent.set('accept-encoding', ACCEPTED);
  if (content !== null) sent.set('content-length', String(content.length));
  const body = content === null || content.length === 0 ? null : content.parts;
  const request = { method, url, fields: [...sent].flat(), body };
  const incoming = await sentAgain(() => route.send(request, signal), method);
  jar?.take(cookieUrl(url), valuesOf(incoming.fields, 'set-cookie'));
  return incoming;
}

/**
 * Sends a request a second time if its connection has been closed by the server, which may close idle connections at
 * any time (RFC 9110, 9.2.2).
 */
async function sentAgain(send: () => Promise<Incoming>, method: string): Promise<Incoming> {
  try {
    return await send();
  } catch (error) {
    const { code, socket } = error as { code?: string; socket?: { bytesRead?: number } };
    const wasUsed = code === 'UND_ERR_SOCKET' && (socket?.bytesRead ?? 0) > 0;
    if (!wasUsed || !IDEMPOTENT.has(method)) throw error;
    return send();
  }
}

/** All values of a field. */
function valuesOf(fields: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) if (fields[i].toLowerCase() === name) values.push(fields[i + 1]);
  return values;
}

/** The next request, by the rules of the Fetch standard; null if the response is no redirection. */
function redirection(method: string, url: URL, { status, fields }: Incoming): { method: string; url: URL } | null {
  const [field] = valuesOf(fields, 'location');
  if (!REDIRECTS.has(status) || field === undefined) return null;
  // Fields are Latin-1; the bytes of a location are requested as they were sent, which are UTF-8 in most cases.
  const location = field.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  const target = URL.canParse(location, url.href) ? new URL(location, url.href) : null;
  if (target === null) throw new Error(`it redirects to ${JSON.stringify(location.slice(0, 100))}, which is no URL`);
  if (!isHttp(target))
    throw new Error(
      `it redirects to a URL of ${target.protocol.slice(0, 100)}, but only http and https can be requested`,
    );
  target.username = target.password = '';
  if (target.hash === '') target.hash = url.hash;
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST');
  return { method: becomesGet ? 'GET' : method, url: target };
}

/** Reads a body that is not needed, or closes its connection if it is long. */
function discard({ body }: Incoming): void {
  const { dump } = body as { dump?: (options: { limit: number }) => Promise<unknown> };
  if (dump === undefined) body.destroy();
  else void dump.call(body, { limit: DUMPED }).catch(() => {});
}

async function responseTo(
  vm: NativeContext,
  job: Job,
  method: string,
  url: URL,
  incoming: Incoming,
  controller: AbortController,
): Promise<HttpResponse> {
  const { status, body, fields } = incoming;
  const headers = responseFields(fields);
  const coding = findHeader(headers, 'content-encoding') ?? '';
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  const named = shownUrl(url);
  const open = new OpenBody(decoded(body, hasBody ? coding : ''), controller, {
    maxBytes: job.maxBytes,
    tooLarge: () => errorOf(Errors.MemoryError, `the response from ${named} is larger than ${job.maxBytes} bytes`),
    failed: (error) =>
      error instanceof BadCoding ? refused(method, url, error.message) : failureOf(method, url, error),
  });
  const head = { url, status, fields: headers, cookies: valuesOf(fields, 'set-cookie'), failure: incoming.failure };
  const response = new HttpResponse(head, open, { timeout: job.timeout, endedBy: job.route.endedBy });
  if (!job.stream) await response.load(vm, controller.signal);
  return response;
}
