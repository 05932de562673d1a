import { methods, native } from '../../vm/calls/native.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import { withMessage } from '../core/json/message.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { APP, App } from './app/app.js';
import { enterGroup } from './app/groups.js';
import { checkBus, linkRooms, whenLinked } from './app/linking.js';
import { mountApp } from './app/mounting.js';
import { APPS, nameRoute, pathFor, pathIn } from './app/paths.js';
import { placeText } from './app/register.js';
import { type Group, GROUP, layerOf, patternIn, routeLevels, type Scope, scopeOf } from './app/scope.js';
import type { MaxAge } from './config/maxage.js';
import type { Route } from './config/route.js';
import { connector, listen } from './server/server.js';
import { changeSetting } from './config/settings.js';
import { addStatic } from './files/static.js';
import { declare, DECLARING, type DeclaringValues } from './validation/declared.js';
import type { SocketRoute } from './websocket/route.js';
import { reached } from './websocket/sending.js';

/** The receiver of a registration. */
type Target = App | Group;

function addRoute(
  vm: NativeContext,
  target: Target,
  method: string,
  path: string,
  handler: Value,
  finish: boolean,
  name: string | null,
  before: Value,
  use: Value,
  streamsBody: boolean,
  declaring: DeclaringValues,
): void {
  const scope = scopeOf(target);
  const pattern = patternIn(scope, path);
  const levels = routeLevels(scope, pattern, before, use);
  const declared = declare(method, pattern, declaring);
  if (streamsBody && declared?.body)
    fail(Errors.ValueError, `${method} ${pattern}: stream_body and body: exclude each other`);
  const route: Route = { method, pattern, handler, place: vm.position(), finish, levels, streamsBody, declared };
  scope.app.addRoute(vm, route, 'routes');
  if (name !== null) nameRoute(scope.app, name, route);
}

const ROUTE_OPTIONS =
  'name: String? = nil, before: Function|Vector? = nil, use: Function|Vector? = nil, stream_body: Boolean = false';

function routeMethods(): Parameters<typeof methods>[1] {
  return ['get', 'post', 'put', 'delete', 'patch'].flatMap((name) =>
    [name, `${name}_async`].map((registered) => {
      const method = name.toUpperCase();
      const impl = (
        vm: NativeContext,
        target: Target,
        path: string,
        handler: Value,
        finish: boolean,
        routeName: string | null,
        before: Value,
        use: Value,
        streamsBody: boolean,
        ...declaring: DeclaringValues
      ): void => addRoute(vm, target, method, path, handler, finish, routeName, before, use, streamsBody, declaring);
      return [
        registered,
        `path: String, &handler: Function, finish: Boolean = false, ${ROUTE_OPTIONS}, ${DECLARING}`,
        'Nil',
        `Registers a handler for ${method} requests to a path pattern.`,
        impl,
      ] as const;
    }),
  );
}

function addSocket(
  vm: NativeContext,
  target: Target,
  path: string,
  handler: Value,
  origins: Value[] | null,
  compress: boolean,
  finish: boolean,
  binary: boolean,
  name: string | null,
): void {
  if (origins?.some((origin) => typeof origin !== 'string') === true)
    fail(Errors.TypeError, 'SvcApp.websocket(): origins must be a Vector of Strings such as "https://example.org"');
  const scope = scopeOf(target);
  const { app, levels } = scope;
  const route: SocketRoute = {
    method: 'WEBSOCKET',
    pattern: patternIn(scope, path),
    handler,
    place: vm.position(),
    levels,
    finish,
    streamsBody: false,
    origins: origins as string[] | null,
    compress,
    binary,
    owners: [],
  };
  app.addSocket(vm, route);
  if (name !== null) nameRoute(app, name, route);
}

/** Native `app.client`. Clients are loaded with the first one. */
function client(vm: NativeContext, app: App, given: Hash): undefined {
  const loaded = import('./testclient/client.js');
  return vm.waitForPromise(
    'client',
    loaded.then(async ({ testClient }) => {
      await linkRooms(vm, app);
      return testClient(vm, connector(vm, app), given);
    }),
  );
}

/** Native `app.set`. The driver of a bus is loaded, and its address checked; it connects when the application runs. */
function set(vm: NativeContext, app: App, name: string, value: Value): Value | undefined {
  changeSetting(app.settings, name, value);
  return name === 'bus' ? checkBus(vm, value as string) : null;
}

function addLayer(vm: NativeContext, target: Target, path: string | null, fn: Value): void {
  const scope = scopeOf(target);
  const layer = layerOf(scope, fn, path);
  const isLate = scope.app.routes.some(
    ({ levels }) => scope.level === scope.app || levels.some(({ level }) => level === scope.level),
  );
  if (isLate)
    vm.host.stderr(`warning: ${placeText(vm.position())}: use after a route: the layer still wraps every route\n`);
  scope.level.middleware.push(layer);
}

function addFilter(list: 'before' | 'after') {
  return (_vm: NativeContext, target: Target, path: string | null, fn: Value): void => {
    const scope: Scope = scopeOf(target);
    scope.level[list].push(layerOf(scope, fn, path));
  };
}

const PATH = 'path: String? = nil';

