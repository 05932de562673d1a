/** Connections through an HTTP proxy, by CONNECT (RFC 9110, 9.3.6). */
import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';

type Connector = buildConnector.connector;

/** Milliseconds that a proxy may take to answer: as long as a connection may take. */
const LIMIT_MS = 10_000;

/** Raised when a proxy makes no tunnel. */
class TunnelRefused extends Error {
  /** Set if the proxy may agree later. */
  readonly code: string | undefined;

  /** @param status the proxy's answer; null if it closed the connection without one */
  constructor(status: number | null) {
    super(`the proxy refused the connection${status === null ? '' : ` with ${status}`}`);
    // With the codes of broken connections `undici` would connect again without end.
    this.code = status === null || status >= 500 ? 'SVC_NO_TUNNEL' : undefined;
  }
}

/** Raised when a proxy does not answer. */
class TunnelTimeout extends Error {
  readonly code = 'UND_ERR_CONNECT_TIMEOUT';

  constructor(readonly proxy: string) {
    super();
  }
}

/**
 * A connector whose connections pass through `proxy`. `connect` makes those to the proxy, and TLS within them.
 * @param credentials value of Proxy-Authorization; null for none
 * @param limit milliseconds for the answer of the proxy
 */
export function tunnelling(connect: Connector, proxy: URL, credentials: string | null, limit = LIMIT_MS): Connector {
  const { protocol, host, port } = proxy;
  const hostname = proxy.hostname.replace(/^\[|\]$/g, '');
  const toProxy = namingProxy(connect, host);
  return (options, callback) => {
    toProxy({ protocol, host, hostname, port }, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      openTunnel(socket, host, targetOf(options), credentials, limit, (refused) => {
        if (refused !== null) callback(refused, null);
        else connect({ ...options, httpSocket: socket }, callback);
      });
    });
  };
}

/** A connector to a proxy: its errors have the attribute `proxy`, the host of the proxy, for messages. */
export function namingProxy(connect: Connector, proxy: string): Connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(Object.assign(error, { proxy }), null);
    });
}

/** Host and port that the proxy shall connect to. */
function targetOf({ hostname, port }: buildConnector.Options): string {
  return `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port === '' ? '443' : port}`;
}

/** Asks the proxy at the other end of `socket` for a tunnel. `done` is called once, with the error if there is one. */
function openTunnel(
  socket: Socket,
  proxy: string,
  target: string,
  credentials: string | null,
  limit: number,
  done: (error: Error | null) => void,
): void {
  const asking = request({
    method: 'CONNECT',
    path: target,
    headers: {
      Host: target,
      Connection: 'keep-alive',
      ...(credentials === null ? {} : { 'Proxy-Authorization': credentials }),
    },
    createConnection: () => socket,
  });
  let isOver = false;
  const settle = (error: Error | null): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (error !== null) socket.destroy();
    done(error);
  };
  const timer = setTimeout(() => settle(new TunnelTimeout(proxy)), limit);
  asking.on('connect', ({ statusCode = 0 }, _socket, head: Buffer) => {
    if (head.length > 0) socket.unshift(head);
    settle(statusCode >= 200 && statusCode <= 299 ? null : new TunnelRefused(statusCode));
  });
  asking.on('error', () => settle(new TunnelRefused(null)));
  asking.end();
}
