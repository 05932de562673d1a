import type { Channel } from '../cluster/channel.js';
import type { SharedService } from '../cluster/services.js';
import { StoreFailure } from './drivers/driver.js';
import { KEYSTORE_SERVICE, type Released, type StoreAnswer, type StoreMessage } from './drivers/first.js';
import { MemoryStore } from './drivers/memory.js';

const CLOCKS = { now: () => performance.now(), wallClock: () => Date.now() };

/** Watches and locks of a worker. */
interface WorkerState {
  /** Functions that end its watches, by store and name of the lock. */
  readonly watches: Map<string, () => void>;
  /** Prefixes of the names of its owners of locks. */
  readonly owners: Set<string>;
}

/** Keeps the `memory:` stores of all workers in the first process. Locks of a worker that ends are released. */
export class StoreService implements SharedService {
  private readonly stores = new Map<string, MemoryStore>();
  private readonly workers = new Map<Channel, WorkerState>();

  receive(message: unknown, from: Channel): StoreAnswer | undefined {
    const asked = message as StoreMessage;
    const store = this.storeOf(asked.store);
    const state = this.stateOf(from);
    if ('watches' in asked) {
      const place = `${asked.store}\0${asked.name}`;
      state.watches.get(place)?.();
      state.watches.delete(place);
      const released: Released = { store: asked.store, released: asked.name };
      if (asked.watches)
        state.watches.set(
          place,
          store.watch(asked.name, () => from.post(KEYSTORE_SERVICE, released)),
        );
      return undefined;
    }
    if (asked.call === 'acquire') state.owners.add(processOf(asked.args[1] as string));
    try {
      const method = store[asked.call] as (...args: unknown[]) => unknown;
      return { value: method.apply(store, [...asked.args]) };
    } catch (error) {
      if (error instanceof StoreFailure) return { full: error.message };
      throw error;
    }
  }

  left(worker: Channel): void {
    const state = this.workers.get(worker);
    if (state === undefined) return;
    this.workers.delete(worker);
    for (const stop of state.watches.values()) stop();
    for (const store of this.stores.values()) for (const owner of state.owners) store.releaseAll(owner);
  }

  private storeOf(label: string): MemoryStore {
    let store = this.stores.get(label);
    if (store === undefined) this.stores.set(label, (store = new MemoryStore(label, CLOCKS)));
    return store;
  }

  private stateOf(worker: Channel): WorkerState {
    let state = this.workers.get(worker);
    if (state === undefined) this.workers.set(worker, (state = { watches: new Map(), owners: new Set() }));
    return state;
  }
}

/** Returns the prefix that all owners of a process have in common. */
function processOf(owner: string): string {
  return owner.slice(0, owner.indexOf('.') + 1);
}
