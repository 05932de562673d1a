# A workshop of threads: orders go through queues from one station to the next, a token runs around a ring, and
# clerks move money between shared accounts.
Order = Struct.new(:id, :kind, :parts, :price, :checksum)

KINDS = %w[chair table lamp].freeze

class Lehmer
  def initialize(seed)
    @seed = seed
  end

  def below(n)
    @seed = @seed * 16_807 % 2_147_483_647
    @seed % n
  end
end

def take_orders(count, orders)
  random = Lehmer.new(29)
  (1..count).each do |id|
    parts = (0..random.below(4)).map { random.below(50) + 1 }
    orders << Order.new(id, KINDS[random.below(3)], parts, 0, 0)
  end
  orders.close
end

# Cuts the parts of orders until there are no more. Returns how many there were.
def cut(orders, cut_orders)
  done = 0
  while (order = orders.pop)
    checksum = 0
    order.parts.each do |part|
      (1..part).each { |i| checksum = (checksum * 31 + i * part) % 65_521 }
    end
    cut_orders << Order.new(order.id, order.kind, order.parts, order.price, checksum)
    done += 1
  end
  done
end

def calculate(cut_orders, finished)
  while (order = cut_orders.pop)
    base = case order.kind
           when "chair" then 20
           when "table" then 80
           else 35
           end
    finished << Order.new(order.id, order.kind, order.parts, base + order.parts.sum, order.checksum)
  end
end

def produce(count)
  orders = SizedQueue.new(8)
  cut_orders = SizedQueue.new(8)
  finished = SizedQueue.new(8)
  customer = Thread.new { take_orders(count, orders) }
  cutters = (1..4).map { Thread.new { cut(orders, cut_orders) } }
  clerks = (1..2).map { Thread.new { calculate(cut_orders, finished) } }
  closing = Thread.new do
    customer.join
    done = cutters.map(&:value).sum
    cut_orders.close
    clerks.each(&:join)
    finished.close
    done
  end

  sold = Hash.new(0)
  income = 0
  checksum = 0
  while (order = finished.pop)
    sold[order.kind] += 1
    income += order.price
    checksum = (checksum + order.id * order.checksum) % 1_000_003
  end
  puts "#{closing.value} orders, income #{income}, checksum #{checksum}"
  puts KINDS.map { |kind| "#{kind}: #{sold[kind]}" }.join(", ")
end

def pass_on(inbox, outbox, last)
  passed = 0
  while (token = inbox.pop)
    passed += 1
    if token == 0
      last << passed
      break
    end
    outbox << token - 1
  end
  passed
end

def ring(size, rounds)
  places = (1..size).map { SizedQueue.new(1) }
  last = SizedQueue.new(1)
  threads = (0...size).map do |i|
    Thread.new { pass_on(places[i], places[(i + 1) % size], last) }
  end
  places[0] << size * rounds
  ended = last.pop
  places.each(&:close)
  "the ring passed #{threads.map(&:value).sum} tokens, the last thread #{ended}"
end

def transfer(balances, mutex, seed, count)
  random = Lehmer.new(seed)
  refused = 0
  count.times do
    from = random.below(10)
    to = random.below(10)
    amount = random.below(100)
    mutex.synchronize do
      if balances[from] < amount
        refused += 1
      else
        balances[from] -= amount
        balances[to] += amount
      end
    end
  end
  refused
end

def accounts(clerks, count)
  balances = [1000] * 10
  mutex = Mutex.new
  threads = (1..clerks).map { |i| Thread.new { transfer(balances, mutex, i * 101, count) } }
  refused = threads.map(&:value).sum
  "#{clerks * count} transfers, #{balances.sum} in all, #{refused >= 0 && balances.min >= 0 ? "none overdrawn" : "overdrawn"}"
end

size = Integer(ARGV[0])
produce(size * 10)
puts ring(20, size / 4)
puts accounts(8, size)
