/** Iterators over the dictionaries of hashes: over the keys that there are at the start, whatever the loop does to the hash. */
import { ITER_EACH } from '../bytecode/opcodes.js';
import { fromDictionaryKey, type Dictionary, type Hash, type Walks } from './hash.js';
import { Iterator } from './iterator.js';
import type { Value } from './value.js';

/**
 * An iteration over a dictionary. However many keys there are, beginning it takes constant time, and so does leaving it
 * early: the keys are only listed if one is deleted.
 */
abstract class DictionaryIterator extends Iterator {
  protected index = 0;
  protected readonly size: number;
  protected readonly walks: Walks;

  constructor(
    protected readonly hash: Hash,
    private readonly dictionary: Dictionary,
  ) {
    super();
    this.size = dictionary.size;
    this.walks = dictionary.walk();
  }

  /** The keys of the start if the dictionary has lost one since, or if the hash has lost the dictionary; otherwise null. */
  protected listed(): readonly Value[] | null {
    if (this.hash.dictionary !== this.dictionary) this.dictionary.endWalks();
    return this.walks.keys;
  }

  /** Whether there is another key. */
  protected advance(): boolean {
    if (this.index < this.size) return ++this.index > 0;
    if (this.index++ === this.size) this.walks.running--;
    return false;
  }
}

/** Keys of a dictionary, also those deleted during the iteration. */
class DictionaryKeys extends DictionaryIterator {
  private readonly keys: MapIterator<Value>;

  constructor(hash: Hash, dictionary: Dictionary) {
    super(hash, dictionary);
    this.keys = dictionary.keys();
  }

  next(): Value | undefined {
    const listed = this.listed();
    if (!this.advance()) return undefined;
    return fromDictionaryKey(listed === null ? (this.keys.next().value as Value) : listed[this.index - 1]);
  }
}

/** Pairs of a dictionary; skips keys deleted during the iteration. */
class DictionaryPairs extends DictionaryIterator {
  private readonly entries: MapIterator<[Value, Value]>;

  constructor(hash: Hash, dictionary: Dictionary) {
    super(hash, dictionary);
    this.entries = dictionary.entries();
  }

  next(): Value | undefined {
    const listed = this.listed();
    if (listed !== null) return this.nextOf(listed);
    if (!this.advance()) return undefined;
    const pair = this.entries.next().value as [Value, Value];
    pair[0] = fromDictionaryKey(pair[0]);
    return pair;
  }

  private nextOf(listed: readonly Value[]): Value | undefined {
    while (this.advance()) {
      const key = fromDictionaryKey(listed[this.index - 1]);
      const value = this.hash.get(key);
      if (value !== undefined) return [key, value];
    }
    return undefined;
  }
}

/** An iterator over the dictionary of a hash; `mode` is one of the ITER modes. */
export function overDictionary(hash: Hash, dictionary: Dictionary, mode: number): Iterator {
  return mode === ITER_EACH ? new DictionaryKeys(hash, dictionary) : new DictionaryPairs(hash, dictionary);
}
