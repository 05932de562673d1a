import type { Bytes } from '../../../../vm/values/bytes.js';
import { Hash } from '../../../../vm/values/hash.js';
import type { Value } from '../../../../vm/values/value.js';

/**
 * An uploaded file. The key `bytes` can be read, but is not one of the keys: JSON, which has no form for Bytes, can
 * represent the others.
 */
export class FileHash extends Hash {
  constructor(
    entries: readonly (readonly [string, Value])[],
    private readonly bytes: Bytes | null,
  ) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }

  override get(key: Value): Value | undefined {
    return super.get(key) ?? (key === 'bytes' ? (this.bytes ?? undefined) : undefined);
  }

  override find(key: string): Value {
    return this.get(key) ?? null;
  }

  override copy(): Hash {
    return new FileHash(this.entries() as [string, Value][], this.bytes);
  }
}
