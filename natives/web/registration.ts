import { methods, native } from '../../vm/calls/native.js';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import { withForms } from '../core/json/forms.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { APP, App } from './app/app.js';
import { placeText, register } from './app/register.js';
import type { Route } from './config/route.js';
import { connector, listen } from './server/server.js';
import { changeSetting } from './config/settings.js';
import { addStatic } from './files/static.js';
import { messageOf } from './websocket/natives.js';
import type { SocketRoute } from './websocket/route.js';

function addRoute(vm: NativeContext, app: App, method: string, pattern: string, handler: Value, finish: boolean): void {
  const route: Route = { method, pattern, handler, place: vm.position(), finish };
  if (register(vm, route, `${method} ${pattern}`, () => app.router.add(method, pattern, route))) app.routes.push(route);
}

function routeMethods(): Parameters<typeof methods>[1] {
  return ['get', 'post', 'put', 'delete', 'patch'].flatMap((name) =>
    [name, `${name}_async`].map((registered) => {
      const method = name.toUpperCase();
      const impl = (vm: NativeContext, app: App, pattern: string, handler: Value, finish: boolean): void =>
        addRoute(vm, app, method, pattern, handler, finish);
      return [
        registered,
        'path: String, &handler: Function, finish: Boolean = false',
        'Nil',
        `Registers a handler for ${method} requests to a path pattern.`,
        impl,
      ] as const;
    }),
  );
}

function addSocket(
  vm: NativeContext,
  app: App,
  pattern: string,
  handler: Value,
  origins: Value[] | null,
  compress: boolean,
  finish: boolean,
  binary: boolean,
): void {
  if (origins?.some((origin) => typeof origin !== 'string') === true)
    fail(Errors.TypeError, 'SvcApp.websocket(): origins must be a Vector of Strings such as "https://example.org"');
  const route: SocketRoute = {
    method: 'WEBSOCKET',
    pattern,
    handler,
    place: vm.position(),
    finish,
    origins: origins as string[] | null,
    compress,
    binary,
  };
  register(vm, route, `WebSocket ${pattern}`, () => app.sockets.add(route));
}

/** Native `app.client`. Clients are loaded with the first one. */
function client(vm: NativeContext, app: App, given: Hash): undefined {
  const loaded = import('./testclient/client.js');
  return vm.waitForPromise(
    'client',
    loaded.then(({ testClient }) => testClient(vm, connector(vm, app), given)),
  );
}

/** `web_app` and the methods of an application. */
// prettier-ignore
export const appNatives: NativeFunction[] = [
  native('web_app', '', 'SvcApp', 'Makes a web application.', () => new App()),
  ...methods('SvcApp', [
    ...routeMethods(),
    ['use', '&layer: Function', 'Nil', 'Adds a middleware layer, called with the request and the next layer.', (vm: NativeContext, app: App, layer: Value) => addLayer(vm, app, layer)],
    ['before', '&filter: Function', 'Nil', 'Adds a filter that runs before every matched route.', (_vm, app: App, filter: Value) => { app.before.push(filter); }],
    ['after', '&filter: Function', 'Nil', 'Adds a filter that runs after every matched route.', (_vm, app: App, filter: Value) => { app.after.push(filter); }],
    ['not_found', '&handler: Function', 'Nil', 'Sets the handler of requests that no route matches.', (_vm, app: App, handler: Value) => { app.notFound = handler; }],
    ['error', '&handler: Function', 'Nil', 'Sets the handler that answers when a handler fails.', (_vm, app: App, handler: Value) => { app.onError = handler; }],
    ['websocket', 'path: String, &handler: Function, origins: Vector? = nil, compress: Boolean = false, finish: Boolean = false, binary: Boolean = false', 'Nil', 'Registers a handler for WebSockets on a path pattern; each connection runs it in its own thread. If `binary`, it receives binary messages as Bytes.', addSocket],
    ['broadcast', 'path: String, msg: Any', 'Integer', 'Sends a message to all WebSockets of a pattern or path without waiting; returns their number.', (vm: NativeContext, app: App, path: string, message: Value) => withForms(vm, message, (form) => app.sockets.broadcast(path, messageOf(form)))],
    ['rooms', '', 'SvcRooms', 'The rooms that WebSockets have joined, by name.', (_vm, app: App) => app.sockets.rooms],
    ['static', 'first: String, second: String? = nil, max_age: Integer? = nil', 'Nil', 'Serves the files of a directory: static(dir) or static(prefix, dir).', addStatic],
    ['set', 'name: String, value: Any', 'Nil', 'Changes a setting, such as `body_bytes`.', (_vm, app: App, name: string, value: Value) => changeSetting(app.settings, name, value)],
    ['client', '**options: Any', 'SvcTestClient', 'A client for tests: its requests take the way of all others, without a network. Options: `headers`, `cookies` (true), `timeout` (30 seconds), `follow` (false), `max_bytes`.', client],
    ['port', '', 'Integer?', 'The port that the server listens on, chosen by the system for `run(0)`; nil while it is not listening.', (_vm, app: App) => app.port],
    ['run', 'port: Integer? = nil, host: String? = nil', 'Nil', 'Starts the server and waits until it is stopped.', (vm: NativeContext, app: App, port: number | null, host: string | null) => listen(vm, app, port, host)],
  ]),
];

function addLayer(vm: NativeContext, app: App, layer: Value): void {
  if (app.routes.length > 0)
    vm.host.stderr(`warning: ${placeText(vm.position())}: use after a route: the layer still wraps every route\n`);
  app.middleware.push(layer);
}

for (const fn of appNatives) if (fn.owner !== '') APP.methods.set(fn.name, fn);
