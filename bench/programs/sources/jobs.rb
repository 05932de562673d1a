# Simulates machines that work on jobs of several priorities. Events and waiting jobs are in binary heaps.
Job = Struct.new(:id, :priority, :arrived, :work, :tries) do
  def before?(other)
    return priority > other.priority if priority != other.priority

    arrived == other.arrived ? id < other.id : arrived < other.arrived
  end
end

Event = Struct.new(:time, :number, :kind, :job, :machine) do
  def before?(other)
    time == other.time ? number < other.number : time < other.time
  end
end

class Heap
  def initialize
    @items = []
  end

  def empty?
    @items.empty?
  end

  def length
    @items.length
  end

  def push(item)
    @items << item
    i = @items.length - 1
    while i > 0
      parent = (i - 1) / 2
      break unless item.before?(@items[parent])

      @items[i] = @items[parent]
      i = parent
    end
    @items[i] = item
  end

  def pop
    top = @items[0]
    last = @items.pop
    sink(last) unless @items.empty?
    top
  end

  private

  def sink(item)
    i = 0
    half = @items.length / 2
    while i < half
      child = 2 * i + 1
      right = child + 1
      child = right if right < @items.length && @items[right].before?(@items[child])
      break unless @items[child].before?(item)

      @items[i] = @items[child]
      i = child
    end
    @items[i] = item
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

class Factory
  attr_reader :number, :failed, :longest, :checksum, :done, :waits

  def initialize(machines, random)
    @random = random
    @events = Heap.new
    @waiting = Heap.new
    @free = (0...machines).to_a
    @waits = Hash.new(0)
    @done = Hash.new(0)
    @number = @failed = @longest = @checksum = 0
  end

  def run(jobs)
    time = 0
    jobs.times do |id|
      time += @random.below(12)
      schedule(time, "arrival", Job.new(id, @random.below(4), time, 10 + @random.below(60), 0))
    end
    handle(@events.pop) until @events.empty?
  end

  private

  def schedule(time, kind, job, machine = nil)
    @events.push(Event.new(time, @number, kind, job, machine))
    @number += 1
  end

  def handle(event)
    case event.kind
    when "arrival" then @waiting.push(event.job)
    when "finish"
      @free << event.machine
      finish(event)
    end
    assign(event.time)
  end

  def assign(time)
    until @free.empty? || @waiting.empty?
      job = @waiting.pop
      @waits[job.priority] += time - job.arrived
      schedule(time + job.work, "finish", job, @free.pop)
    end
    @longest = @waiting.length if @waiting.length > @longest
  end

  def finish(event)
    job = event.job
    @checksum = (@checksum * 31 + job.id + event.time) % 1_000_003
    if @random.below(20) == 0 && job.tries < 2
      @failed += 1
      @waiting.push(Job.new(job.id, job.priority, event.time, job.work, job.tries + 1))
    else
      @done[job.priority] += 1
    end
  end
end

factory = Factory.new(7, Lehmer.new(3))
factory.run(Integer(ARGV[0]))
puts "#{factory.number} events, #{factory.failed} tries failed, at most #{factory.longest} waited, checksum #{factory.checksum}"
3.downto(0) do |priority|
  count = factory.done[priority]
  puts "priority #{priority}: #{count} done, waited #{count == 0 ? 0 : factory.waits[priority] / count} on average"
end
