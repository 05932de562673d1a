/** Connections of the network, by `undici`. This file and the package are loaded with the first request. */
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { Turns } from '../../turns.js';
import { isPublic } from './addresses.js';
import { exchange } from './exchange.js';
import { HostNames, lookupBy } from './hostnames.js';
import type { ConnectionOptions } from './options.js';
import { proxyFor } from './proxies.js';
import type { Incoming, Outgoing, Route } from './route.js';
import { isHttp, takeCredentials } from './target.js';
import { namingProxy, tunnelling } from './tunnel.js';

/** Maximum number of hosts whose idle connections are kept. */
const MAX_HOSTS = 100;

/** Our own limits apply to times. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/** Raised when `public_only` forbids an address. */
export class NotPublic extends Error {
  constructor(address: string) {
    super(`its address ${address} is not public`);
  }
}

type Connector = ReturnType<typeof buildConnector>;

const names = new HostNames();

/** Resolves names to public addresses only: a name with any other address is refused. */
const publicNames: HostNames['all'] = (name, options, callback) => {
  names.all(name, options, (error, addresses) => {
    const refused = error === null ? addresses.find(({ address }) => !isPublic(address)) : undefined;
    if (refused === undefined) callback(error, addresses);
    else callback(new NotPublic(refused.address), []);
  });
};

/** A connector that expects the certificate of the address itself, not that of the Host field of a request. */
function byAddress(connect: Connector): Connector {
  return (options, callback) => connect({ ...options, servername: undefined }, callback);
}

/** A connector that connects to public addresses only. The socket's own address is checked as well. */
function publicConnector(connect: Connector): Connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isPublic(host)) {
      callback(new NotPublic(host), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const { remoteAddress = '' } = socket;
      if (isPublic(remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new NotPublic(remoteAddress), null);
    });
  };
}

/** The connections to a host, or to a host behind a proxy. */
interface Host {
  readonly dispatcher: Dispatcher;
  /** Of requests that have a connection. */
  readonly turns: Turns;
  isClosed: boolean;
}

/** Where and how a request is sent: its target there, and its header fields. */
interface Way {
  readonly host: Host;
  readonly origin: string;
  readonly path: string;
  readonly fields: string[];
}

/** Takes a field out of names and values in turn; its value is null if there is none. */
function without(fields: string[], name: string): { value: string | null; rest: string[] } {
  const at = fields.findIndex((text, i) => i % 2 === 0 && text === name);
  return at === -1 ? { value: null, rest: fields } : { value: fields[at + 1], rest: fields.toSpliced(at, 2) };
}

/** Connections with the same options. */
export class Transport implements Route {
  readonly endedBy = 'outside';
  private readonly connect: Connector;
  private readonly hosts = new Map<string, Host>();

  constructor(
    private readonly options: ConnectionOptions,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    const { ca, cert, key, insecure, publicOnly } = options;
    const tls = {
      ...(ca === null ? {} : { ca }),
      ...(cert === null || key === null ? {} : { cert, key }),
      ...(insecure ? { rejectUnauthorized: false } : {}),
    };
    // The types of `undici` lack `lookup`, which it passes on to `net.connect`.
    const connector = byAddress(buildConnector({ ...tls, lookup: lookupBy(publicOnly ? publicNames : names.all) }));
    this.connect = publicOnly ? publicConnector(connector) : connector;
  }

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    const { method, body } = outgoing;
    let way = this.way(outgoing);
    let over = await way.host.turns.take(signal);
    // Closed meanwhile, because many other hosts were used.
    while (way.host.isClosed) {
      over();
      way = this.way(outgoing);
      over = await way.host.turns.take(signal);
    }
    const answer = await exchange(
      way.host.dispatcher,
      {
        origin: way.origin,
        path: way.path,
        method: method as Dispatcher.HttpMethod,
        headers: way.fields,
        // One part is written together with the head.
        body:
          body === null ? null : body.length === 1 ? body[0] : (body as unknown as Dispatcher.RequestOptions['body']),
        signal,
        // For all requests the same: by default `undici` derives it from Host, and closes connections when it changes.
        servername: way.origin,
        ...NO_TIMEOUTS,
      } as Dispatcher.RequestOptions,
      over,
    );
    return { ...answer, failure: null };
  }

  /** The connections for a request, and what is sent on them. */
  private way({ url, fields }: Outgoing): Way {
    const { proxy, publicOnly } = this.options;
    const chosen = typeof proxy === 'string' ? proxy : proxy && !publicOnly ? proxyFor(url, this.env) : null;
    const { origin } = url;
    const path = `${url.pathname}${url.search}`;
    if (chosen === null) return { host: this.host(origin, () => this.pool(origin)), origin, path, fields };
    if (!URL.canParse(chosen) || !isHttp(new URL(chosen))) throw Object.assign(new Error(), { code: 'SVC_BAD_PROXY' });
    const given = new URL(chosen);
    const ofUrl = takeCredentials(given);
    // Credentials are for the proxy alone. Those of the request have precedence.
    const { value: ofRequest, rest } = without(fields, 'proxy-authorization');
    const credentials = ofRequest ?? ofUrl;
    if (url.protocol === 'https:') {
      const key = `${given.origin} ${credentials ?? ''} ${origin}`;
      return { host: this.host(key, () => this.tunnel(origin, given, credentials)), origin, path, fields: rest };
    }
    // A proxy receives the whole address.
    return {
      host: this.host(`proxy ${given.origin}`, () => this.pool(given.origin, namingProxy(this.connect, given.host))),
      origin: given.origin,
      path: `${origin}${path}`,
      fields: [
        ...rest,
        ...(credentials === null ? [] : ['proxy-authorization', credentials]),
        ...(without(rest, 'host').value === null ? ['host', url.host] : []),
      ],
    };
  }

  private pool(origin: string, connect = this.connect): Pool {
    return new Pool(origin, { connections: this.options.connections, connect, ...NO_TIMEOUTS });
  }

  private tunnel(origin: string, proxy: URL, credentials: string | null): Pool {
    return this.pool(origin, tunnelling(this.connect, proxy, credentials));
  }

  /** The host called `key`. Closes those that were not used for longest, once there are many. */
  private host(key: string, make: () => Dispatcher): Host {
    const host = this.hosts.get(key) ?? {
      dispatcher: make(),
      turns: new Turns(this.options.connections),
      isClosed: false,
    };
    this.hosts.delete(key);
    this.hosts.set(key, host);
    for (const [other, old] of this.hosts) {
      if (this.hosts.size <= MAX_HOSTS) break;
      this.hosts.delete(other);
      old.isClosed = true;
      // Waits for running requests.
      void old.dispatcher.close();
    }
    return host;
  }
}
