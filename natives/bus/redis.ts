import type { Redis } from 'ioredis';
import { reasonOf } from '../reasons.js';
import { connectRedis } from '../redis/connection.js';
import { ORIGIN_LENGTH, SILENCE_MS } from './driver.js';
import { NetworkedBus } from './networked.js';
import { unpack } from './outbox.js';
import type { BusEvents, BusOptions } from './driver.js';

/** Maximum characters of a pack. */
const PACK_CHARACTERS = 64 * 1024;

/** One of the two connections. */
interface Link {
  client: Redis | null;
  isReady: boolean;
  /** The last error, reported when the connection has ended. */
  problem: string;
}

const newLink = (): Link => ({ client: null, isReady: false, problem: '' });

/** Messages over Redis or Valkey, by PUBLISH and SUBSCRIBE. */
export class RedisBus extends NetworkedBus {
  /** In one SUBSCRIBE. */
  protected readonly topicsAtOnce = 1000;
  private readonly publisher = newLink();
  private readonly subscriber = newLink();

  constructor(
    private readonly url: string,
    options: BusOptions,
    events: BusEvents,
  ) {
    super(options, events);
  }

  protected get canPublish(): boolean {
    return this.publisher.isReady;
  }

  protected get canSubscribe(): boolean {
    return this.subscriber.isReady;
  }

  protected connect(): void {
    void this.dial(this.publisher, () => this.schedule());
    void this.dial(this.subscriber, () => this.subscriberReady());
  }

  private async dial(link: Link, onReady: () => void): Promise<void> {
    const client = await connectRedis(this.url, {
      connectionName: 'svc-bus',
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      enableOfflineQueue: false,
      // Do not send a message again that the server may have received.
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      // Commands without an answer fail when their connection breaks.
      maxRetriesPerRequest: 0,
    });
    if (this.isClosed) {
      client.disconnect();
      return;
    }
    link.client = client;
    client.on('error', (error: unknown) => (link.problem = problemOf(error)));
    client.on('ready', () => {
      link.isReady = true;
      onReady();
    });
    client.on('close', () => {
      link.isReady = false;
      this.lost(link.problem === '' ? 'the server closed the connection' : link.problem);
      link.problem = '';
    });
    client.on('message', (channel: string, text: string) => {
      if (!this.isForeign(text)) return;
      this.received(channel.slice(this.options.prefix.length + 1), text.slice(0, ORIGIN_LENGTH), unpack(text));
    });
  }

  protected override hold(isFull: boolean): void {
    const stream = this.subscriber.client?.stream;
    if (isFull) stream?.pause();
    else stream?.resume();
  }

  protected disconnect(): void {
    for (const { client } of [this.publisher, this.subscriber]) client?.disconnect();
  }

  protected ping(): void {
    for (const { client, isReady } of [this.publisher, this.subscriber]) if (isReady) client?.ping().catch(() => {});
  }

  protected async subscribeTo(topics: readonly string[]): Promise<void> {
    await this.subscriber.client?.subscribe(...topics.map((topic) => this.channel(topic)));
  }

  protected unsubscribeFrom(topic: string): void {
    this.subscriber.client?.unsubscribe(this.channel(topic)).catch(() => {});
  }

  protected sendSome(): number {
    const { client } = this.publisher;
    const pack = client === null ? null : this.outbox.take(PACK_CHARACTERS);
    if (client === null || pack === null) return 0;
    const { topic, text, count } = pack;
    client.publish(this.channel(topic), text).then(
      () => this.sent(text.length, 0),
      (error: unknown) => this.sent(text.length, count, error),
    );
    return text.length;
  }

  protected refusalOf(error: unknown): string | null {
    const { name, message } = error as Error;
    return name === 'ReplyError' ? message : null;
  }

  private channel(topic: string): string {
    return `${this.options.prefix}:${topic}`;
  }
}

/** Describes in a few words why a connection failed. */
function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'the server refuses connections';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the server closed the connection';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name of the host is unknown';
  if (code === 'ETIMEDOUT' || /timeout/i.test(message)) return `no answer for ${SILENCE_MS / 1000} s`;
  return reasonOf(error);
}
