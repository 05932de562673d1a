import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Budget, Holder } from './budget.js';
import { onGone } from './disconnect.js';
import { remove } from './remove.js';

/** Bytes of a response that counts as small: about what a kernel takes at once. A connection that owes no more may begin its next request. */
export const SMALL_BYTES = 64 * 1024;
/** Requests of one connection that run at once at most, and by how many a small response lets more of them. */
const MOST_RUNNING = 128;
const WINDOW_STEP = 4;
/** Requests of one connection that wait before it is no longer read. */
const MOST_WAITING = 16;
/** Milliseconds until a connection that is not read, and has nothing to send, is read once more, unless so many requests wait. */
const LOOK_MS = 1000;
const MOST_LOOKED = 4096;
/** Requests that are ignored after a refused one before the connection is closed: node keeps an object for each. */
const MOST_IGNORED = 1000;

/** A request that waits for its turn. */
interface Waiting {
  readonly res: ServerResponse;
  begin(): void;
  /** The connection has closed first. */
  drop(): void;
}

const LANE = Symbol('lane');
const HELD = Symbol('held bytes');
const BEGUN = Symbol('begun');
const PLACE = Symbol('place');
/** Requests of all connections that wait. */
let allWaiting = 0;

type Connection = Duplex & { [LANE]?: Lane };
type Counted = ServerResponse & { [HELD]?: number; [BEGUN]?: true; [PLACE]?: number };

/** The lane of a connection. */
export function laneOf(socket: Duplex): Lane {
  return ((socket as Connection)[LANE] ??= new Lane(socket as Socket));
}

/** Notes that `res` has to be sent before anything else may be said on its connection. */
export function track(socket: Duplex, res: ServerResponse): void {
  laneOf(socket).owe(res);
  // No closure: this runs for every request.
  res.on('close', settled);
}

/** Place of a response in the order of its connection. */
function placeOf(res: Counted): number {
  return res[PLACE] ?? 0;
}

function settled(this: ServerResponse): void {
  laneOf(this.req.socket).settle(this);
}

/**
 * The requests of one connection and their unsent responses. A client may send thousands of requests and read nothing: the first request runs alone, each
 * small response lets four more run at once, a large one lets a single request run again. None begins while more than `SMALL_BYTES` wait to be sent.
 */
export class Lane implements Holder {
  /** Responses that are not sent yet, in the order of their requests. */
  readonly owed: ServerResponse[] = [];
  private readonly waiting: Waiting[] = [];
  private window = 1;
  /** Requests that have begun and whose responses are not sent. */
  private running = 0;
  private ignored = 0;
  /** Responses that were ever owed. */
  private places = 0;
  /** Bytes of responses that wait to be sent, and the budget they count in. */
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

  /** Whether all other responses wait for this one. Those behind it may have begun first, while its body arrived. */
  private isNext(res: ServerResponse): boolean {
    return this.owed[0] === res;
  }

  private get hasRoom(): boolean {
    return this.running < this.window && this.bytes <= SMALL_BYTES;
  }

  /** Notes that a request begins. */
  begin(res: ServerResponse): void {
    (res as Counted)[BEGUN] = true;
    this.running++;
  }

  /** Keeps a request until those before it have been answered. With `most` requests waiting in the process it closes the connection instead: false. */
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
    if (this.waiting.length >= MOST_WAITING && !this.isPaused) this.pause();
    return true;
  }

  /** Notes that a request is not answered: it came after one whose answer closes the connection. */
  ignore(): void {
    if (++this.ignored > MOST_IGNORED) this.evict();
  }

  /** Notes the size of a response: it decides how many requests may run at once. */
  answered(bytes: number): void {
    this.window = bytes > SMALL_BYTES ? 1 : Math.min(MOST_RUNNING, this.window + WINDOW_STEP);
  }

  /** Whether a response of `bytes` may be kept until its client takes it. A small one on a connection that owes little always may. */
  admits(bytes: number, budget: Budget): boolean {
    return (bytes <= SMALL_BYTES && this.bytes <= SMALL_BYTES) || budget.makeRoom(bytes);
  }

  /** Notes that `bytes` of a response wait to be sent, in place of what was noted before; they are free once it has been sent. */
  hold(res: ServerResponse, bytes: number, budget: Budget): void {
    if (this.socket.destroyed) return;
    this.watch();
    this.budget ??= budget;
    this.change(bytes - ((res as Counted)[HELD] ?? 0));
    (res as Counted)[HELD] = bytes;
  }

  /** A response has been sent, or never will be. */
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
    this.close();
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
    if (this.isPaused && this.waiting.length <= MOST_WAITING / 2) this.resume();
  }

  private pause(): void {
    this.isPaused = true;
    // Node resumes a connection whenever it has sent something.
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

  /** That a client has gone shows only when its connection is read or written. */
  private lookLater(): void {
    setTimeout(() => {
      if (!this.isPaused || this.socket.destroyed) return;
      if (this.bytes === 0 && this.waiting.length < MOST_LOOKED) this.resume();
      else this.lookLater();
    }, LOOK_MS).unref();
  }

  private watch(): void {
    if (this.isWatched) return;
    this.isWatched = true;
    onGone(this.socket, () => this.close());
  }

  private close(): void {
    this.change(-this.bytes);
    allWaiting -= this.waiting.length;
    for (const { drop } of this.waiting.splice(0)) drop();
  }
}
