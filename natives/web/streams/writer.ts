import { TooManyThreads } from '../../../vm/fibers/scheduler.js';
import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { Socket } from 'node:net';
import type { Fiber, Outcome, Thrown } from '../../../vm/fibers/fiber.js';
import type { Timer } from '../../../vm/fibers/timers.js';
import { Errors, fail, isExit, Signal, SvcError, errorOf } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { visible } from '../../../vm/values/text/visible.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Counter, Exchange } from '../request/exchange.js';
import type { Response } from '../response/response.js';
import { peerOf } from '../connection/inside.js';
import { answerText, headerFields, SLICE, sliceEnd } from '../response/send.js';

/** Milliseconds that a thread has to encounter its ConnectionError before it is cancelled. */
const GRACE_MS = 1000;
/** Milliseconds that a thread then has for its `ensure` blocks. */
const ENSURE_MS = 10_000;

/** Characters collected before they are passed to the socket. */
const CHUNK = 16 * 1024;

const NOTHING = Buffer.alloc(0);

/** A thread that waits until the client has read what was written. */
interface Parked {
  fiber: Fiber | null;
  resume(): void;
  fail(error: SvcError): void;
}

/**
 * The body of a streamed response: connects the thread that writes it with a client that may be slow or disconnect.
 * Text written in one turn of the event loop is sent together at its end: node would keep several hundred bytes of
 * bookkeeping for each write.
 */
export class StreamWriter {
  private readonly socket: Socket;
  private readonly parked = new Set<Parked>();
  /** What has been written but not passed to the socket: texts and bytes in order, no two texts in succession. */
  private readonly collected: (string | Buffer)[] = [];
  private length = 0;
  /** Whether the socket's buffer is full. */
  private isFull = false;
  private fiber: Fiber | null = null;
  private timer: Timer | null = null;
  private hasEnded = false;
  /** Called after the last write. */
  private atLast: (() => void) | null = null;
  private isStopping = false;
  /** How often its thread was told that the client has disconnected. */
  private refusals = 0;

  /** @param endsOnStop whether a stopping server ends the stream instead of waiting for its thread */
  constructor(
    private readonly vm: NativeContext,
    private readonly exchange: Exchange,
    private readonly endsOnStop: boolean,
  ) {
    this.socket = exchange.req.socket;
  }

  /** Whether the stream has ended or its client has disconnected. */
  get isClosed(): boolean {
    return this.hasEnded || this.isGone;
  }

  private get isGone(): boolean {
    return this.socket.destroyed || !this.socket.writable || this.exchange.res.destroyed;
  }

  /** Sends the head; `spawn` starts the thread that writes the body. */
  start(spawn: () => Fiber, response: Response): void {
    const { res } = this.exchange;
    if (this.isGone) return;
    try {
      this.fiber = spawn();
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.refuse(error, response);
      return;
    }
    this.fiber.context = this.exchange.request;
    this.fiber.span = this.exchange.request.span;
    this.exchange.watch();
    res.writeHead(response.status, headerFields(response));
    // Not `flushHeaders`, which would write the head as UTF-8.
    res.write(NOTHING);
    res.on('drain', () => this.drained());
    this.watchClient();
    this.exchange.counter.requestStarted();
    LIVE_STREAMS.of(this.vm).add(this);
    this.fiber.onEnd((outcome) => this.ended(outcome));
    if (stopped.has(this.vm) || stopped.has(this.exchange.counter)) this.stop();
  }

  /** Called when the thread cannot be started: there are too many, or the function takes other arguments. */
  private refuse(error: SvcError, response: Response): void {
    const { vm, exchange } = this;
    this.hasEnded = true;
    if (!(error instanceof TooManyThreads)) {
      this.report(error);
      answerText(exchange, 500, 'Internal Server Error', false, response.substitute(500, '').allFields());
      return;
    }
    vm.host.stderr(`warning: stream refused: ${error.value.message}\n`);
    answerText(exchange, 503, 'Service Unavailable', true, [
      ...response.substitute(503, '').allFields(),
      'Retry-After',
      '1',
    ]);
  }

  private report(error: Thrown): void {
    const { id, method, path } = this.exchange.request.parts;
    this.vm.host.stderr(`request ${id} ${method} ${visible(path)} failed in its stream:\n`);
    this.vm.report(this.fiber, error);
  }

  private watchClient(): void {
    const {
      socket,
      exchange: { res },
    } = this;
    res.once('close', this.lost);
    if (res.socket !== null) return;
    // A response to a pipelined request has no socket yet and would not be notified.
    socket.setMaxListeners(0);
    socket.once('close', this.lost);
  }

  /**
   * For natives: writes a text or bytes, and suspends while the client is slow; returns `result`.
   * @throws ConnectionError, RuntimeError
   */
  write(data: string | Buffer, result: Value = null): Value | undefined {
    if (this.hasEnded) fail(Errors.RuntimeError, 'the stream has ended: its block has returned');
    if (this.isGone) throw this.refused(this.vm.scheduler.current);
    if (data.length === 0) return result;
    this.collect(data);
    if (!this.isFull) return result;
    return this.vm.wait(
      'stream write',
      (resume, failed) => {
        const fiber = this.vm.scheduler.current;
        return this.park({ fiber, resume: () => resume(result), fail: failed });
      },
      peerOf(this.socket),
    );
  }

  /** The error for a thread whose client has gone; notes whether it is the stream's own. */
  private refused(fiber: Fiber | null): SvcError {
    if (fiber === this.fiber) this.refusals++;
    return errorOf(Errors.ConnectionError, 'the client has disconnected');
  }

