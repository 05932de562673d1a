import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Value } from '../../../vm/values/value.js';
import { Budget } from '../connection/budget.js';
import type { Answered, Exchange } from '../request/exchange.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import type { ListedRoute, Route } from '../config/route.js';
import { Router } from '../routing/router.js';
import { defaultSettings, type Settings } from '../config/settings.js';
import { SocketHub } from '../websocket/hub.js';
import type { VM } from '../../../vm/vm.js';

export const APP = new HandleType('SvcApp');

/** A directory served under a prefix. Gives the response for a request, or null when it has no such file; may wait. */
export interface StaticMount {
  readonly prefix: string;
  /** What it serves, for lists of routes. */
  readonly listed: ListedRoute;
  serve(vm: VM, request: Request): Response | null | undefined;
}

/** An application: what `web_app()` makes and the registration functions fill. */
export class App extends Handle {
  readonly settings: Settings = defaultSettings();
  readonly router = new Router<Route>();
  readonly routes: Route[] = [];
  /** Routes that the library answers: health, metrics, OpenAPI. */
  readonly endpoints: Route[] = [];
  readonly middleware: Value[] = [];
  readonly before: Value[] = [];
  readonly after: Value[] = [];
  readonly statics: StaticMount[] = [];
  /** What bodies of requests hold in memory. */
  readonly input = new Budget(() => this.settings.input_bytes);
  /** What responses hold that wait to be sent. */
  readonly output = new Budget(() => this.settings.output_bytes);
  /** Port that the server listens on; null while it does not. */
  port: number | null = null;
  notFound: Value = null;
  onError: Value = null;
  /** Told of each exchange when its response has been sent or its client has gone: access log, metrics. */
  readonly observers: ((answered: Answered) => void)[] = [];
  readonly sockets = new SocketHub(this.settings, this.observers);
  /** May answer a request before everything else: CORS preflights. */
  readonly guards: ((request: Request) => Response | null)[] = [];
  /** May change each response before it is sent: CORS headers. */
  readonly finishers: ((request: Request, response: Response) => void)[] = [];
  /** Sends a response in another way, such as compressed; false when it does not apply. */
  encoder: ((exchange: Exchange, response: Response) => boolean) | null = null;

  get type(): HandleType {
    return APP;
  }
}
