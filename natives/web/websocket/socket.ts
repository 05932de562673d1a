import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { Bytes } from '../../../vm/values/bytes.js';
import { added, type Few, firstOf, listOf, without } from '../../../vm/fibers/few.js';
import type { Thrown } from '../../../vm/fibers/fiber.js';
import type { WaitStart } from '../../../vm/fibers/scheduler.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { bufferOf } from '../../core/bytes/texts.js';
import { HandoverOrder } from '../../core/handoverorder.js';
import { Receiver } from '../../core/receiver.js';
import { peerOf } from '../connection/inside.js';
import { destroyLater } from '../connection/linger.js';
import type { AppSession } from '../sessions/appsession.js';
import type { Budget } from './budget.js';
import { type Connection, give, type Owner } from './connection.js';
import { type FrameMeter, measured } from './meter.js';
import type { Opening } from './opening.js';

export const SOCKET = new HandleType('SvcWebSocket');

/** Close codes (RFC 6455, 7.4.1; 1012 and 1013 from IANA's registry). */
export const Close = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  unsupported: 1003,
  abnormal: 1006,
  tooBig: 1009,
  failed: 1011,
  restart: 1012,
  tryLater: 1013,
} as const;

/**
 * Bytes of received messages waiting for `recv` above which the peer is no longer read, and the bytes counted for each
 * message besides its text.
 */
const INBOX_BYTES = 256 * 1024;
const MESSAGE_COST = 100;
/** Bytes in a connection's outgoing queue above which `send` waits, and the lower limit used when memory is short. */
const QUEUE_BYTES = 1024 * 1024;
const SHORT_QUEUE_BYTES = 16 * 1024;
/**
 * Outgoing bytes in a compressor above which the answer to a ping is delayed: one pong answers all pings before it (RFC
 * 6455, 5.5.3).
 */
const COMPRESSOR_BYTES = 4 * 1024;
/**
 * Milliseconds that a handler has to finish answering a message before its connection is closed because the server
 * stops.
 */
const LEAVE_MS = 2000;
/** Maximum memory for the fragments of a message, including overhead, as a multiple of the maximum message size. */
const FRAGMENT_FACTOR = 4;

/** The socket of a program that a stream belongs to. Listeners find it here. */
const OWNER = Symbol('socket');

type Owned = Duplex & { [OWNER]: Socket };

// Listeners that all connections share: of 10,000 idle ones, own closures would take 1 MB.
const listeners = {
  data(this: Duplex, chunk: Buffer): void {
    (this as Owned)[OWNER].read(chunk);
  },
  drain(this: Duplex): void {
    (this as Owned)[OWNER].drained();
  },
};

/** Hears when a connection has ended. */
export interface ClosedListener {
  closed(socket: Socket): void;
}

/** A thread that waits for a message. */
class MessageReceiver extends Receiver {
  /** The number of its message, if it has got one. */
  private number = 0;

  constructor(
    private readonly socket: Socket,
    vm: NativeContext,
    goOn: (value: Value) => void,
    failed: (thrown: Thrown) => void,
    timeout: Value,
  ) {
    super(vm, goOn, failed, timeout);
  }

  /** Ends the wait with a message. @param number its place in the order of the socket */
  receive(message: string | Bytes, number: number): void {
    this.number = number;
    this.resume(message);
  }

  giveBack(message: Value): void {
    if (message !== null) this.socket.takeBack(message as string | Bytes, this.number);
  }

  protected leave(): void {
    this.socket.forgetReceiver(this);
  }
}

/** Bytes that a waiting message takes. */
function costOf(message: string | Bytes): number {
  return (typeof message === 'string' ? Buffer.byteLength(message) : message.length) + MESSAGE_COST;
}

