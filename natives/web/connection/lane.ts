import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Budget, Holder } from './budget.js';
import { type Gone, onGone } from './disconnect.js';
import { remove } from '../../../vm/fibers/remove.js';

/**
 * Maximum bytes of a small response: about what a kernel accepts at once. A connection that owes at most this much may
 * begin its next request.
 */
export const SMALL_BYTES = 64 * 1024;
/**
 * Maximum requests of one connection that run at once, and by how many each small response raises the connection's
 * window.
 */
const MAX_RUNNING = 128;
const WINDOW_STEP = 4;
/** Waiting requests at which a connection is no longer read. */
const MAX_WAITING = 16;
/**
 * Milliseconds until a paused connection with nothing to send is read again, and the number of waiting requests from
 * which it stays paused.
 */
const LOOK_MS = 1000;
const MAX_WATCHED = 4096;
/** Requests ignored after a refused one before the connection is closed: node keeps an object for each. */
const MAX_IGNORED = 1000;

/** A request that is waiting for its turn. */
interface Waiting {
  readonly res: ServerResponse;
  begin(): void;
  /** Called when the connection closes first. */
  drop(): void;
}

const LANE = Symbol('lane');
const HELD = Symbol('held bytes');
const BEGUN = Symbol('begun');
const PLACE = Symbol('place');
const ENDED = Symbol('ended');
/** Waiting requests of all connections. */
let allWaiting = 0;

type Connection = Duplex & { [LANE]?: Lane };
type Counted = ServerResponse & { [HELD]?: number; [BEGUN]?: true; [PLACE]?: number; [ENDED]?: Ended };

/** Something that ends with a response. */
interface Ended {
  /** Called when the response has been sent or never will be. */
  ended(): void;
}

/** The lane of a connection. */
export function laneOf(socket: Duplex): Lane {
  return ((socket as Connection)[LANE] ??= new Lane(socket as Socket));
}

/** Whether responses of a connection are not sent yet; makes no lane for one that has none. */
export function owesResponses(socket: Duplex): boolean {
  const lane = (socket as Connection)[LANE];
  return lane !== undefined && lane.owed.length > 0;
}

/** Records that `res` must be sent before any later response on its connection. */
export function track(socket: Duplex, res: ServerResponse): void {
  laneOf(socket).owe(res);
  // A shared function instead of a closure: this runs for every request.
  res.on('close', settled);
}

/** Position of a response in the order of its connection. */
function placeOf(res: Counted): number {
  return res[PLACE] ?? 0;
}

/** Calls `ended` once `res`, which is tracked, has been sent or never will be. */
export function atEnd(res: ServerResponse, one: Ended): void {
  // Not a listener: a second one takes longer than all of this.
  (res as Counted)[ENDED] = one;
}

function settled(this: Counted): void {
  laneOf(this.req.socket).settle(this);
  this[ENDED]?.ended();
}

/**
 * The requests of one connection and their unsent responses. A client may send thousands of requests and read nothing,
 * so the first request runs alone; each small response lets four more run at once, and a large one resets the window to
 * a single request. No request begins while more than `SMALL_BYTES` wait to be sent.
 */
export class Lane implements Holder, Gone {
  /** Responses not yet sent, in the order of their requests. */
  readonly owed: ServerResponse[] = [];
  private readonly waiting: Waiting[] = [];
  private window = 1;
  /** Requests that have begun and whose responses are not yet sent. */
  private running = 0;
  private ignored = 0;
  /** Number of responses ever owed. */
  private places = 0;
  /** Bytes of responses that wait to be sent, and the budget that counts them. */
  private bytes = 0;
  private budget: Budget | null = null;
  private isWatched = false;
  private isPaused = false;
  private listens = false;

  constructor(private readonly socket: Socket) {}

  owe(res: ServerResponse): void {
    (res as Counted)[PLACE] = this.places++;
    this.owed.push(res);
  }

  /** Whether a request may begin now. */
  isFree(res: ServerResponse): boolean {
    return this.isNext(res) || (this.waiting.length === 0 && this.hasRoom);
  }

  /**
   * Whether this response is the first owed, so all others wait for it. Later requests may have begun first, while its
   * body arrived.
   */
  private isNext(res: ServerResponse): boolean {
    return this.owed[0] === res;
  }

