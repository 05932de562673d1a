module Program
  module_function

  def smooth(count, rounds)
    values = []
    count.times { |i| values << i % 17 * 0.5 }
    rounds.times do
      (1...count).each { |i| values[i] = values[i] * 0.5 + values[i - 1] * 0.375 }
    end
    values.reduce(0.0) { |sum, value| sum + value }
  end

  def run
    (smooth(5000, 40) * 1000000.0).floor
  end
end