/** One WebSocket of a server or a client, as seen by programs. */
export class Socket extends Handle implements Owner {
  /** Code with which the connection ended; null while it is open. */
  closeCode: number | null = null;
  closeReason = '';
  /** The session of its handshake; null until the program asks for it. */
  session: AppSession | null = null;
  /** Whether `recv` has reported the end to a thread. */
  noticed = false;
  /** Whether something has arrived since this was last set to false. */
  alive = true;
  /** Fields that the program adds to the line of the access log at the end of the connection. */
  logFields: Hash | null = null;
  private closedListeners: Few<ClosedListener> = null;
  private closing = false;
  /** Messages that no thread has received yet; null while there has been none: an array takes 180 bytes. */
  private inbox: (string | Bytes)[] | null = null;
  private inboxBytes = 0;
  /** Null while no message has been passed to a thread that waits. */
  private order: HandoverOrder | null = null;
  private receivers: Few<MessageReceiver> = null;
  private writers: Few<() => void> = null;
  /** Measures an incomplete message; null between messages. */
  private meter: FrameMeter | null = null;
  /** Bytes of the budget held by this connection. */
  private share = 0;
  private owedPong: Buffer | null = null;
  private sentCode: number | null = null;
  /** Close code and reason to send once everything that has arrived is answered. */
  private farewell: { code: number; reason: string } | null = null;
  private hasLeft = false;
  /** State of the handler: no message in hand; working on one; or working on one and has sent something since. */
  private work: 'none' | 'begun' | 'answered' = 'none';

  /** Whether outgoing data is held back until the end of the turn. */
  private held = false;

  constructor(
    private readonly vm: NativeContext,
    private readonly ws: Connection,
    private readonly stream: Duplex,
    private readonly budget: Budget,
    readonly opening: Opening,
  ) {
    super();
    give(ws, this);
    (stream as Owned)[OWNER] = this;
    // Before `ws` reads the same bytes: it may use up to a hundred times their size in memory.
    stream.prependListener('data', listeners.data);
    stream.on('drain', listeners.drain);
  }

  get type(): HandleType {
    return SOCKET;
  }

  override describe(): string {
    return `<SvcWebSocket ${this.opening.path} ${this.isOpen ? 'open' : 'closed'}>`;
  }

  get isOpen(): boolean {
    return !this.closing && this.closeCode === null && this.ws.readyState === this.ws.OPEN;
  }

  /** Whether the peer is not being read because too many received messages wait for `recv`. */
  get isPaused(): boolean {
    return this.ws.isPaused;
  }

  /** Outgoing bytes that the peer has not read. */
  get queued(): number {
    return this.ws.bufferedAmount;
  }

  /** Whether the peer reads more slowly than messages are sent to it. */
  get isSlow(): boolean {
    // Below the stream's own high-water mark no event would report that the queue has drained.
    return (
      this.queued >
      (this.budget.exceeded ? Math.max(SHORT_QUEUE_BYTES, this.stream.writableHighWaterMark) : QUEUE_BYTES)
    );
  }

  /** Whether enough is queued that `drained` will be called. A shorter queue empties without an event. */
  private get isBehind(): boolean {
    const { writableNeedDrain, writableLength } = this.stream;
    return writableNeedDrain || this.queued - writableLength > COMPRESSOR_BYTES;
  }

  /** Tells the listener when the connection has ended. */
  onClosed(listener: ClosedListener): void {
    this.closedListeners = added(this.closedListeners, listener);
  }

  /** Measures what arrives. */
  read(chunk: Buffer): void {
    this.alive = true;
    const before = this.incomplete;
    this.meter = measured(this.meter, chunk);
    const held = this.incomplete;
    // `ws` ends the connection when it reaches that frame.
    if (this.meter?.hasBrokenLength === true && this.isOpen) this.ws.close(Close.protocolError);
    if (held === 0 && before === 0) return;
    this.account();
    if (held > this.opening.terms.messageBytes * FRAGMENT_FACTOR)
      this.refuse(chunk, Close.tooBig, 'too many fragments');
    else if (held > before && this.budget.exceeded)
      this.refuse(chunk, Close.tryLater, 'the server is out of memory for messages');
  }

  /** Closes a connection that uses too much memory. Neither this chunk nor later data is kept. */
  private refuse(chunk: Buffer, code: number, reason: string): void {
    // `ws` receives this chunk even if its listener is removed; it stops at zeros, which are not valid frames.
    chunk.fill(0);
    if (this.closing) {
      this.terminate();
      return;
    }
    this.close(code, reason);
    this.ignoreRest();
  }

