/** Clients: requests with the same options, connections and cookies. */
import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { inSeconds } from '../../core/dates/duration.js';
import type { Row } from '../../core/declare.js';
import { decodePercent } from '../../http/percent.js';
import { LimitedMap } from '../../limitedmap.js';
import { milliseconds, waitForOperation } from '../waiting.js';
import { checkCertificates } from './certificates.js';
import { eventsOf, HttpEvents } from './events.js';
import { failureOf } from './failures.js';
import { Jar } from './jar.js';
import {
  type ConnectionOptions,
  REQUEST_OPTIONS,
  requestOptions,
  type RequestOptions,
  type SharedOptions,
} from './options.js';
import { HttpResponse } from './response.js';
import { LazyRoute, type Route } from './route.js';
import { inSpan, requestSpan } from './span.js';
import { addFields, addressOf, type Fields, methodOf, shownUrl, takeCredentials, under } from './target.js';

/** Maximum bytes of a response after decompression, unless the program sets another limit. */
const MAX_BODY = 64 << 20;

/** Maximum number of sets of connections that calls of `http` with options keep. */
const MAX_TRANSPORTS = 16;

/** Connections of the network. */
function networkRoute(options: ConnectionOptions): Route {
  return new LazyRoute('outside', async () => new (await import('./transport.js')).Transport(options, process.env));
}

const ROUTES = new ModuleState(() => new LimitedMap<string, Route>(MAX_TRANSPORTS));

/** The connections of a program with these options. @throws ArgumentError for unusable certificates */
export function routeFor(vm: NativeContext, options: ConnectionOptions): Route {
  const routes = ROUTES.of(vm);
  const key = JSON.stringify(options);
  const known = routes.use(key);
  if (known !== undefined) return known;
  checkCertificates(options);
  const route = networkRoute(options);
  // The connections of a route that is dropped close when they have been idle for some seconds.
  routes.set(key, route);
  return route;
}

/** What all requests of a client have in common. */
export interface Sender {
  readonly base: string | null;
  readonly shared: SharedOptions;
  readonly route: Route;
  readonly jar: Jar | null;
  cookieUrl(url: URL): string;
}

/** Fields of the client itself are for the hosts below its base. */
function fieldsFor({ base, shared }: Sender, url: URL, own: Hash | null): { fields: Fields; ofClient: string[] } {
  const fields: Fields = new Map([['user-agent', 'svc']]);
  const isAtHome = base === null || addressOf(base).origin === url.origin;
  if (isAtHome) addFields(fields, shared.headers);
  const ofClient = base === null ? [] : [...fields.keys()].filter((name) => name !== 'user-agent');
  addFields(fields, own);
  return { fields, ofClient };
}

/**
 * Native: sends a request and waits for its response.
 * @param shape makes the value that the program receives
 * @throws ValueError, ArgumentError, TypeError
 */
export function send(
  vm: NativeContext,
  sender: Sender,
  verb: string,
  path: string,
  options: RequestOptions,
  shape: (response: HttpResponse) => Value = (response) => response,
): undefined {
  const method = methodOf(verb);
  const url = under(sender.base, path);
  const credentials = takeCredentials(url);
  const { fields, ofClient } = fieldsFor(sender, url, options.headers);
  if (credentials !== null && !fields.has('authorization')) fields.set('authorization', credentials);
  const { timeout, stream, follow, retries } = options;
  const seconds = inSeconds(timeout);
  const endsAt = seconds === null ? Infinity : performance.now() + milliseconds(seconds);
  const { route, jar } = sender;
  const span = requestSpan(vm, method, url, fields);
  return waitForOperation(
    vm,
    'http',
    async (signal) => {
      try {
        const [{ contentOf }, { sendRequest }] = await Promise.all([import('./content.js'), import('./sending.js')]);
        const work = contentOf(options);
        const content = work === null ? null : await inPieces(vm, work, signal);
        if (content !== null && !fields.has('content-type')) fields.set('content-type', content.type);
        const job = {
          method,
          url,
          fields,
          own: ofClient,
          content,
          follow,
          retries,
          timeout,
          endsAt,
          maxBytes: options.maxBytes ?? (stream ? Infinity : MAX_BODY),
          stream,
          route,
          jar,
          cookieUrl: (address: URL) => sender.cookieUrl(address),
        };
        const response = await inSpan(span, () => sendRequest(vm, job, signal));
        if (signal.aborted) response.close();
        return shape(response);
      } catch (error) {
        // The caller no longer waits.
        if (signal.aborted) return null;
        throw failureOf(method, url, error).error;
      }
    },
    timeout,
    {
      endedBy: route.endedBy,
      about: `${method} ${shownUrl(url)}`,
      returned: (value) => {
        if (value instanceof HttpResponse || value instanceof HttpEvents) value.close();
      },
    },
  );
}

