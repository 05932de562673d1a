import type { Channel } from '../../cluster/channel.js';
import { within } from '../../within.js';
import {
  type Acquired,
  type Condition,
  type Counted,
  lateFailure,
  type StoreDriver,
  StoreFailure,
  Watchers,
} from './driver.js';

/** Name of the service of the first process that keeps the stores in memory. */
export const KEYSTORE_SERVICE = 'keystore';

/** Operations that a worker asks for. */
export type StoreCall = 'get' | 'put' | 'replace' | 'delete' | 'increment' | 'acquire' | 'renew' | 'release';

/** What a worker sends: an operation, or whether releases of a lock are to be reported to it. */
export type StoreMessage =
  | { readonly store: string; readonly call: StoreCall; readonly args: readonly unknown[] }
  | { readonly store: string; readonly name: string; readonly watches: boolean };

/** The answer to an operation. */
export type StoreAnswer = { readonly value: unknown } | { readonly full: string };

/** What the first process sends when a lock is released. */
export interface Released {
  readonly store: string;
  readonly released: string;
}

/** The stores of this worker, by their labels. */
const stores = new Map<string, FirstStore>();

/** A store in the memory of the first process of `svcc run --workers`, which all workers share. */
export class FirstStore implements StoreDriver {
  readonly isLocal = false;
  private readonly watchers = new Watchers();

  /** @param timeout milliseconds that an operation may take */
  constructor(
    readonly label: string,
    private readonly channel: Channel,
    private readonly timeout: number,
  ) {
    stores.set(label, this);
    channel.on(KEYSTORE_SERVICE, (message) => {
      const { store, released } = message as Released;
      stores.get(store)?.watchers.notify(released);
    });
  }

  get(key: string): Promise<string | null> {
    return this.call('get', [key]);
  }

  put(key: string, text: string, ttl: number | null, condition: Condition): Promise<boolean> {
    return this.call('put', [key, text, ttl, condition]);
  }

  replace(key: string, expected: string, text: string, ttl: number | null): Promise<boolean> {
    return this.call('replace', [key, expected, text, ttl]);
  }

  delete(key: string): Promise<boolean> {
    return this.call('delete', [key]);
  }

  increment(key: string, by: bigint, ttl: number | null): Promise<Counted | null> {
    return this.call('increment', [key, by, ttl]);
  }

  acquire(name: string, owner: string, ttl: number): Promise<Acquired> {
    return this.call('acquire', [name, owner, ttl]);
  }

  renew(name: string, owner: string, ttl: number): Promise<boolean> {
    return this.call('renew', [name, owner, ttl]);
  }

  release(name: string, owner: string): Promise<void> {
    return this.call('release', [name, owner]);
  }

  watch(name: string, changed: () => void): () => void {
    const stop = this.watchers.add(name, changed);
    this.post(name, true);
    // The watch has begun for every later message, because messages arrive in order.
    queueMicrotask(changed);
    return () => {
      stop();
      if (!this.watchers.has(name)) this.post(name, false);
    };
  }

  /** Does nothing, because other handles of the program may use the same store. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  private post(name: string, watches: boolean): void {
    const message: StoreMessage = { store: this.label, name, watches };
    this.channel.post(KEYSTORE_SERVICE, message);
  }

  private async call<T>(call: StoreCall, args: readonly unknown[]): Promise<T> {
    const message: StoreMessage = { store: this.label, call, args };
    const answer = await within(this.timeout, this.asked(message), () => {
      throw lateFailure(this.label, this.timeout, null);
    });
    if ('full' in answer) throw new StoreFailure('full', answer.full);
    return answer.value as T;
  }

  private async asked(message: StoreMessage): Promise<StoreAnswer> {
    try {
      return (await this.channel.request(KEYSTORE_SERVICE, message)) as StoreAnswer;
    } catch (error) {
      throw new StoreFailure('connection', `the key store ${this.label}: ${(error as Error).message}`);
    }
  }
}