  private collect(data: string | Buffer): void {
    const { collected } = this;
    if (collected.length === 0) process.nextTick(() => this.flush());
    const last = collected.length - 1;
    const before = collected[last];
    if (typeof before === 'string' && typeof data === 'string') collected[last] = before + data;
    else collected.push(data);
    this.length += data.length;
    if (this.length >= CHUNK) this.flush();
  }

  private flush(): void {
    const { exchange, collected } = this;
    if (this.isFull || collected.length === 0 || this.isGone) return;
    const [first] = collected;
    const end = Math.min(sliceEnd(first, SLICE), first.length);
    // What node has not accepted stays in the program's own memory, so its threads wait.
    if (!exchange.admits(end)) {
      this.isFull = true;
      exchange.whenRoom(() => this.drained());
      return;
    }
    if (end === first.length) collected.shift();
    else collected[0] = partOf(first, end, first.length);
    this.length -= end;
    const part = partOf(first, 0, end);
    exchange.bytes += Buffer.byteLength(part);
    this.isFull = !exchange.res.write(part);
    if (this.isFull) exchange.hold(end);
    else this.flush();
  }

  /** Calls `then` once node has accepted everything written. */
  private whenFlushed(then: () => void): void {
    this.flush();
    if (this.collected.length === 0) then();
    else this.atLast = then;
    if (!this.exchange.res.writableFinished) this.limitWait();
  }

  /** Writes `text` every `ms` milliseconds, except while the client is slow. */
  repeat(text: string, ms: number): void {
    if (this.isClosed) return;
    this.timer = this.vm.timers.add(ms, () => {
      if (!this.isClosed && !this.isFull) this.collect(text);
      this.repeat(text, ms);
    });
  }

  private park(parked: Parked): () => void {
    this.parked.add(parked);
    this.limitWait();
    return () => this.parked.delete(parked);
  }

  /** Closes the connection of a client that reads nothing for too long: node times out idle sockets. */
  private limitWait(): void {
    this.socket.setTimeout(this.exchange.settings.write_seconds * 1000);
  }

  private drained(): void {
    this.isFull = false;
    this.exchange.hold(0);
    this.flush();
    if (this.collected.length === 0) {
      this.atLast?.();
      this.atLast = null;
    }
    // Threads that wrote to a full stream wait until their own text is sent as well.
    if (this.isFull) return;
    if (!this.hasEnded) this.socket.setTimeout(0);
    const all = [...this.parked];
    this.parked.clear();
    for (const { resume } of all) resume();
  }

  /** Called when the client has disconnected: writes fail; a thread in any other wait is cancelled. */
  private readonly lost = (): void => {
    const { fiber, vm } = this;
    const all = [...this.parked];
    this.parked.clear();
    for (const parked of all) parked.fail(this.refused(parked.fiber));
    if (fiber === null || fiber.finished || this.exchange.route?.finish === true) return;
    const cancel = (): void => vm.scheduler.cancel(fiber);
    if (fiber.state === 'waiting' && this.refusals === 0) cancel();
    // A running thread gets the error at its next write. If it does not write, or writes once more, it is cancelled;
    // else its `ensure` blocks probably run.
    else
      vm.timers.add(GRACE_MS, () => {
        if (this.refusals === 1 && !fiber.finished) vm.timers.add(ENSURE_MS, cancel);
        else cancel();
      });
  };

  /** Whether a server answers its request. */
  isOf(counter: Counter): boolean {
    return this.exchange.counter === counter;
  }

  /** Called when the server stops. */
  stop(): void {
    this.isStopping = true;
    if (this.endsOnStop && this.fiber !== null) this.vm.scheduler.cancel(this.fiber);
  }

  private ended(outcome: Outcome): void {
    this.hasEnded = true;
    this.socket.off('close', this.lost);
    LIVE_STREAMS.of(this.vm).delete(this);
    this.exchange.counter.requestEnded();
    if (this.timer !== null) this.vm.timers.cancel(this.timer);
    const error = outcome.ok ? null : outcome.error;
    const wasCancelled = error instanceof Signal && error.kind === 'cancel';
    const wasLost = this.isGone && error instanceof SvcError && error.value.type === Errors.ConnectionError;
    if (isExit(error)) this.vm.report(null, error);
    else if (error !== null && !wasCancelled && !wasLost) this.report(error);
    if (this.isGone) return;
    if (error === null || (wasCancelled && this.isStopping)) this.finish();
    else this.breakOff();
  }

  private finish(): void {
    const { res } = this.exchange;
    this.whenFlushed(() => res.end());
  }

  /** Closes the connection in the middle of the body, so that the client sees that the rest is missing. */
  private breakOff(): void {
    const { socket, exchange } = this;
    // HTTP/1.0 has no chunks, so only a reset distinguishes a truncated body from a complete one. (Node sends FIN
    // first, so a fast client may still take it for the end.)
    const close = (): void =>
      void (exchange.req.httpVersionMinor === 0 ? socket.resetAndDestroy() : socket.destroySoon());
    // Node 26 gives the socket what was written only in the next tick.
    this.whenFlushed(() => process.nextTick(close));
  }
}

function partOf(data: string | Buffer, start: number, end: number): string | Buffer {
  return typeof data === 'string' ? data.slice(start, end) : data.subarray(start, end);
}

/** The streams of a VM whose threads are still running. */
const LIVE_STREAMS = new ModuleState(() => new Set<StreamWriter>());

/** VMs that are told to end, and counters of servers that are stopping. */
const stopped = new WeakSet<object>();

/** Notifies the streams of a VM, including later ones, that it ends; `counter` chooses those of one server, which stops. */
export function stopStreams(vm: NativeContext, counter: Counter | null): void {
  stopped.add(counter ?? vm);
  for (const stream of [...LIVE_STREAMS.of(vm)]) if (counter === null || stream.isOf(counter)) stream.stop();
}
