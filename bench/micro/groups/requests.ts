import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { do_not_optimize } from 'mitata';
import type { App } from '../../../natives/web/app/app.js';
import { SURVEY } from '../../../natives/web/app/survey.js';
import { track } from '../../../natives/web/connection/lane.js';
import { Dispatcher } from '../../../natives/web/handling/dispatch.js';
import { splitTarget } from '../../../natives/http/target.js';
import { load, machine } from '../machine.js';
import type { Bench, Case, Group } from '../measure.js';

/** The part of a connection that the dispatcher looks at. */
class Connection extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  readonly destroyed = false;
  readonly writableLength = 0;
  readonly bytesWritten = 0;
}

/** The part of node's response that the dispatcher uses: keeps what would be sent. */
class Answer extends EventEmitter {
  statusCode = 0;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  readonly destroyed = false;
  shouldKeepAlive = true;
  body: unknown = null;

  constructor(
    readonly req: object,
    readonly socket: Connection,
  ) {
    super();
  }

  writeHead(status: number): void {
    this.statusCode = status;
    this.headersSent = true;
  }

  end(body: unknown): void {
    this.body = body;
    this.writableEnded = this.writableFinished = true;
    this.emit('close');
  }

  setTimeout(): void {}
}

const FIELDS = ['Host', 'svc.test', 'User-Agent', 'bench', 'Accept', '*/*', 'Origin', 'https://a.example'];
const HEADERS = { host: 'svc.test', 'user-agent': 'bench', accept: '*/*', origin: 'https://a.example' };
const EMPTY = Buffer.alloc(0);

/** Sends one GET after the other over one connection to an application with these lines; each call returns its answered response. */
function client(lines: string, target: string): () => Answer {
  const made = machine();
  let app: App | undefined;
  // `app.run` calls this in place of starting a server.
  SURVEY.set(made.vm, (given) => (app = given));
  load(made, `app = web_app()\n${lines}\napp.run`);
  if (app === undefined) throw new Error('the program has not come to app.run');
  const dispatcher = new Dispatcher(made.vm, app);
  const connection = new Connection();
  return () => {
    const req = { method: 'GET', url: target, headers: HEADERS, rawHeaders: FIELDS, socket: connection };
    const answer = new Answer(req, connection);
    const res = answer as unknown as ServerResponse;
    track(connection as never, res);
    dispatcher.dispatch(req as unknown as IncomingMessage, res, splitTarget(target), EMPTY);
    made.settle();
    return answer;
  };
}

/** A request to an application, which must be answered with `status`. */
function request(lines: string, target = '/users/7', status = 200): Bench {
  const ask = client(lines, target);
  const first = ask();
  if (first.statusCode !== status)
    throw new Error(`${target} is answered with ${first.statusCode}: ${String(first.body)}`);
  return () => do_not_optimize(ask());
}

const ROUTE = 'app.get("/users/:id") { |req| "user #{req.params["id"]}" }\n';
const LAYER = 'app.use { |req, next_fn| next_fn(req) }\n';
const BEFORE = 'app.before { |req| nil }\n';
const AFTER = 'app.after { |req, res| nil }\n';

/** Requests from the look-up of their route to the finished response. */
export const requests: Group = {
  name: 'requests',
  about:
    'One GET from its arrival, parsed, to the call that hands its response to node; sockets and the HTTP parser are not included.',
  *cases(): Generator<Case> {
    yield {
      title: 'layers',
      benches: {
        'handler alone': request(ROUTE),
        'one middleware': request(LAYER + ROUTE),
        'five middleware': request(LAYER.repeat(5) + ROUTE),
        'filter before': request(BEFORE + ROUTE),
        'filter after': request(AFTER + ROUTE),
        'filters before and after': request(BEFORE + AFTER + ROUTE),
        'five middleware and both filters': request(LAYER.repeat(5) + BEFORE + AFTER + ROUTE),
        'error handler': request(`app.error { |req, err| "failed" }\n${ROUTE}`),
      },
    };
    yield {
      title: 'built-in layers',
      benches: {
        'handler alone': request(ROUTE),
        'app.cors': request(`app.cors(origins: ["https://a.example"])\n${ROUTE}`),
        'app.log': request(`app.log(:access)\n${ROUTE}`),
        'app.metrics': request(`app.metrics("/metrics")\n${ROUTE}`),
        'app.compress, short body': request(`app.compress\n${ROUTE}`),
      },
    };
    yield {
      title: 'answers',
      benches: {
        text: request('app.get("/") { |req| "Hello" }', '/'),
        'JSON of three keys': request('app.get("/") { |req| {id: 7, name: "Alice", ok: true} }', '/'),
        'header and cookie': request(
          'app.get("/") do |req|\n  res = response("Hello")\n  res.set_header("X-Kind", "short")\n  res.set_cookie("seen", "yes")\n  res\nend',
          '/',
        ),
        redirect: request('app.get("/") { |req| redirect("/other") }', '/', 302),
        halt: request('app.get("/") { |req| halt(403, "no") }', '/', 403),
        'no route': request(ROUTE, '/nothing', 404),
      },
    };
  },
};
