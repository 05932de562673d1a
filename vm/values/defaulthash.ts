import type { Closure, NativeFunction } from './function.js';
import { Hash, type Shape } from './hash.js';
import type { Value } from './value.js';

/**
 * A hash in which missing keys have a value: `fallback`, or what `maker` returns for the hash and the key. Only `h[key]`
 * and `h.key` use it; all else sees a hash without these keys.
 */
export class DefaultHash extends Hash {
  constructor(
    readonly fallback: Value,
    readonly maker: Closure | NativeFunction | null,
    shape?: Shape | null,
  ) {
    super(shape);
  }

  override find(key: string | number): Value | undefined {
    return this.get(key);
  }

  override empty(shape?: Shape | null): Hash {
    return new DefaultHash(this.fallback, this.maker, shape);
  }

  override copy(): Hash {
    const copy = this.empty();
    copy.take(super.copy());
    return copy;
  }
}
