/** A cache with a limit of bytes that drops what was used least recently: a Map, and a list linked in both directions. */
class Entry {
  constructor(key, value, bytes) {
    this.key = key;
    this.value = value;
    this.bytes = bytes;
    this.newer = null;
    this.older = null;
  }
}

class Cache {
  entries = new Map();
  newest = null;
  oldest = null;
  bytes = 0;
  hits = 0;
  misses = 0;
  dropped = 0;

  constructor(limit) {
    this.limit = limit;
  }

  get(key) {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      this.misses++;
      return null;
    }
    this.hits++;
    this.touch(entry);
    return entry.value;
  }

  put(key, value, size) {
    this.remove(key);
    const entry = new Entry(key, value, size);
    this.entries.set(key, entry);
    this.link(entry);
    this.bytes += size;
    while (this.bytes > this.limit) {
      this.dropped++;
      this.remove(this.oldest.key);
    }
  }

  remove(key) {
    const entry = this.entries.get(key);
    if (entry === undefined) return false;
    this.entries.delete(key);
    this.unlink(entry);
    this.bytes -= entry.bytes;
    return true;
  }

  touch(entry) {
    if (entry.newer === null) return;
    this.unlink(entry);
    this.link(entry);
  }

  link(entry) {
    entry.older = this.newest;
    entry.newer = null;
    if (this.newest) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
  }

  unlink(entry) {
    if (entry.newer) entry.newer.older = entry.older;
    else this.newest = entry.older;
    if (entry.older) entry.older.newer = entry.newer;
    else this.oldest = entry.newer;
  }

  keys(count) {
    const found = [];
    for (let entry = this.newest; entry && found.length < count; entry = entry.older) found.push(entry.key);
    return found;
  }
}

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }
}

/** Small numbers are asked for more often than large ones. */
function page(random) {
  const limit = [20, 100, 1000, 20_000][random.below(4)];
  return `/pages/${random.below(limit)}`;
}

function render(path, random) {
  return `page ${path}: ${random.below(1000)}`;
}

const requests = Number(process.argv[2]);
const random = new Random(11);
const cache = new Cache(60_000);
let sent = 0;
let checksum = 0;
for (let i = 0; i < requests; i++) {
  const path = page(random);
  let text = cache.get(path);
  if (text === null) {
    text = render(path, random);
    cache.put(path, text, 20 + random.below(200));
  }
  sent += text.length;
  checksum = (checksum * 31 + text.length + cache.bytes) % 1_000_007;
  if (i % 100 === 99) cache.remove(`/pages/${random.below(50)}`);
}
console.log(`${requests} requests, ${cache.hits} hits, ${cache.misses} misses, ${cache.dropped} dropped`);
console.log(`${cache.entries.size} entries with ${cache.bytes} bytes, ${sent} characters sent, checksum ${checksum}`);
console.log(cache.keys(5).join(' '));
