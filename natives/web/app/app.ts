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
import type { NativeContext } from '../../../vm/nativecontext.js';

export const APP = new HandleType('SvcApp');

/** A directory served under a prefix. `serve` returns null when the directory has no such file; it may suspend. */
export interface StaticMount {
  readonly prefix: string;
  /** The mount as shown in lists of routes. */
  readonly listed: ListedRoute;
  serve(vm: NativeContext, request: Request): Response | null | undefined;
}

/** An application: created by `web_app()`, filled by the registration functions. */
export class App extends Handle {
  readonly settings: Settings = defaultSettings();
  readonly router = new Router<Route>();
  readonly routes: Route[] = [];
  /** Routes that the library answers itself: health, metrics, OpenAPI. */
  readonly endpoints: Route[] = [];
  readonly middleware: Value[] = [];
  readonly before: Value[] = [];
  readonly after: Value[] = [];
  readonly statics: StaticMount[] = [];
  /** Memory held by request bodies. */
  readonly input = new Budget(() => this.settings.input_bytes);
  /** Memory held by responses that are waiting to be sent. */
  readonly output = new Budget(() => this.settings.output_bytes);
  /** Port that the server listens on; null while it is not listening. */
  port: number | null = null;
  notFound: Value = null;
  onError: Value = null;
  /** Called after each exchange, once its response is sent or its client has disconnected: access log, metrics. */
  readonly observers: ((answered: Answered) => void)[] = [];
  readonly sockets = new SocketHub(this.settings, this.observers);
  /** Called before anything else; a guard may answer the request itself: CORS preflights. */
  readonly guards: ((request: Request) => Response | null)[] = [];
  /** Called for each response before it is sent; may change it: CORS headers. */
  readonly finishers: ((request: Request, response: Response) => void)[] = [];
  /** Sends a response in another form, such as compressed. Returns false when it does not apply. */
  encoder: ((exchange: Exchange, response: Response) => boolean) | null = null;

  get type(): HandleType {
    return APP;
  }
}
