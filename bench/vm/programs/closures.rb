module Program
  module_function

  def run
    values = (0...1000).to_a
    total = 0
    200.times do |k|
      total += values.map { |x| x * 2 + k }.select { |x| x % 3 == 0 }.reduce(0) { |a, b| a + b }
    end
    total
  end
end