  /** Discards further input, and ends the connection soon, so that the peer can read the close frame. */
  ignoreRest(): void {
    this.stream.removeAllListeners('data');
    this.stream.resume();
    destroyLater(() => this.terminate());
  }

  /** Bytes of the incomplete message. */
  private get incomplete(): number {
    return this.meter?.held ?? 0;
  }

  private account(): void {
    const share = this.closeCode === null ? this.incomplete + this.inboxBytes + this.queued : this.inboxBytes;
    this.budget.change(this.share, share);
    this.share = share;
  }

  /** Gives a message to the thread that waits longest, or keeps it. */
  received(data: Buffer, isBinary: boolean): void {
    if (this.closing) return;
    const keepsBytes = isBinary && this.opening.terms.binary;
    if (isBinary && !keepsBytes && !isUtf8(data)) {
      this.close(Close.unsupported, 'text messages only');
      return;
    }
    // A copy of the bytes: `ws` may use their buffer again.
    const message = keepsBytes ? new Bytes(new Uint8Array(data)) : data.toString();
    const receiver = firstOf(this.receivers);
    if (receiver !== null) {
      this.forgetReceiver(receiver);
      this.work = 'begun';
      receiver.receive(message, (this.order ??= new HandoverOrder()).next());
      this.vm.scheduler.runBacklog(data.length);
      return;
    }
    if (this.inbox === null) this.inbox = [message];
    else this.inbox.push(message);
    this.inboxBytes += data.length + MESSAGE_COST;
    this.account();
    if (this.inboxBytes > INBOX_BYTES) this.ws.pause();
  }

  /** Keeps a message for the next `recv`: the thread that waited for it ends before it has it. */
  takeBack(message: string | Bytes, number: number): void {
    const receiver = firstOf(this.receivers);
    if (receiver !== null) {
      this.forgetReceiver(receiver);
      receiver.receive(message, number);
    } else {
      this.order?.giveBack((this.inbox ??= []), message, number);
      this.inboxBytes += costOf(message);
      this.account();
    }
  }

  pinged(data: Buffer): void {
    if (!this.isOpen) return;
    if (this.isBehind) this.owedPong = data;
    else this.ws.pong(data);
  }

  /** Called when the peer has read what was queued. */
  drained(): void {
    this.account();
    if (this.owedPong !== null && this.isOpen) this.ws.pong(this.owedPong);
    this.owedPong = null;
    if (!this.isSlow) this.wakeWriters();
  }

  private wakeWriters(): void {
    const { writers } = this;
    this.writers = null;
    for (const writer of listOf(writers)) writer();
  }

  /** Ends the waits of all threads: no message will arrive. */
  private wakeAll(): void {
    const { receivers } = this;
    this.receivers = null;
    for (const receiver of listOf(receivers)) {
      this.noticed = true;
      receiver.resume(null);
    }
    this.wakeWriters();
  }

  /** Called once, when the connection has ended. */
  ended(code: number, reason: Buffer): void {
    // 1006 means that no close frame arrived. If this side closed the connection, its own code is more informative.
    this.closeCode = code === Close.abnormal ? (this.sentCode ?? code) : code;
    this.closeReason = reason.toString();
    this.account();
    this.wakeAll();
    const { closedListeners } = this;
    this.closedListeners = null;
    for (const listener of listOf(closedListeners)) listener.closed(this);
  }

  /**
   * For natives: returns the next message, waiting for it if necessary; nil once the connection has ended. `timeout` is
   * in seconds and raises TimeoutError.
   */
  recv(vm: NativeContext, timeout: Value): Value | undefined {
    const message = this.inbox?.shift();
    if (message !== undefined && !this.closing) {
      this.order?.next();
      this.inboxBytes -= costOf(message);
      this.account();
      if (this.ws.isPaused && this.inboxBytes <= INBOX_BYTES / 2) this.ws.resume();
      this.work = 'begun';
      return message;
    }
    this.work = 'none';
    if (this.farewell !== null) this.leaveSoon();
    // Messages read earlier may still arrive between the peer's close frame and the end of the connection.
    if (this.closing || this.closeCode !== null) {
      this.noticed = true;
      return null;
    }
    return this.park(vm, timeout ?? this.opening.terms.timeout);
  }

