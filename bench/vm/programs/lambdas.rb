module Program
  module_function

  def map_with(f, values)
    out = []
    values.each { |x| out << f.call(x) }
    out
  end

  def select_with(f, values)
    out = []
    values.each { |x| out << x if f.call(x) }
    out
  end

  def reduce_with(f, values, start)
    values.each { |x| start = f.call(start, x) }
    start
  end

  def run
    values = (0...1000).to_a
    total = 0
    200.times do |k|
      doubled = map_with(->(x) { x * 2 + k }, values)
      thirds = select_with(->(x) { x % 3 == 0 }, doubled)
      total += reduce_with(->(a, b) { a + b }, thirds, 0)
    end
    total
  end
end
