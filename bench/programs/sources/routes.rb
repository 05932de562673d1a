# Ways through a random map: Dijkstra's algorithm, breadth-first search, and connected parts, each by a structure of its own.
require "set"

Edge = Struct.new(:to, :length)

# Nodes in the order of their distance: a binary heap of pairs.
class DistanceQueue
  def initialize
    @items = []
  end

  def push(distance, node)
    @items << [distance, node]
    i = @items.length - 1
    while i > 0
      parent = (i - 1) / 2
      break if @items[parent][0] <= @items[i][0]

      @items[i], @items[parent] = @items[parent], @items[i]
      i = parent
    end
  end

  def pop
    return nil if @items.empty?

    top = @items[0]
    last = @items.pop
    return top if @items.empty?

    @items[0] = last
    i = 0
    loop do
      least = i
      [2 * i + 1, 2 * i + 2].each do |child|
        least = child if child < @items.length && @items[child][0] < @items[least][0]
      end
      return top if least == i

      @items[i], @items[least] = @items[least], @items[i]
      i = least
    end
  end
end

class Groups
  attr_reader :sizes

  def initialize(count)
    @parents = (0...count).to_a
    @sizes = Array.new(count, 1)
  end

  def root(node)
    while @parents[node] != node
      @parents[node] = @parents[@parents[node]]
      node = @parents[node]
    end
    node
  end

  def join(a, b)
    a = root(a)
    b = root(b)
    return if a == b

    a, b = b, a if @sizes[a] < @sizes[b]
    @parents[b] = a
    @sizes[a] += @sizes[b]
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

# A square of places. Most neighbours are connected; some places have a long road to any other.
def build(side, random)
  edges = Array.new(side * side) { [] }
  (0...side).each do |y|
    (0...side).each do |x|
      here = y * side + x
      connect(edges, here, here + 1, random.below(9) + 1) if x + 1 < side && random.below(10) < 6
      connect(edges, here, here + side, random.below(9) + 1) if y + 1 < side && random.below(10) < 6
      connect(edges, here, random.below(side * side), 20 + random.below(30)) if random.below(50) == 0
    end
  end
  edges
end

def connect(edges, a, b, length)
  edges[a] << Edge.new(b, length)
  edges[b] << Edge.new(a, length)
end

def distances(edges, start)
  best = { start => 0 }
  previous = {}
  done = Set.new
  queue = DistanceQueue.new
  queue.push(0, start)
  while (entry = queue.pop)
    distance, node = entry
    next if done.include?(node)

    done.add(node)
    edges[node].each do |edge|
      through = distance + edge.length
      known = best[edge.to]
      next unless known.nil? || through < known

      best[edge.to] = through
      previous[edge.to] = node
      queue.push(through, edge.to)
    end
  end
  [best, previous]
end

def way(previous, goal)
  nodes = [goal]
  while (node = previous[nodes.last])
    nodes << node
  end
  nodes.reverse
end

def steps(edges, start)
  found = { start => 0 }
  border = [start]
  until border.empty?
    reached = []
    border.each do |node|
      edges[node].each do |edge|
        next if found.key?(edge.to)

        found[edge.to] = found[node] + 1
        reached << edge.to
      end
    end
    border = reached
  end
  found
end

side = Integer(ARGV[0])
edges = build(side, Lehmer.new(5))
groups = Groups.new(edges.length)
edges.each_with_index do |list, node|
  list.each { |edge| groups.join(node, edge.to) }
end
sizes = (0...edges.length).map { |node| groups.root(node) }.tally.values.sort.reverse
puts "#{edges.length} places, #{edges.sum(&:length) / 2} roads, #{sizes.length} parts, the largest #{sizes.first(3).join(", ")}"

start = (0...edges.length).find { |node| groups.sizes[groups.root(node)] == sizes[0] }
best, previous = distances(edges, start)
far = best.max_by { |node, distance| [distance, -node] }
puts "from #{start}: #{best.length} reached, the sum #{best.values.sum}, #{far[0]} is farthest with #{far[1]}"
nodes = way(previous, far[0])
puts "the way there has #{nodes.length} places, their sum is #{nodes.sum}"
found = steps(edges, start)
puts "at most #{found.values.max} steps, #{found.values.sum} in all"
