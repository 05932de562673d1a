"""A cache with a limit of bytes that drops what was used least recently: a dict, and a list linked in both directions."""
import sys


class Entry:
    __slots__ = ("key", "value", "bytes", "newer", "older")

    def __init__(self, key, value, size):
        self.key = key
        self.value = value
        self.bytes = size
        self.newer = None
        self.older = None


class Cache:
    def __init__(self, limit):
        self.limit = limit
        self.entries = {}
        self.newest = None
        self.oldest = None
        self.bytes = self.hits = self.misses = self.dropped = 0

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None:
            self.misses += 1
            return None
        self.hits += 1
        self.touch(entry)
        return entry.value

    def put(self, key, value, size):
        self.remove(key)
        entry = Entry(key, value, size)
        self.entries[key] = entry
        self.link(entry)
        self.bytes += size
        while self.bytes > self.limit:
            self.dropped += 1
            self.remove(self.oldest.key)

    def remove(self, key):
        entry = self.entries.pop(key, None)
        if entry is None:
            return False
        self.unlink(entry)
        self.bytes -= entry.bytes
        return True

    def touch(self, entry):
        if entry.newer is None:
            return
        self.unlink(entry)
        self.link(entry)

    def link(self, entry):
        entry.older = self.newest
        entry.newer = None
        if self.newest:
            self.newest.newer = entry
        self.newest = entry
        if not self.oldest:
            self.oldest = entry

    def unlink(self, entry):
        if entry.newer:
            entry.newer.older = entry.older
        else:
            self.newest = entry.older
        if entry.older:
            entry.older.newer = entry.newer
        else:
            self.oldest = entry.newer

    def keys(self, count):
        found = []
        entry = self.newest
        while entry and len(found) < count:
            found.append(entry.key)
            entry = entry.older
        return found


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


def page(random):
    """Small numbers are asked for more often than large ones."""
    limit = [20, 100, 1000, 20_000][random.below(4)]
    return f"/pages/{random.below(limit)}"


def render(path, random):
    return f"page {path}: {random.below(1000)}"


def main():
    requests = int(sys.argv[1])
    random = Random(11)
    cache = Cache(60_000)
    sent = 0
    checksum = 0
    for i in range(requests):
        path = page(random)
        text = cache.get(path)
        if text is None:
            text = render(path, random)
            cache.put(path, text, 20 + random.below(200))
        sent += len(text)
        checksum = (checksum * 31 + len(text) + cache.bytes) % 1_000_007
        if i % 100 == 99:
            cache.remove(f"/pages/{random.below(50)}")
    print(f"{requests} requests, {cache.hits} hits, {cache.misses} misses, {cache.dropped} dropped")
    print(f"{len(cache.entries)} entries with {cache.bytes} bytes, {sent} characters sent, checksum {checksum}")
    print(" ".join(cache.keys(5)))


main()
