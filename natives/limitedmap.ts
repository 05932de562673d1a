/** A Map with a maximum size: each further key drops the one that was added first. */
export class LimitedMap<K, V> extends Map<K, V> {
  constructor(private readonly limit: number) {
    super();
  }

  /** The entry that the next new key drops; undefined if there is room. */
  get surplus(): [K, V] | undefined {
    return this.size < this.limit ? undefined : this.entries().next().value;
  }

  override set(key: K, value: V): this {
    if (!this.has(key) && this.surplus !== undefined) this.delete(this.surplus[0]);
    return super.set(key, value);
  }

  /**
   * The value of a key, which becomes the one that was added last: for maps that drop what was not used for longest. As
   * long as half of the map is free, the order stays, because moving an entry takes longer than finding it.
   */
  use(key: K): V | undefined {
    const value = this.get(key);
    if (value === undefined || this.size * 2 <= this.limit) return value;
    this.delete(key);
    super.set(key, value);
    return value;
  }
}
