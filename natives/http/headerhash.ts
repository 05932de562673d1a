import { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';

/** Header fields: a Hash with case-insensitive names that keeps their original spelling. */
export class HeaderHash extends Hash {
  private readonly spelling = new Map<string, string>();

  constructor(fields: readonly (readonly [string, Value])[]) {
    // No shape, so that inline caches keyed by the exact spelling never apply.
    super(null);
    for (const [name, value] of fields) this.set(name, value);
  }

  private spelled(key: Value): Value {
    return typeof key === 'string' ? (this.spelling.get(key.toLowerCase()) ?? key) : key;
  }

  override get(key: Value): Value | undefined {
    return super.get(this.spelled(key));
  }

  override set(key: Value, value: Value): void {
    const name = this.spelled(key);
    if (typeof name === 'string') this.spelling.set(name.toLowerCase(), name);
    super.set(name, value);
  }

  override find(key: string): Value {
    return this.get(key) ?? null;
  }

  override put(key: string, value: Value): void {
    this.set(key, value);
  }

  override delete(key: Value): Value | undefined {
    const name = this.spelled(key);
    const value = super.delete(name);
    if (typeof name === 'string') this.spelling.delete(name.toLowerCase());
    return value;
  }

  override clear(): void {
    this.spelling.clear();
    super.clear();
  }

  override copy(): Hash {
    return new HeaderHash(this.entries() as [string, Value][]);
  }
}
