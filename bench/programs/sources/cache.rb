# A cache with a limit of bytes that drops what was used least recently: a hash, and a list linked in both directions.
class Entry
  attr_accessor :key, :value, :bytes, :newer, :older

  def initialize(key, value, bytes)
    @key = key
    @value = value
    @bytes = bytes
  end
end

class Cache
  attr_reader :entries, :bytes, :hits, :misses, :dropped

  def initialize(limit)
    @limit = limit
    @entries = {}
    @bytes = @hits = @misses = @dropped = 0
  end

  def get(key)
    entry = @entries[key]
    if entry.nil?
      @misses += 1
      return nil
    end
    @hits += 1
    touch(entry)
    entry.value
  end

  def put(key, value, size)
    remove(key)
    entry = Entry.new(key, value, size)
    @entries[key] = entry
    link(entry)
    @bytes += size
    while @bytes > @limit
      @dropped += 1
      remove(@oldest.key)
    end
  end

  def remove(key)
    entry = @entries.delete(key)
    return false if entry.nil?

    unlink(entry)
    @bytes -= entry.bytes
    true
  end

  def keys(count)
    found = []
    entry = @newest
    while entry && found.length < count
      found << entry.key
      entry = entry.older
    end
    found
  end

  private

  def touch(entry)
    return if entry.newer.nil?

    unlink(entry)
    link(entry)
  end

  def link(entry)
    entry.older = @newest
    entry.newer = nil
    @newest.newer = entry if @newest
    @newest = entry
    @oldest ||= entry
  end

  def unlink(entry)
    if entry.newer then entry.newer.older = entry.older else @newest = entry.older end
    if entry.older then entry.older.newer = entry.newer else @oldest = entry.newer end
  end
end

class Lehmer
  def initialize(seed)
    @seed = seed
  end

  def below(n)
    @seed = @seed * 16_807 % 2_147_483_647
    @seed % n
  end
end

# Small numbers are asked for more often than large ones.
def page(random)
  limit = [20, 100, 1000, 20_000][random.below(4)]
  "/pages/#{random.below(limit)}"
end

def render(path, random)
  "page #{path}: #{random.below(1000)}"
end

requests = Integer(ARGV[0])
random = Lehmer.new(11)
cache = Cache.new(60_000)
sent = 0
checksum = 0
requests.times do |i|
  path = page(random)
  text = cache.get(path)
  if text.nil?
    text = render(path, random)
    cache.put(path, text, 20 + random.below(200))
  end
  sent += text.length
  checksum = (checksum * 31 + text.length + cache.bytes) % 1_000_007
  cache.remove("/pages/#{random.below(50)}") if i % 100 == 99
end
puts "#{requests} requests, #{cache.hits} hits, #{cache.misses} misses, #{cache.dropped} dropped"
puts "#{cache.entries.length} entries with #{cache.bytes} bytes, #{sent} characters sent, checksum #{checksum}"
puts cache.keys(5).join(" ")
