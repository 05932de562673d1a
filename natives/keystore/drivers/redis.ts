import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { withoutPassword } from '../../address.js';
import { reasonOf, type SystemError } from '../../data/postgres/failures.js';
import { connectRedis } from '../../redis/connection.js';
import {
  type Acquired,
  closedFailure,
  type Condition,
  type Counted,
  lateFailure,
  pauseBefore,
  type StoreDriver,
  StoreFailure,
  unknownFailure,
  Watchers,
} from './driver.js';
import { RedisReads } from './redisreads.js';
import { SCRIPTS, type Script } from './redisscripts.js';

/** Prefixes of the keys of values, and of the keys and channels of locks; the key of the last token. */
const VALUE = 'svc:k:';
const LOCK = 'svc:l:';
const TOKEN = 'svc:token';

/** The sum is computed by compare-and-set if the summand is as large as this. */
const MAX_CHANGE = 10n ** 18n;

/** Milliseconds between two checks for operations without an answer. */
const WATCH_MS = 100;

/** Whether an operation may be repeated if its connection broke before its answer. */
type Repeatable = 'repeatable' | 'once';

/** An operation that has no answer yet. */
interface Call {
  readonly startedAt: number;
  late(): void;
}

/** A store in a Redis or Valkey server. */
export class RedisStore implements StoreDriver {
  readonly isLocal = false;
  readonly label: string;
  private readonly watchers = new Watchers();
  private client: Redis | null = null;
  private connecting: Promise<Redis> | null = null;
  private subscriber: Promise<Redis> | null = null;
  /** Operations without an answer, the oldest first. */
  private readonly calls = new Set<Call>();
  private watching: NodeJS.Timeout | null = null;
  private answeredAt = 0;
  private isClosed = false;
  /** The connection whose output is held back until the end of this turn. */
  private corked: Redis['stream'] | null = null;
  private reason: string | null = null;
  private wakeUps = new Set<() => void>();
  private readonly reads = new RedisReads((keys) => this.run('repeatable', (client) => client.mgetBuffer(keys)));

  /** @param timeout milliseconds that an operation may take */
  constructor(
    private readonly url: string,
    private readonly timeout: number,
  ) {
    this.label = withoutPassword(url);
  }

  get(key: string): Promise<string | null> {
    return this.reads.get(VALUE + key);
  }

  async put(key: string, text: string, ttl: number | null, condition: Condition): Promise<boolean> {
    const times = condition === 'absent' ? 'once' : 'repeatable';
    const when = { always: [], absent: ['NX'], present: ['XX'] }[condition];
    const life = ttl === null ? [] : ['PX', whole(ttl)];
    return (await this.run(times, (client) => client.call('SET', [VALUE + key, text, ...life, ...when]))) === 'OK';
  }

  async replace(key: string, expected: string, text: string, ttl: number | null): Promise<boolean> {
    // The script compares digests, because a digest is shorter than the text.
    const digest = createHash('sha1').update(expected).digest('hex');
    return (await this.script('replace', [VALUE + key], [digest, text, whole(ttl)], 'once')) === 1;
  }

  async delete(key: string): Promise<boolean> {
    return (await this.run('repeatable', (client) => client.del(VALUE + key))) === 1;
  }

  async increment(key: string, by: bigint, ttl: number | null): Promise<Counted | null> {
    if (by >= MAX_CHANGE || by <= -MAX_CHANGE) return null;
    const answer = await this.script('increment', [VALUE + key], [String(by), whole(ttl)], 'once');
    if (answer === null) return null;
    const [text, left] = answer as [string, number];
    return { text, left: left < 0 ? null : left };
  }

  async acquire(name: string, owner: string, ttl: number): Promise<Acquired> {
    const answer = await this.script('acquire', [LOCK + name, TOKEN], [owner, whole(ttl)], 'repeatable');
    const [token, busyFor] = answer as [string, number];
    return token === '' ? { busyFor: Math.max(0, busyFor) } : { token: Number(token) };
  }

