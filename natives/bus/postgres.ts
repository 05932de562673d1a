import { lacksTable, type SqlFailure } from '../data/driver.js';
import { parseUrl, type Target } from '../data/postgres/url.js';
import { type BusEvents, type BusOptions, ORIGIN_LENGTH } from './driver.js';
import { NetworkedBus } from './networked.js';
import { unpack } from './outbox.js';
import { Line } from './postgresline.js';

/** Maximum bytes of a notification; the server accepts less than 8,000. */
const NOTIFICATION_BYTES = 7900;
/** Channels over which topics are distributed. */
const CHANNELS = 64;
/** Maximum packs and characters in one statement. */
const PACKS_AT_ONCE = 500;
const STATEMENT_CHARACTERS = 512 * 1024;
/** Seconds for which the text of a large message stays in its table, and milliseconds between removals of old ones. */
const KEPT_SECONDS = 60;
const CLEANING_MS = 30_000;

const TABLE = 'svc_bus_messages';
/** Comes before the number of the row in a notification whose text is in a row. */
const LARGE = '@';

/** Creates the table under a lock: two processes at the same time would both create its type, which is an error. */
const CREATE_TABLE = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(7305806);
  CREATE UNLOGGED TABLE IF NOT EXISTS ${TABLE} (id bigserial PRIMARY KEY, created timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
END $$`;

const NOTIFY = 'SELECT pg_notify(pack->>0, pack->>1) FROM json_array_elements($1::json) AS pack';
const NOTIFY_LARGE = `WITH message AS (INSERT INTO ${TABLE} (body) VALUES ($2) RETURNING id) SELECT pg_notify($1, $3 || id) FROM message`;
const READ_LARGE = `SELECT body FROM ${TABLE} WHERE id = $1`;
const CLEAN = `DELETE FROM ${TABLE} WHERE created < now() - interval '${KEPT_SECONDS} seconds'`;

/** Returns the server and database that a URL names, or what is wrong with the URL. */
export function targetOf(url: string): Target | string {
  try {
    return { ...parseUrl(url), applicationName: 'svc-bus' };
  } catch (failure) {
    return (failure as SqlFailure).message;
  }
}

/** Messages over PostgreSQL, by NOTIFY and LISTEN. Texts too long for a notification are rows of a table. */
export class PostgresBus extends NetworkedBus {
  protected readonly topicsAtOnce = Infinity;
  private readonly publisher: Line;
  private readonly listener: Line;
  /** Number of subscribed topics of each channel that is listened to. */
  private readonly listening = new Map<string, number>();
  private isSending = false;
  private hasTable = false;
  private cleaning: NodeJS.Timeout | null = null;
  /** Notifications that wait while the text of an earlier one is read; null: none is being read. */
  private held: string[] | null = null;

  constructor(target: Target, options: BusOptions, events: BusEvents) {
    super(options, events);
    const onLost = (reason: string): void => this.lost(reason);
    this.publisher = new Line(target, () => this.schedule(), onLost);
    this.listener = new Line(
      target,
      () => {
        this.listening.clear();
        this.subscriberReady();
      },
      onLost,
      (_channel, payload) => this.notified(payload),
    );
  }

  protected get canPublish(): boolean {
    return this.publisher.isReady;
  }

  protected get canSubscribe(): boolean {
    return this.listener.isReady;
  }

  protected connect(): void {
    void this.publisher.open();
    void this.listener.open();
  }

  protected disconnect(): void {
    if (this.cleaning !== null) clearInterval(this.cleaning);
    this.publisher.close();
    this.listener.close();
  }

  protected ping(): void {
    this.publisher.ping();
    this.listener.ping();
  }

  protected async subscribeTo(topics: readonly string[]): Promise<void> {
    const fresh = new Set<string>();
    for (const topic of topics) {
      const channel = this.channel(topic);
      const count = this.listening.get(channel) ?? 0;
      this.listening.set(channel, count + 1);
      if (count === 0) fresh.add(channel);
    }
    // Without a new channel run a statement, too: it is answered after an earlier LISTEN.
    const statements = [...fresh].map((channel) => this.listener.run(`LISTEN "${channel}"`));
    try {
      await Promise.all(statements.length === 0 ? [this.listener.run('SELECT 1')] : statements);
    } catch (error) {
      // Those that were removed meanwhile are not counted any more.
      for (const topic of topics) if (this.topics.has(topic)) this.unsubscribeFrom(topic);
      throw error;
    }
  }

  protected unsubscribeFrom(topic: string): void {
    const channel = this.channel(topic);
    const count = this.listening.get(channel) ?? 0;
    if (count > 1) {
      this.listening.set(channel, count - 1);
      return;
    }
    this.listening.delete(channel);
    this.listener.run(`UNLISTEN "${channel}"`).catch(() => {});
  }

  /** Sends one statement at a time. Messages that are added meanwhile are sent together in the next one. */
  protected sendSome(): number {
    if (this.isSending) return 0;
    const packs: [channel: string, text: string][] = [];
    let count = 0;
    let characters = 0;
    while (packs.length < PACKS_AT_ONCE && characters < STATEMENT_CHARACTERS) {
      const pack = this.outbox.take(NOTIFICATION_BYTES, Buffer.byteLength);
      if (pack === null) break;
      const text = `${pack.text.slice(0, ORIGIN_LENGTH)}${pack.topic.length} ${pack.topic}${pack.text.slice(ORIGIN_LENGTH)}`;
      count += pack.count;
      characters += text.length;
      packs.push([this.channel(pack.topic), text]);
    }
    if (packs.length === 0) return 0;
    this.isSending = true;
    const settled = (failed: number, error: unknown): void => {
      this.isSending = false;
      this.sent(characters, failed, error);
    };
    this.transmit(packs).then(
      () => settled(0, null),
      (error: unknown) => settled(count, error),
    );
    return characters;
  }

  private async transmit(packs: [channel: string, text: string][]): Promise<void> {
    let small: [string, string][] = [];
    const notify = async (): Promise<void> => {
      if (small.length === 0) return;
      const sent = JSON.stringify(small);
      small = [];
      await this.publisher.run(NOTIFY, [sent]);
    };
    for (const [channel, text] of packs) {
      if (Buffer.byteLength(text) <= NOTIFICATION_BYTES) {
        small.push([channel, text]);
        continue;
      }
      await notify();
      await this.notifyLarge([channel, text, `${text.slice(0, ORIGIN_LENGTH)}${LARGE}`]);
    }
    await notify();
  }

  /** Stores a large text and notifies. Creates the table if it is missing, also if the server has lost it since. */
  private async notifyLarge(values: [channel: string, text: string, mark: string]): Promise<void> {
    await this.createTable();
    try {
      await this.publisher.run(NOTIFY_LARGE, values);
    } catch (failure) {
      if (!lacksTable(failure)) throw failure;
      this.hasTable = false;
      await this.createTable();
      await this.publisher.run(NOTIFY_LARGE, values);
    }
  }

  private async createTable(): Promise<void> {
    if (this.hasTable) return;
    await this.publisher.run(CREATE_TABLE);
    this.hasTable = true;
    const clean = (): void => void this.publisher.run(CLEAN).catch(() => {});
    clean();
    this.cleaning ??= setInterval(clean, CLEANING_MS);
  }

  protected refusalOf(error: unknown): string | null {
    const { kind, message } = error as SqlFailure;
    return kind === 'database' ? message : null;
  }

  /** Passes notifications on in their order: while the text of one is read, later ones wait. */
  private notified(payload: string): void {
    if (!this.isForeign(payload)) return;
    if (this.held !== null) this.held.push(payload);
    else if (payload[ORIGIN_LENGTH] === LARGE) void this.readLarge(payload);
    else this.deliver(payload);
  }

  private async readLarge(first: string): Promise<void> {
    this.held = [];
    await this.deliverLarge(first);
    // Further notifications may be added during the loop.
    for (let i = 0; i < this.held.length; i++) {
      const payload = this.held[i];
      if (payload[ORIGIN_LENGTH] === LARGE) await this.deliverLarge(payload);
      else this.deliver(payload);
    }
    this.held = null;
  }

  private async deliverLarge(payload: string): Promise<void> {
    try {
      const [row] = await this.listener.run(READ_LARGE, [payload.slice(ORIGIN_LENGTH + 1)]);
      if (row !== undefined) this.deliver(row[0] as string);
    } catch {
      // The connection broke, which is reported as a gap.
    }
  }

  private deliver(payload: string): void {
    const at = payload.indexOf(' ') + 1;
    const length = Number(payload.slice(ORIGIN_LENGTH, at));
    if (at === 0 || !(length >= 0)) return;
    const topic = payload.slice(at, at + length);
    this.received(topic, payload.slice(0, ORIGIN_LENGTH), unpack(payload.slice(at + length)));
  }

  /** Returns the channel of a topic. There are few channels, because the server compares each notification with all. */
  private channel(topic: string): string {
    let hash = 0;
    for (let i = 0; i < topic.length; i++) hash = (hash * 31 + topic.charCodeAt(i)) | 0;
    return `svc_bus:${this.options.prefix}:${(hash >>> 0) % CHANNELS}`;
  }
}