/** Steps that are made at once before others run in between. */
const AT_ONCE = 2;

async function inPieces<T>(vm: NativeContext, steps: Generator<void, T, void>, signal: AbortSignal): Promise<T> {
  for (let n = 0; n < AT_ONCE; n++) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  // Long work passes its result on unread.
  return (await vm.laterInPieces(steps as never, signal)) as T;
}

export const CLIENT = new HandleType('HttpClient');

/** A client for other servers. */
export class HttpClient extends Handle implements Sender {
  constructor(
    readonly base: string | null,
    readonly shared: SharedOptions,
    readonly route: Route,
    readonly jar: Jar | null,
  ) {
    super();
  }

  get type(): HandleType {
    return CLIENT;
  }

  cookieUrl(url: URL): string {
    return url.href;
  }

  override describe(): string {
    return this.base === null ? '<HttpClient>' : `<HttpClient ${shownUrl(addressOf(this.base))}>`;
  }
}

/** Cookies that a client sends to `url`, with decoded values. */
export function cookiesFor({ jar }: Sender, url: string): Hash {
  return Hash.from((jar?.pairs(url) ?? []).map(([name, value]) => [name, decodePercent(value) ?? value]));
}

/** Rows of the methods that send requests, for a type of clients. */
export function requestRows(what: string): Row[] {
  const verbs = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'].map((verb): Row => {
    const impl = (vm: NativeContext, sender: Sender, path: string, given: Hash): Value | undefined =>
      send(vm, sender, verb, path, requestOptions(verb, given, sender.shared));
    return [
      verb,
      'path: String, **options: Any',
      'HttpResponse',
      `Sends a ${verb.toUpperCase()} request ${what}. ${REQUEST_OPTIONS}`,
      impl,
    ];
  });
  const request = (vm: NativeContext, sender: Sender, method: string, path: string, given: Hash): Value | undefined =>
    send(vm, sender, method, path, requestOptions('request', given, sender.shared));
  const events = (vm: NativeContext, sender: Sender, path: string, given: Hash): Value | undefined => {
    const options = requestOptions('events', given, sender.shared);
    const headers = Hash.from([['Accept', 'text/event-stream'], ...(options.headers?.entries() ?? [])]);
    return send(vm, sender, 'GET', path, { ...options, headers, stream: true }, eventsOf);
  };
  return [
    ...verbs,
    [
      'events',
      'path: String, **options: Any',
      'HttpEvents',
      `Opens a stream of server-sent events ${what}, with the options of \`get\`; ValueError if the answer is no such stream.`,
      events,
    ],
    [
      'request',
      'method: String, path: String, **options: Any',
      'HttpResponse',
      `Sends a request with any method ${what}, with the options of \`get\`.`,
      request,
    ],
    ['clear_cookies', '', 'Nil', 'Forgets all cookies.', (_: unknown, { jar }: Sender) => jar?.clear()],
  ];
}

export { Jar };