/** The methods that applications and groups share. */
// prettier-ignore
const shared: Parameters<typeof methods>[1] = [
  ...routeMethods(),
  ['group', 'prefix: String, &routes: Function? = nil, before: Function|Vector? = nil, use: Function|Vector? = nil, after: Function|Vector? = nil', 'SvcGroup', 'Calls the block with a group: its routes have the prefix, and its layers and filters are around them alone.', (vm: NativeContext, target: Target, prefix: string, routes: Value, before: Value, use: Value, after: Value) => enterGroup(vm, scopeOf(target), prefix, routes, { before, use, after })],
  ['mount', 'prefix: String, app: SvcApp', 'Nil', 'Adds another application below a prefix, with its layers, filters and error handlers.', (vm: NativeContext, target: Target, prefix: string, app: App) => mountApp(vm, scopeOf(target), prefix, app)],
  ['use', `${PATH}, &layer: Function`, 'Nil', 'Adds a middleware layer, called with the request and the next layer; with a path for requests to it and below it alone.', addLayer],
  ['before', `${PATH}, &filter: Function`, 'Nil', 'Adds a filter that runs before every matched route; with a path before those at it and below it alone.', addFilter('before')],
  ['after', `${PATH}, &filter: Function`, 'Nil', 'Adds a filter that runs after every matched route; with a path after those at it and below it alone.', addFilter('after')],
  ['websocket', 'path: String, &handler: Function, origins: Vector? = nil, compress: Boolean = false, finish: Boolean = false, binary: Boolean = false, name: String? = nil', 'Nil', 'Registers a handler for WebSockets on a path pattern; each connection runs it in its own thread. If `binary`, it receives binary messages as Bytes.', addSocket],
  ['static', 'prefix: String? = nil, dir: String? = nil, max_age: Number|Duration? = nil', 'Nil', 'Serves the files of a directory below a prefix; with one argument, `static("public")`, below `/`. `max_age` is the time for which clients may keep them, in seconds or as a Duration. ArgumentError for a prefix without a slash.', (vm: NativeContext, target: Target, prefix: string | null, dir: string | null, maxAge: MaxAge) => addStatic(vm, scopeOf(target), prefix, dir, maxAge)],
];

/** `web_app` and the methods of an application and of its groups. */
// prettier-ignore
export const appNatives: NativeFunction[] = [
  native('web_app', '', 'SvcApp', 'Makes a web application.', makeApp),
  native('path_for', 'route_name: String, **values: Any', 'String', 'The path of a named route, with values for its parameters: of the application that answers the request, or of the only one. The other values become its query.', (vm: NativeContext, name: string, values) => pathFor(vm, name, values)),
  ...methods('SvcGroup', [...shared, ['prefix', '', 'String', 'The whole prefix of the group.', (_vm, group: Group) => group.prefix]]),
  ...methods('SvcApp', [
    ...shared,
    ['not_found', '&handler: Function', 'Nil', 'Sets the handler of requests that no route matches.', (_vm, app: App, handler: Value) => { app.owner.notFound = handler; }],
    ['error', '&handler: Function', 'Nil', 'Sets the handler that answers when a handler fails, called with the request and the error.', (_vm, app: App, handler: Value) => { app.owner.onError = handler; }],
    ['path_for', 'route_name: String, **values: Any', 'String', 'The path of a named route with values for its parameters; the other values become its query.', (_vm, app: App, name: string, values) => pathIn(app, name, values)],
    ['broadcast', 'path: String, msg: Any', 'Integer', 'Sends a message to all WebSockets of a pattern or path, in all processes, without waiting; returns the number of those in this process.', (vm: NativeContext, app: App, path: string, message: Value) => withMessage(vm, message, (text) => reached(vm, (signal) => app.sockets.broadcast(vm, path, text, signal)))],
    ['rooms', '', 'SvcRooms', 'The rooms that WebSockets have joined, by name.', (_vm, app: App) => app.sockets.rooms],
    ['set', 'name: String, value: Any', 'Nil', 'Changes a setting, such as `body_bytes`; [web applications](web.md#settings) lists them. ArgumentError for an unknown name or a value that does not fit.', set],
    ['client', '**options: Any', 'SvcTestClient', 'A client for tests: its requests take the way of all others, without a network. Options: `headers`, `cookies` (true), `timeout` (30 seconds), `follow` (false), `max_bytes`.', client],
    ['port', '', 'Integer?', 'The port that the server listens on, chosen by the system for `run(0)`; nil while it is not listening.', (_vm, app: App) => app.port],
    ['run', 'port: Integer? = nil, host: String? = nil', 'Nil', 'Starts the server and waits until it is stopped. The command line comes first, then these arguments, then the environment variables PORT and HOST, then port 3000 of all interfaces; 0 is a port that the system chooses. A port that is in use ends the program with exit code 1.', (vm: NativeContext, app: App, port: number | null, host: string | null) => whenLinked(vm, app, () => listen(vm, app, port, host))],
  ]),
];

function makeApp(vm: NativeContext): App {
  const app = new App();
  APPS.of(vm).push(app);
  return app;
}

for (const fn of appNatives) if (fn.owner !== '') (fn.owner === 'SvcApp' ? APP : GROUP).methods.set(fn.name, fn);
