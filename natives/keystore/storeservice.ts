import type { Channel } from '../cluster/channel.js';
import type { SharedService } from '../cluster/services.js';
import { StoreFailure } from './drivers/driver.js';
import { KEYSTORE_SERVICE, type Released, type StoreAnswer, type StoreMessage } from './drivers/first.js';
import { MemoryStore } from './drivers/memory.js';

const CLOCKS = { now: () => performance.now(), wallClock: () => Date.now() };

/** What a worker has in the stores. */
interface Guest {
  /** Functions that end its watches, by store and lock. */
  readonly watches: Map<string, () => void>;
  /** Beginnings of the owners of its locks. */
  readonly owners: Set<string>;
}

/** Keeps the `memory:` stores of all workers in the first process. Locks of a worker that ends are released. */
export class StoreService implements SharedService {
  private readonly stores = new Map<string, MemoryStore>();
  private readonly guests = new Map<Channel, Guest>();

  receive(message: unknown, from: Channel): StoreAnswer | undefined {
    const asked = message as StoreMessage;
    const store = this.storeOf(asked.store);
    const guest = this.guestOf(from);
    if ('watches' in asked) {
      const place = `${asked.store}\0${asked.name}`;
      guest.watches.get(place)?.();
      guest.watches.delete(place);
      const released: Released = { store: asked.store, released: asked.name };
      if (asked.watches)
        guest.watches.set(
          place,
          store.watch(asked.name, () => from.post(KEYSTORE_SERVICE, released)),
        );
      return undefined;
    }
    if (asked.call === 'acquire') guest.owners.add(processOf(asked.args[1] as string));
    try {
      const method = store[asked.call] as (...args: unknown[]) => unknown;
      return { value: method.apply(store, [...asked.args]) };
    } catch (error) {
      if (error instanceof StoreFailure) return { full: error.message };
      throw error;
    }
  }

  left(worker: Channel): void {
    const guest = this.guests.get(worker);
    if (guest === undefined) return;
    this.guests.delete(worker);
    for (const stop of guest.watches.values()) stop();
    for (const store of this.stores.values()) for (const owner of guest.owners) store.releaseAll(owner);
  }

  private storeOf(label: string): MemoryStore {
    let store = this.stores.get(label);
    if (store === undefined) this.stores.set(label, (store = new MemoryStore(label, CLOCKS)));
    return store;
  }

  private guestOf(worker: Channel): Guest {
    let guest = this.guests.get(worker);
    if (guest === undefined) this.guests.set(worker, (guest = { watches: new Map(), owners: new Set() }));
    return guest;
  }
}

/** The part of an owner's name that is the same for all owners of its process. */
function processOf(owner: string): string {
  return owner.slice(0, owner.indexOf('.') + 1);
}
