import { WAITING_CHARACTERS } from './driver.js';

/** Messages to one topic in one text: the origin and a number, then the length and the payload of each message. */
export interface Pack {
  readonly topic: string;
  readonly text: string;
  /** Number of messages in it. */
  readonly count: number;
}

interface Queue {
  readonly payloads: string[];
  /** Index of the first payload that has not been taken. */
  next: number;
}

/**
 * Messages that wait to be sent. Those of a turn to the same topic are sent as one, because an engine takes about as
 * long for a hundred messages in one as for one.
 */
export class Outbox {
  private readonly queues = new Map<string, Queue>();
  private packs = 0;
  /** Characters of the messages that wait. */
  waiting = 0;
  dropped = 0;

  /** @param origin first part of each pack */
  constructor(private readonly origin: string) {}

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  /** Adds a message. Returns false, and drops it, if too many characters wait. @param held those that wait elsewhere */
  add(topic: string, payload: string, held = 0): boolean {
    const size = topic.length + payload.length;
    if (this.waiting + held + size > WAITING_CHARACTERS && this.waiting + held > 0) {
      this.dropped++;
      return false;
    }
    this.waiting += size;
    const queue = this.queues.get(topic);
    if (queue === undefined) this.queues.set(topic, { payloads: [payload], next: 0 });
    else queue.payloads.push(payload);
    return true;
  }

  /**
   * Removes messages to the topic that has waited longest: as many as `limit` allows, at least one. Returns null if no
   * message waits.
   * @param limit maximum size of the pack
   * @param sizeOf size of a text in the unit of `limit`
   */
  take(limit: number, sizeOf: (text: string) => number = (text) => text.length): Pack | null {
    const [first] = this.queues;
    if (first === undefined) return null;
    const [topic, queue] = first;
    const { payloads } = queue;
    const begin = queue.next;
    let text = `${this.origin}${(this.packs++).toString(36)} `;
    let size = sizeOf(text) + sizeOf(topic);
    while (queue.next < payloads.length) {
      const payload = payloads[queue.next];
      const frame = `${payload.length}:${payload}`;
      size += sizeOf(frame);
      if (queue.next > begin && size > limit) break;
      text += frame;
      this.waiting -= topic.length + payload.length;
      queue.next++;
    }
    if (queue.next === payloads.length) this.queues.delete(topic);
    return { topic, text, count: queue.next - begin };
  }
}

/** Yields the payloads of a pack. Stops at text that is not in the form of a pack. */
export function* unpack(text: string): Generator<string, void, void> {
  let at = text.indexOf(' ') + 1;
  if (at === 0) return;
  while (at < text.length) {
    const colon = text.indexOf(':', at);
    const length = colon < 0 ? NaN : Number(text.slice(at, colon));
    if (!(length >= 0) || colon + 1 + length > text.length) return;
    yield text.slice(colon + 1, colon + 1 + length);
    at = colon + 1 + length;
  }
}
