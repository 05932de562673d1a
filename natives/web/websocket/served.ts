import type { Fiber, Outcome, Watcher } from '../../../vm/fibers/fiber.js';
import { Errors, isExit, Signal, SvcError, errorOf } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Settings } from '../config/settings.js';
import type { Answered, Counter } from '../request/exchange.js';
import type { Handshake } from './caller.js';
import type { SocketRoute } from './route.js';
import { Close, type ClosedListener, type Socket } from './socket.js';

/** Grace period in milliseconds for a handler that has not yet noticed that its connection closed. */
const UNAWARE_MS = 1000;

/** Who keeps the open connections of an application. */
interface Keeper {
  readonly settings: Settings;
  forget(socket: Socket, route: SocketRoute): void;
  /** Reports the end of a connection to the access log and the metrics. */
  observed(answered: Answered): void;
}

/**
 * A connection and the thread that serves it; hears when either ends. There may be 10,000 idle ones: closures for the
 * two ends would take 150 bytes more.
 */
export class Served implements ClosedListener, Watcher {
  /** In whole milliseconds: a fraction would take 16 bytes. */
  private readonly startedAt = Math.round(performance.now());
  /** Null before the thread has started, and if it could not be. */
  private fiber: Fiber | null = null;

  constructor(
    private readonly keeper: Keeper,
    private readonly vm: NativeContext,
    private readonly socket: Socket,
    private readonly route: SocketRoute,
    private readonly caller: Handshake,
    private readonly counter: Counter,
  ) {
    socket.onClosed(this);
  }

  /** Starts the thread. If that fails, the connection is closed. */
  start(): void {
    try {
      this.fiber = this.vm.spawn('websocket', this.route.handler, [this.socket], this);
      this.fiber.context = this.caller;
      this.fiber.span = this.caller.span;
    } catch (error) {
      // Too many threads, or a handler whose parameters do not accept a socket.
      if (!(error instanceof SvcError)) throw error;
      this.ended({ ok: false, error });
    }
  }

  /** The connection has ended. */
  closed(): void {
    const { caller, socket, route, startedAt } = this;
    this.keeper.forget(socket, route);
    caller.logFields = socket.logFields;
    const closeCode = socket.closeCode ?? Close.abnormal;
    this.keeper.observed({ request: caller, route, status: 101, bytes: 0, startedAt, closeCode });
    if (this.fiber !== null) this.endSoon(this.fiber);
  }

  /** The thread has ended. */
  ended(outcome: Outcome): void {
    this.socket.forget();
    this.leave(outcome);
    this.counter.requestEnded();
  }

  /** Closes the connection with the code that tells how the thread has ended. */
  private leave(outcome: Outcome): void {
    const { socket, vm } = this;
    if (outcome.ok) return socket.close(Close.normal);
    const { error } = outcome;
    if (isExit(error)) vm.report(null, error);
    if (isExit(error) || (error instanceof Signal && error.kind === 'cancel')) return socket.close(Close.goingAway);
    const shown =
      error instanceof Signal
        ? errorOf(
            Errors.RuntimeError,
            `${error.kind}() in a WebSocket handler: there is no response to send; use ws.close`,
          )
        : error;
    const { pattern, place } = this.route;
    vm.host.stderr(`websocket ${pattern}${place === null ? '' : ` (${place.file}:${place.line})`} failed:\n`);
    vm.report(null, shown);
    socket.close(Close.failed);
  }

  /**
   * Cancels the thread after its connection has closed: after the drain time if it has noticed, so that it can clean up,
   * otherwise after UNAWARE_MS.
   */
  private endSoon(fiber: Fiber): void {
    const { vm, socket } = this;
    if (fiber.finished || this.route.finish) return;
    const end = (): void => vm.scheduler.cancel(fiber);
    const late = this.keeper.settings.drain_seconds * 1000;
    let timer = vm.timers.add(UNAWARE_MS, () => {
      if (socket.noticed && late > UNAWARE_MS) timer = vm.timers.add(late - UNAWARE_MS, end);
      else end();
    });
    fiber.onEnd(() => vm.timers.cancel(timer));
  }
}
