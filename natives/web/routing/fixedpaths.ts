const FIRST_BITS = 64;
const BITS_A_PATH = 16;

/**
 * Map with whole paths as keys. Looking up a new string in a Map hashes all of it; a filter that reads only the length
 * and two characters rejects most unknown paths first.
 */
export class FixedPaths<V> {
  private readonly map = new Map<string, V>();
  private filter = new Uint8Array(FIRST_BITS);

  set(path: string, value: V): void {
    this.map.set(path, value);
    if (this.map.size * BITS_A_PATH > this.filter.length) {
      this.filter = new Uint8Array(this.filter.length * 2);
      for (const known of this.map.keys()) this.filter[this.placeOf(known)] = 1;
    }
    this.filter[this.placeOf(path)] = 1;
  }

  get(path: string): V | undefined {
    return this.filter[this.placeOf(path)] === 0 ? undefined : this.map.get(path);
  }

  private placeOf(path: string): number {
    const length = path.length;
    if (length < 3) return length;
    return (length + path.charCodeAt(length - 1) * 29 + path.charCodeAt(length - 3) * 1511) & (this.filter.length - 1);
  }
}
