import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Acquisition } from '../../../vm/fibers/fiber.js';
import type { WaitStart } from '../../../vm/fibers/scheduler.js';
import { Errors, fail, type ErrorType, errorOf } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { inSeconds } from '../../core/dates/duration.js';
import type { Num } from '../../core/declare.js';
import type { Span } from '../../core/tracing.js';
import { requestSpan } from '../../io/client/span.js';
import { connectionProblem } from '../../io/connection.js';
import { milliseconds } from '../../io/waiting.js';
import { shownText } from '../../io/client/target.js';
import { headerProblem, isToken } from '../../http/headers.js';
import { Budget } from './budget.js';
import { type Connection, connectionClass } from './connection.js';
import { Opening, packHeaders } from './opening.js';
import { Close, Socket } from './socket.js';

/** Limits for a client's connection; larger than a server's, because a server is trusted more than clients are. */
const LIMITS = { message_bytes: 16 * 1024 * 1024, websocket_bytes: 64 * 1024 * 1024, pairs: 1000 };

const OPTIONS = {
  perMessageDeflate: false,
  followRedirects: false,
  autoPong: false,
  maxPayload: LIMITS.message_bytes,
};

/** Parses the address to connect to. @throws ValueError describing the problem */
function addressOf(url: string): URL {
  const shown = shownText(url);
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    return fail(Errors.ValueError, `ws_connect() needs an address such as ws://localhost:3000/chat, got ${shown}`);
  }
  if (address.protocol === 'wss:')
    fail(Errors.ValueError, `ws_connect() supports only ws:// (no TLS), got ${shown}; use a proxy for TLS`);
  if (address.protocol !== 'ws:')
    fail(Errors.ValueError, `ws_connect() needs an address that begins with ws://, got ${shown}`);
  if (address.hash !== '') fail(Errors.ValueError, `a WebSocket address cannot have a fragment (#…), got ${shown}`);
  return address;
}

function headersOf(given: Hash | null): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of given?.entries() ?? []) {
    const problem = headerProblem(toText(name), toText(value));
    if (problem !== null) fail(Errors.ValueError, problem);
    headers[toText(name)] = toText(value);
  }
  return headers;
}

/** Opens the span of a handshake, and adds the fields that continue its trace, unless the program has set them. */
function handshakeSpan(vm: NativeContext, address: URL, headers: Record<string, string>): Span | null {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const { size } = fields;
  const span = requestSpan(vm, 'GET', address, fields);
  for (const [name, value] of [...fields].slice(size)) headers[name] = value;
  return span;
}

/** Takes the subprotocols out of the headers: `ws` has to know them to check the answer. @throws ValueError */
function takeProtocols(headers: Record<string, string>): string[] {
  const protocols: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'sec-websocket-protocol') continue;
    protocols.push(...value.split(',').map((text) => text.trim()));
    delete headers[name];
  }
  if (!protocols.every(isToken) || new Set(protocols).size < protocols.length)
    fail(Errors.ValueError, 'Sec-WebSocket-Protocol must be different names, separated by commas');
  return protocols;
}

/**
 * Native `ws_connect`: waits for the connection. `limit`, in seconds or a duration, applies to connecting and to each
 * `recv`.
 * @throws ValueError, ConnectionError, TimeoutError
 */
export function connect(vm: NativeContext, url: string, limit: Value, given: Hash | null, binary: boolean): undefined {
  return connectTo(vm, addressOf(url), limit, given, binary);
}

/** As `connect`. `open` makes a connection inside of the process. */
export function connectTo(
  vm: NativeContext,
  address: URL,
  limit: Value,
  given: Hash | null,
  binary: boolean,
  open: (() => Duplex) | null = null,
): undefined {
  const headers = headersOf(given);
  const protocols = takeProtocols(headers);
  const timeout = inSeconds(limit);
  const limitMs = timeout === null ? null : milliseconds(timeout as Num);
  const fiber = vm.scheduler.current;
  // As on the side of the server, the span is the handshake.
  const span = handshakeSpan(vm, address, headers);
  const start: WaitStart = (resume, failed) => {
    let over = false;
    let ws: Connection | null = null;
    const settle = (): boolean => {
      if (over) return false;
      over = true;
      if (timer !== null) vm.timers.cancel(timer);
      span?.end();
      return true;
    };
    const broken = (type: ErrorType, message: string): void => {
      if (over) return;
      const error = errorOf(type, message);
      span?.failed(error.value);
      settle();
      ws?.terminate();
      failed(error);
    };
    const timer =
      limitMs === null
        ? null
        : vm.timers.add(limitMs, () => broken(Errors.TimeoutError, `timed out after ${toText(timeout)}s`));
    void import('ws')
      .then((library) => {
        if (over) return;
        const opened = (ws = new (connectionClass(library))(address, protocols, {
          headers,
          ...OPTIONS,
          ...(open === null ? {} : { createConnection: open as () => never }),
        }));
        let answer: IncomingMessage | null = null;
        opened.on('upgrade', (response) => void (answer = response));
        opened.on('unexpected-response', (_request: ClientRequest, { statusCode = 0, statusMessage }) => {
          if (!over) span?.set({ 'http.response.status_code': statusCode });
          broken(
            Errors.ConnectionError,
            `${address.host} refused the WebSocket with ${statusCode} ${statusMessage}`.trimEnd(),
          );
        });
        opened.on('error', (error: NodeJS.ErrnoException) =>
          broken(
            Errors.ConnectionError,
            `cannot connect to ${address.host}: ${connectionProblem(error.code ?? '', error.message)}`,
          ),
        );
        opened.on('open', () => {
          if (!over) span?.set({ 'http.response.status_code': 101 });
          // The caller has stopped waiting.
          if (!settle()) return opened.terminate();
          const socket = socketOf(vm, opened, answer as unknown as IncomingMessage, address, timeout, binary);
          fiber?.onFailure(() => socket.close(Close.goingAway));
          resume(socket);
        });
      })
      .catch(({ code = '', message }: NodeJS.ErrnoException) =>
        broken(Errors.ConnectionError, `cannot connect to ${address.host}: ${connectionProblem(code, message)}`),
      );
    const stop = (): void => {
      if (!over) span?.failed('cancelled');
      settle();
      ws?.terminate();
    };
    return new Acquisition<Socket>(stop, (socket) => socket.close(Close.goingAway));
  };
  return vm.wait('websocket connect', start, open === null ? 'outside' : 'loop');
}

function socketOf(
  vm: NativeContext,
  ws: Connection,
  response: IncomingMessage,
  address: URL,
  timeout: Value,
  binary: boolean,
): Socket {
  const headers = packHeaders(response.rawHeaders);
  const opening = new Opening(address.pathname, address.host, null, [], [], address.search.slice(1), headers, {
    queryPairs: LIMITS.pairs,
    timeout,
    binary,
    compressed: false,
    messageBytes: LIMITS.message_bytes,
    policy: null,
  });
  return new Socket(vm, ws, response.socket, new Budget(LIMITS), opening);
}