  private park(vm: NativeContext, timeout: Value): undefined {
    const start: WaitStart = (resume, failed) => {
      const receiver = new MessageReceiver(this, vm, resume, failed, timeout);
      this.receivers = added(this.receivers, receiver);
      return receiver;
    };
    return vm.wait('websocket recv', start, peerOf(this.stream));
  }

  /** Ends the wait of a thread without a message. */
  forgetReceiver(receiver: MessageReceiver): void {
    this.receivers = without(this.receivers, receiver);
  }

  /** Queues a message without waiting; returns false when the connection has ended. */
  post(data: string | Buffer, isBinary: boolean): boolean {
    if (!this.isOpen) return false;
    if (!this.held) this.hold();
    this.ws.send(data, { binary: isBinary }, this.opening.terms.compressed ? () => this.drained() : undefined);
    if (this.queued > SHORT_QUEUE_BYTES || this.share > 0) this.account();
    return true;
  }

  /**
   * Collects the messages of one turn into one write, and writes to different peers one right after another: see
   * `afterFibers`.
   */
  private hold(): void {
    this.held = true;
    this.stream.cork();
    this.vm.scheduler.afterTurn(() => {
      this.held = false;
      this.stream.uncork();
      if (this.queued > 0 || this.share > 0) this.account();
    });
  }

  /** Writes what `post` posts in one piece, without waiting for the end of the turn. */
  atOnce(post: () => void): void {
    const { held } = this;
    this.held = true;
    this.stream.cork();
    post();
    this.stream.uncork();
    this.held = held;
    if (this.queued > 0 || this.share > 0) this.account();
  }

  /**
   * For natives: sends a message and waits while the peer's queue is long; returns false when the connection has ended.
   */
  send(vm: NativeContext, message: string | Bytes): Value | undefined {
    const isBinary = message instanceof Bytes;
    if (!this.post(isBinary ? bufferOf(message) : message, isBinary)) return false;
    if (this.work === 'begun') this.work = 'answered';
    if (!this.isSlow) return true;
    const start: WaitStart = (resume) => {
      const writer = (): void => resume(this.isOpen);
      this.writers = added(this.writers, writer);
      return () => {
        this.writers = without(this.writers, writer);
      };
    };
    return vm.wait('websocket send', start, peerOf(this.stream));
  }

  /** Begins to close the connection, once. Waiting threads resume at once. */
  close(code: number, reason = ''): void {
    if (this.closing || this.closeCode !== null) return;
    this.closing = true;
    if (!this.hasLeft) this.sentCode = code;
    this.ws.close(code, reason);
    this.forget();
    // A paused connection would never read the peer's answer.
    if (this.ws.isPaused) this.ws.resume();
    this.wakeAll();
  }

  /**
   * Closes the connection once everything that has arrived is answered: when the handler asks for the next message and
   * there is none, at the latest after `ms` milliseconds. Messages sent by the peer before it answers the close still
   * reach `recv`.
   */
  leave(code: number, reason: string, ms: number): void {
    if (this.farewell !== null || this.closing || this.closeCode !== null) return;
    this.farewell = { code, reason };
    this.leaveSoon();
    setTimeout(
      () => {
        if (this.work !== 'begun') this.sayFarewell();
      },
      Math.min(LEAVE_MS, ms),
    ).unref();
    setTimeout(() => this.sayFarewell(), ms).unref();
  }

  /** Closes after the next poll has read what has arrived, unless there is then a message to answer. */
  private leaveSoon(): void {
    setImmediate(() => {
      if (this.work === 'none' && (this.inbox?.length ?? 0) === 0) this.sayFarewell();
    });
  }

  private sayFarewell(): void {
    if (this.farewell === null || this.hasLeft || this.closing || this.closeCode !== null) return;
    this.hasLeft = true;
    this.sentCode = this.farewell.code;
    this.ws.close(this.farewell.code, this.farewell.reason);
    // A paused connection would never read the peer's answer.
    if (this.ws.isPaused) this.ws.resume();
    this.wakeWriters();
  }

  /** Drops received messages that will not be read. */
  forget(): void {
    this.inbox = null;
    this.inboxBytes = 0;
    this.account();
  }

  ping(): void {
    if (this.isOpen) this.ws.ping();
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.ws.terminate();
  }
}
