/** Streams of server-sent events. */
import { Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { DurationValue } from '../../core/dates/duration.js';
import { methodsOf, type Num } from '../../core/declare.js';
import { HandoverOrder } from '../../core/handoverorder.js';
import { waitForOperation } from '../waiting.js';
import { type Event, EventParser } from './eventparser.js';
import { failureOf } from './failures.js';
import type { HttpResponse } from './response.js';
import { shownUrl } from './target.js';
import { mediaTypeOf } from '../../http/mediatype.js';

const EVENTS = new HandleType('HttpEvents');

/** An event for one thread, and its place in the order of the stream. */
interface Taken {
  event: Event;
  number: number;
}

/** The events of a response. */
export class HttpEvents extends Handle {
  private readonly decoder = new TextDecoder();
  private readonly parser = new EventParser();
  private readonly waiting: Event[] = [];
  private readonly order = new HandoverOrder();
  /** The read that is under way, for all threads that wait. It continues when a wait ends early. */
  private reading: Promise<boolean> | null = null;

  constructor(private readonly response: HttpResponse) {
    super();
  }

  get type(): HandleType {
    return EVENTS;
  }

  /** For natives: waits for the next event. nil at the end of the stream. */
  next(vm: NativeContext, timeout: Num | DurationValue | null): undefined {
    const { response } = this;
    let taken: Taken | null = null;
    return waitForOperation(
      vm,
      'event',
      async (signal) => {
        try {
          taken = await this.take(signal);
          return taken === null ? null : Hash.from(Object.entries(taken.event));
        } catch (error) {
          if (signal.aborted) return null;
          throw failureOf('GET', response.head.url, error).error;
        }
      },
      timeout,
      {
        endedBy: response.patience.endedBy,
        about: shownUrl(response.head.url),
        returned: () => {
          if (taken !== null) this.order.giveBack(this.waiting, taken.event, taken.number);
        },
      },
    );
  }

  /** The next event, for one thread alone; null at the end, or if `signal` is aborted. */
  private async take(signal: AbortSignal): Promise<Taken | null> {
    while (this.waiting.length === 0) {
      const hasMore = await (this.reading ??= this.read());
      if (signal.aborted || (!hasMore && this.waiting.length === 0)) return null;
    }
    return { number: this.order.next(), event: this.waiting.shift() as Event };
  }

  /** Reads a piece. Returns false at the end of the stream. */
  private async read(): Promise<boolean> {
    try {
      const { open } = this.response;
      const piece = open.isCut ? null : await open.next();
      if (piece === null) return false;
      this.waiting.push(...this.parser.feed(this.decoder.decode(piece, { stream: true })));
      return true;
    } finally {
      this.reading = null;
    }
  }

  /** Closes the connection. Events that have arrived are dropped. */
  close(): void {
    this.waiting.length = 0;
    this.response.close();
  }
}

/** The events of a response. @throws ValueError if it is no stream of events */
export function eventsOf(response: HttpResponse): Value {
  const type = String(response.headers.get('content-type') ?? 'no content type');
  if (response.status === 200 && mediaTypeOf(type) === 'text/event-stream') return new HttpEvents(response);
  response.close();
  return fail(
    Errors.ValueError,
    `${shownUrl(response.head.url)} is no stream of events: it answers ${response.status} with ${type}`,
  );
}

/** Methods of HttpEvents. */
// prettier-ignore
export const eventMethods = methodsOf('HttpEvents', [
  ['next', 'timeout: Number|Duration? = 30', 'Hash?', 'Waits for the next event, a Hash with `event`, `data` and `id`; nil at the end of the stream. After a TimeoutError the stream is still open.', (vm: NativeContext, events: HttpEvents, timeout: Num | DurationValue | null) => events.next(vm, timeout)],
  ['close', '', 'Nil', 'Closes the connection.', (_: unknown, events: HttpEvents) => events.close()],
]);
for (const fn of eventMethods) EVENTS.methods.set(fn.name, fn);