  async renew(name: string, owner: string, ttl: number): Promise<boolean> {
    return (await this.script('renew', [LOCK + name], [owner, whole(ttl)], 'repeatable')) === 1;
  }

  async release(name: string, owner: string): Promise<void> {
    await this.script('release', [LOCK + name], [owner], 'repeatable');
  }

  watch(name: string, changed: () => void): () => void {
    const stop = this.watchers.add(name, changed);
    void this.subscribe(name, changed);
    return () => {
      stop();
      if (!this.watchers.has(name)) void this.unsubscribe(name);
    };
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { late } of [...this.calls]) late();
    this.wakeAll();
    for (const opening of [this.connecting, this.subscriber]) (await opening)?.disconnect();
  }

  private script(script: Script, keys: string[], args: string[], times: Repeatable): Promise<unknown> {
    return this.run(times, (client) =>
      (client as unknown as Record<Script, (...args: string[]) => Promise<unknown>>)[script](...keys, ...args),
    );
  }

  /** Runs an operation; repeats it while the server cannot be reached. Rejects with StoreFailure. */
  private run<T>(times: Repeatable, operation: (client: Redis) => Promise<T>): Promise<T> {
    const { client } = this;
    return new Promise((resolve, reject) => {
      const call: Call = {
        startedAt: performance.now(),
        late: () => {
          this.calls.delete(call);
          reject(this.isClosed ? closedFailure(this.label) : lateFailure(this.label, this.timeout, this.reason));
        },
      };
      this.add(call);
      const done = (value: T): void => {
        this.calls.delete(call);
        this.answeredAt = performance.now();
        resolve(value);
      };
      const failed = (error: unknown): void => {
        this.calls.delete(call);
        reject(error);
      };
      // The usual case makes no further promises.
      if (client !== null && client.status === 'ready')
        this.sent(client, operation).then(done, (error: Error) => {
          if (this.mayRepeat(error, times, failed)) this.later(call, times, operation).then(done, failed);
        });
      else this.later(call, times, operation).then(done, failed);
    });
  }

  /**
   * Sends an operation in one packet with all others of this turn of the event loop. The option of ioredis for that
   * takes longer than the commands.
   */
  private sent<T>(client: Redis, operation: (client: Redis) => Promise<T>): Promise<T> {
    const { stream } = client;
    if (this.corked !== stream) {
      this.corked = stream;
      stream.cork();
      process.nextTick(() => {
        if (this.corked === stream) this.corked = null;
        stream.uncork();
      });
    }
    return operation(client);
  }

  /** Runs an operation as soon as the server can be reached. After the timeout of the call it never settles. */
  private async later<T>(call: Call, times: Repeatable, operation: (client: Redis) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const client = await this.ready(call);
      if (client === null) return new Promise(() => {});
      let refused: unknown = null;
      try {
        return await this.sent(client, operation);
      } catch (error) {
        if (!this.mayRepeat(error as Error, times, (failure) => (refused = failure))) throw refused;
      }
      await this.pause(pauseBefore(attempt));
    }
  }

  /** Whether an operation may be repeated after `error`. If not, passes the failure of the operation to `failed`. */
  private mayRepeat(error: Error, times: Repeatable, failed: (failure: StoreFailure) => void): boolean {
    if (this.isClosed) failed(closedFailure(this.label));
    else if (isReply(error)) {
      if (/^(LOADING|BUSY|TRYAGAIN|MASTERDOWN)/.test(error.message)) return true;
      const isRefusal = /^(NOAUTH|WRONGPASS|NOPERM)/.test(error.message);
      failed(
        new StoreFailure(
          isRefusal ? 'connection' : 'engine',
          `the key store ${this.label}: ${reasonIn(error.message)}`,
        ),
      );
    } else if (times === 'repeatable' || isUnsent(error)) return true;
    else failed(unknownFailure(this.label));
    return false;
  }

  /** Waits for a connection. Resolves with null if the call has ended. */
  private async ready(call: Call): Promise<Redis | null> {
    if (this.isClosed) throw closedFailure(this.label);
    const client = await (this.connecting ??= this.connect());
    while (client.status !== 'ready') {
      if (!this.calls.has(call)) return null;
      await this.pause(WATCH_MS);
    }
    return this.calls.has(call) ? client : null;
  }

  /** Waits `ms` milliseconds, or until the connection is ready. */
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wakeUps.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wakeUps.add(wake);
    });
  }

  private wakeAll(): void {
    for (const wake of [...this.wakeUps]) wake();
  }

  private async connect(): Promise<Redis> {
    const client = await connectRedis(this.url, {
      // An operation must not run after its caller has received an error, so none waits in a queue.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      // Operations whose connection breaks fail at once.
      maxRetriesPerRequest: 0,
      connectTimeout: this.timeout,
    });
    for (const [name, { keys, lua }] of Object.entries(SCRIPTS))
      client.defineCommand(name, { numberOfKeys: keys, lua });
    client.on('error', (error: SystemError) => (this.reason = isReply(error) ? error.message : reasonOf(error)));
    client.on('ready', () => {
      this.reason = null;
      this.wakeAll();
    });
    if (this.isClosed) client.disconnect();
    return (this.client = client);
  }

  private add(call: Call): void {
    this.calls.add(call);
    this.watching ??= setTimeout(() => this.look(), WATCH_MS);
  }

  /** Ends operations without an answer within the timeout. */
  private look(): void {
    this.watching = null;
    const limit = performance.now() - this.timeout;
    let isSilent = false;
    for (const call of this.calls) {
      if (call.startedAt > limit) break;
      isSilent ||= this.answeredAt < call.startedAt;
      call.late();
    }
    // A connection to a server that has disappeared may stay open for many minutes.
    if (isSilent && this.client?.status === 'ready') this.client.disconnect(true);
    if (this.calls.size > 0) this.watching = setTimeout(() => this.look(), WATCH_MS);
  }

  /** Subscribes to the channel of a lock, then calls `changed`, because a release may have been missed. */
  private async subscribe(name: string, changed: () => void): Promise<void> {
    try {
      const client = await (this.subscriber ??= this.connectSubscriber());
      await client.subscribe(LOCK + name);
      changed();
    } catch {
      // The next connection subscribes to all channels again.
    }
  }

  private async unsubscribe(name: string): Promise<void> {
    try {
      await (await this.subscriber)?.unsubscribe(LOCK + name);
      // Another thread may have begun to wait during the await.
      if (this.watchers.has(name)) await (await this.subscriber)?.subscribe(LOCK + name);
    } catch {
      // The connection broke, which ends the subscription.
    }
  }

  private async connectSubscriber(): Promise<Redis> {
    const client = await connectRedis(this.url, { maxRetriesPerRequest: null });
    client.on('error', () => {});
    client.on('message', (channel: string) => this.watchers.notify(channel.slice(LOCK.length)));
    client.on('ready', () => this.watchers.notifyAll());
    if (this.isClosed) client.disconnect();
    return client;
  }
}

/** A time to live in whole milliseconds; empty for none. */
function whole(ttl: number | null): string {
  return ttl === null ? '' : String(Math.ceil(ttl));
}

/** The message of a reply, without what Redis 6 and 7 say of the script in which the error occurred. */
function reasonIn(reply: string): string {
  if (/\bWRONGTYPE\b/.test(reply)) return 'the key holds a value that was not written by a key store of Svc';
  return reply
    .replace(/^ERR Error running script \(call to f_[0-9a-f]{40}\): @user_script:\d+: /, '')
    .replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.$/, '');
}

/** Whether an error is the server's answer. */
function isReply(error: Error): boolean {
  return error.name === 'ReplyError';
}

/** Whether an operation failed before it was sent. */
function isUnsent(error: Error): boolean {
  return error.message.includes('enableOfflineQueue');
}
