/** Clients for tests: they send requests to an application without a network. */
import type { Duplex } from 'node:stream';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { methodsOf, type Num } from '../../core/declare.js';
import type { DurationValue } from '../../core/dates/duration.js';
import { cookiesFor, Jar, requestRows, type Sender } from '../../io/client/client.js';
import { type SharedOptions, testOptions } from '../../io/client/options.js';
import { LazyRoute } from '../../io/client/route.js';
import { under } from '../../io/client/target.js';
import { connectTo } from '../websocket/client.js';
import { Pipe } from './pipe.js';

const TEST_CLIENT = new HandleType('SvcTestClient');
const BASE = 'http://localhost';

/** Passes the server's end of a connection to the application. */
type Connect = (server: Duplex) => void;

/** The way into an application. */
class InsideRoute extends LazyRoute {
  constructor(readonly connect: Connect) {
    super('loop', async () => new (await import('./route.js')).Connections(connect));
  }
}

/** A client of `app.client`. */
class TestClient extends Handle implements Sender {
  readonly base = BASE;

  constructor(
    readonly route: InsideRoute,
    readonly shared: SharedOptions,
    readonly jar: Jar | null,
  ) {
    super();
  }

  get type(): HandleType {
    return TEST_CLIENT;
  }

  /** Cookies for HTTPS are sent as well, as browsers do to localhost. */
  cookieUrl(url: URL): string {
    return url.href.replace(/^http:/, 'https:');
  }
}

const routes = new WeakMap<Connect, InsideRoute>();

/** Native `app.client`. `connect` is the same for all clients of an application. */
export function testClient(vm: NativeContext, connect: Connect, given: Hash): TestClient {
  const { cookies, shared } = testOptions('client', given);
  const route = routes.get(connect) ?? new InsideRoute(connect);
  routes.set(connect, route);
  return new TestClient(route, shared, cookies ? new Jar(() => vm.host.wallClock()) : null);
}

function websocket(
  vm: NativeContext,
  client: TestClient,
  path: string,
  headers: Hash | null,
  timeout: Num | DurationValue | null,
  binary: boolean,
): undefined {
  const { jar, route, shared } = client;
  const url = under(BASE, path);
  const cookies = jar?.header(client.cookieUrl(url)) ?? '';
  const fields = new Hash();
  if (cookies !== '') fields.set('Cookie', cookies);
  for (const given of [shared.headers, headers]) given?.each((name, value) => fields.set(name, value));
  url.protocol = 'ws:';
  return connectTo(vm, url, timeout, fields, binary, () => {
    const { client: own, server } = Pipe.pair();
    route.connect(server);
    return own;
  });
}

/** Methods of the clients of `app.client`. */
// prettier-ignore
export const testClientMethods = methodsOf('SvcTestClient', [
  ...requestRows('to the application'),
  ['cookies', 'path: String = "/"', 'Hash', 'The cookies that are sent with requests to a path.', (_vm: NativeContext, client: TestClient, path: string): Value => cookiesFor(client, client.cookieUrl(under(BASE, path)))],
  ['websocket', 'path: String, headers: Hash? = nil, timeout: Number|Duration? = 30, binary: Boolean = false', 'SvcWebSocket', 'Opens a WebSocket to the application; the timeout covers connecting and each `recv`.', websocket],
]);
for (const fn of testClientMethods) TEST_CLIENT.methods.set(fn.name, fn);

/** Defines the methods in a VM. Programs find them with the first client; `svcc check` needs them before. */
export function installTestClient(vm: NativeContext): void {
  vm.define(testClientMethods);
}
