import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { isFormType, mediaTypeOf } from '../../http/mediatype.js';
import { tooManyPairs } from '../../http/pairs.js';
import { splitTarget, type Target } from '../../http/target.js';
import type { App } from '../app/app.js';
import { closeAfter, isRefused, markRefused } from '../connection/badrequests.js';
import { destroyThis, endSoon } from '../connection/linger.js';
import { BodyStream } from '../connection/bodystream.js';
import { readBody } from '../connection/body.js';
import type { Drain } from '../connection/drain.js';
import { laneOf, track } from '../connection/lane.js';
import { BAD_REQUEST, EARLY_HANDSHAKE, problemOf, type Refusal } from '../connection/refusal.js';
import { isDeveloper, type DevHost } from '../dev/devhost.js';
import type { Dispatcher } from '../handling/dispatch.js';
import { isMultipartForm, readUpload } from '../request/upload/upload.js';
import { sendText } from '../response/send.js';
import { asksForWebSocket } from '../websocket/handshake.js';
import type { Descriptors } from './descriptors.js';
import { Incoming } from './incoming.js';

/** The version of the program that gets new requests; `svcc run --dev` replaces it. */
export interface Version {
  readonly vm: NativeContext;
  readonly app: App;
  readonly dispatcher: Dispatcher;
}

/** Lets requests in: refuses what is malformed or too much, reads bodies and uploads, and hands upgrades to WebSockets. */
export class Admission {
  constructor(
    private readonly version: Version,
    private readonly dev: DevHost | null,
    private readonly descriptors: Descriptors,
    private readonly drain: Drain,
  ) {}

  /** Opens a WebSocket. Answers CONNECT, and handshakes that the server refuses, as ordinary requests. */
  upgrade(req: IncomingMessage, stream: Socket, head: Buffer): void {
    // Node removes its own error handler.
    stream.on('error', destroyThis);
    const { app, vm, dispatcher } = this.version;
    const target = splitTarget(req.url as string);
    if (
      !asksForWebSocket(req) ||
      this.descriptors.isSurplus(stream) ||
      problemOf(req, target, app.settings) !== null ||
      !app.sockets.hasRoutes
    ) {
      this.ignoreUpgrade(req, stream);
      return;
    }
    dispatcher.requestStarted();
    this.drain.release(stream);
    const accepted = app.sockets.accept(vm, req, stream, head, target, dispatcher);
    if (!accepted) dispatcher.requestEnded();
  }

  /** Answers a request as an ordinary one, then closes the connection: node's parser is detached from it. */
  private ignoreUpgrade(req: IncomingMessage, stream: Socket): void {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(stream);
    res.on('finish', () => {
      res.detachSocket(stream);
      endSoon(stream);
      res.emit('close');
    });
    this.accept(req, res, hasBody(req) ? BAD_REQUEST : null);
  }

  /**
   * Refuses a request, or reads its body and dispatches it.
   * @param known the reason to refuse the request, if already known
   */
  accept(req: IncomingMessage, res: ServerResponse, known: Refusal | null = null): void {
    const { socket } = req;
    // Data sent after a refused request may be its body and must not run as a request of its own.
    if (isRefused(socket) || !this.drain.admits(socket, res)) {
      laneOf(socket).ignore();
      return;
    }
    track(socket, res);
    if (this.descriptors.isSurplus(socket)) {
      closeAfter(req, res);
      sendText(res, 503, 'Service Unavailable', false, ['Retry-After', '1']);
      return;
    }
    if (this.showsProblem(req, res)) return;
    this.dev?.recorder?.begin(req, res, this.version.app, this.version.vm);
    const target = splitTarget(req.url as string);
    const problem = known ?? problemOf(req, target, this.version.app.settings) ?? this.handshakeProblem(req);
    if (problem !== null) {
      this.refuse(req, res, target, problem);
      return;
    }
    const withBody = hasBody(req);
    if (asksForUpgrade(req)) endAfter(req, res, withBody);
    if (withBody) this.read(req, res, target);
    else this.version.dispatcher.dispatch(req, res, target, EMPTY);
  }

  /** Refuses a WebSocket handshake that did not wait for the answers to earlier requests. */
  private handshakeProblem(req: IncomingMessage): Refusal | null {
    const isHandshake = req instanceof Incoming && req.isEarly && asksForWebSocket(req);
    return isHandshake && this.version.app.sockets.hasRoutes ? EARLY_HANDSHAKE : null;
  }

  private read(req: IncomingMessage, res: ServerResponse, target: Target): void {
    const { vm, dispatcher, app } = this.version;
    const refuse = (refusal: Refusal): void => this.refuse(req, res, target, refusal);
    if (app.hasBodyStreams && dispatcher.streamsBody(req, target)) {
      const stream = new BodyStream(req, res, () => this.version.app.settings.request_seconds);
      dispatcher.dispatch(req, res, target, EMPTY, null, stream);
      return;
    }
    const type = req.headers['content-type'];
    if (!isMultipartForm(type)) readBody(req, res, app, (body) => this.dispatchBody(req, res, target, body), refuse);
    else
      readUpload(vm, req, res, app.settings, (upload) => dispatcher.dispatch(req, res, target, EMPTY, upload), refuse);
  }

  /** Answers a request whose body is not read, or not completely. */
  private refuse(req: IncomingMessage, res: ServerResponse, target: Target, refusal: Refusal): void {
    closeAfter(req, res);
    this.version.dispatcher.refuse(req, res, target, refusal);
  }

  private dispatchBody(req: IncomingMessage, res: ServerResponse, target: Target, body: Buffer): void {
    const type = req.headers['content-type'];
    const isForm = isFormType(type === undefined ? null : mediaTypeOf(type));
    if (isForm && tooManyPairs(body.toString('latin1'), this.version.app.settings.query_pairs))
      this.version.dispatcher.refuse(req, res, target, BAD_REQUEST);
    else this.version.dispatcher.dispatch(req, res, target, body);
  }

  /** In development, shows a version that does not compile in the browser. */
  private showsProblem(req: IncomingMessage, res: ServerResponse): boolean {
    const problem = this.dev?.problem ?? null;
    if (problem === null || !isDeveloper(req)) return false;
    res.writeHead(500, [
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(problem)),
      'Cache-Control',
      'no-store',
    ]);
    res.end(problem);
    return true;
  }
}

const EMPTY = Buffer.alloc(0);

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether node's parser stops after this request because it asks for another protocol. */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '') !== '' && /upgrade/i.test(headers.connection ?? '');
}

/**
 * Closes the connection after the response. The upgrade is ignored, but node has lost the bytes that arrived with the
 * request, so the next ones may begin in the middle of another request.
 */
function endAfter(req: IncomingMessage, res: ServerResponse, hasBody: boolean): void {
  res.shouldKeepAlive = false;
  if (hasBody) req.on('end', () => markRefused(req.socket));
  else markRefused(req.socket);
}