  private get hasRoom(): boolean {
    return this.running < this.window && this.bytes <= SMALL_BYTES;
  }

  /** Records that a request begins. */
  begin(res: ServerResponse): void {
    (res as Counted)[BEGUN] = true;
    this.running++;
  }

  /**
   * Queues a request until those before it are answered. Closes the connection and returns false when `most` requests
   * are already waiting in the process.
   */
  wait(request: Waiting, most: number): boolean {
    if (this.socket.destroyed || allWaiting >= most) {
      request.drop();
      this.evict();
      return false;
    }
    this.watch();
    let at = this.waiting.length;
    while (at > 0 && placeOf(this.waiting[at - 1].res) > placeOf(request.res)) at--;
    this.waiting.splice(at, 0, request);
    allWaiting++;
    if (this.waiting.length >= MAX_WAITING && !this.isPaused) this.pause();
    return true;
  }

  /** Counts a request that is not answered because it came after one whose answer closes the connection. */
  ignore(): void {
    if (++this.ignored > MAX_IGNORED) this.evict();
  }

  /** Adjusts the number of requests that may run at once to the size of a response. */
  answered(bytes: number): void {
    this.window = bytes > SMALL_BYTES ? 1 : Math.min(MAX_RUNNING, this.window + WINDOW_STEP);
  }

  /**
   * Whether `bytes` of a response may be held until the client reads them. Always true for a small one on a connection
   * that owes little.
   */
  admits(bytes: number, budget: Budget): boolean {
    return (bytes <= SMALL_BYTES && this.bytes <= SMALL_BYTES) || budget.makeRoom(bytes);
  }

  /**
   * Records that `bytes` of a response wait to be sent, replacing the previous figure; released once it has been sent.
   */
  hold(res: ServerResponse, bytes: number, budget: Budget): void {
    if (this.socket.destroyed) return;
    this.watch();
    this.budget ??= budget;
    this.change(bytes - ((res as Counted)[HELD] ?? 0));
    (res as Counted)[HELD] = bytes;
  }

  /** Called when a response has been sent or never will be. */
  settle(res: ServerResponse): void {
    remove(this.owed, res);
    if ((res as Counted)[BEGUN] === true) this.running--;
    const held = (res as Counted)[HELD] ?? 0;
    if (held > 0 && this.bytes > 0) this.change(-held);
    if (this.waiting.length > 0) this.advance();
  }

  moved(): number {
    return this.socket.bytesWritten;
  }

  evict(): void {
    this.socket.destroy();
    this.gone();
  }

  private change(by: number): void {
    if (by === 0) return;
    const before = this.bytes;
    this.bytes += by;
    this.budget?.change(this, before, this.bytes);
  }

  private advance(): void {
    if (this.socket.destroyed) return;
    while (this.waiting.length > 0 && (this.hasRoom || this.isNext(this.waiting[0].res))) {
      allWaiting--;
      (this.waiting.shift() as Waiting).begin();
    }
    if (this.isPaused && this.waiting.length <= MAX_WAITING / 2) this.resume();
  }

  private pause(): void {
    this.isPaused = true;
    // Node resumes a connection whenever it has sent something; pause it again.
    if (!this.listens)
      this.socket.on('resume', () => {
        if (this.isPaused) this.socket.pause();
      });
    this.listens = true;
    this.socket.pause();
    this.lookLater();
  }

  private resume(): void {
    this.isPaused = false;
    this.socket.resume();
  }

  /** A disconnect is noticed only by reading or writing, so read a paused connection now and then. */
  private lookLater(): void {
    setTimeout(() => {
      if (!this.isPaused || this.socket.destroyed) return;
      if (this.bytes === 0 && this.waiting.length < MAX_WATCHED) this.resume();
      else this.lookLater();
    }, LOOK_MS).unref();
  }

  private watch(): void {
    if (this.isWatched) return;
    this.isWatched = true;
    onGone(this.socket, this);
  }

  /** Called when the connection has closed. */
  gone(): void {
    this.change(-this.bytes);
    allWaiting -= this.waiting.length;
    for (const { drop } of this.waiting.splice(0)) drop();
  }
}
