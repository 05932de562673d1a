# Calculates with matrices of Floats: products, a decomposition that solves equations, a determinant, the largest eigenvalue.
class Lehmer
  def initialize(seed)
    @seed = seed
  end

  def below(n)
    @seed = @seed * 16_807 % 2_147_483_647
    @seed % n
  end
end

class Grid
  attr_reader :rows

  def initialize(rows)
    @rows = rows
  end

  def size
    @rows.length
  end

  def *(other)
    columns = other.transpose.rows
    Grid.new(@rows.map { |row| columns.map { |column| dot(row, column) } })
  end

  def +(other)
    Grid.new(@rows.zip(other.rows).map { |a, b| a.zip(b).map { |x, y| x + y } })
  end

  def transpose
    Grid.new((0...@rows[0].length).map { |j| @rows.map { |row| row[j] } })
  end

  def apply(vector)
    @rows.map { |row| dot(row, vector) }
  end

  def trace
    (0...size).reduce(0.0) { |sum, i| sum + @rows[i][i] }
  end
end

def dot(a, b)
  sum = 0.0
  (0...a.length).each { |i| sum += a[i] * b[i] }
  sum
end

def random_matrix(n, random)
  Grid.new((1..n).map { (1..n).map { (random.below(2000) - 1000) / 1000.0 } })
end

def identity(n)
  Grid.new((0...n).map { |i| (0...n).map { |j| i == j ? 1.0 : 0.0 } })
end

Decomposition = Struct.new(:rows, :order, :sign)

# Lower and upper triangle in one matrix, with the rows in the order of their pivots.
def decompose(matrix)
  rows = matrix.rows.map(&:dup)
  n = rows.length
  order = (0...n).to_a
  sign = 1
  (0...n).each do |k|
    pivot = k
    (k + 1...n).each do |i|
      pivot = i if rows[i][k].abs > rows[pivot][k].abs
    end
    raise ArgumentError, "the matrix is singular" if rows[pivot][k] == 0.0

    if pivot != k
      rows[k], rows[pivot] = rows[pivot], rows[k]
      order[k], order[pivot] = order[pivot], order[k]
      sign = -sign
    end
    top = rows[k]
    (k + 1...n).each do |i|
      row = rows[i]
      factor = row[k] / top[k]
      row[k] = factor
      (k + 1...n).each { |j| row[j] -= factor * top[j] }
    end
  end
  Decomposition.new(rows, order, sign)
end

def solve(parts, right)
  n = right.length
  x = parts.order.map { |i| right[i] }
  (0...n).each do |i|
    row = parts.rows[i]
    (0...i).each { |j| x[i] -= row[j] * x[j] }
  end
  (n - 1).downto(0) do |i|
    row = parts.rows[i]
    (i + 1...n).each { |j| x[i] -= row[j] * x[j] }
    x[i] /= row[i]
  end
  x
end

def determinant(parts)
  (0...parts.rows.length).reduce(parts.sign.to_f) { |product, i| product * parts.rows[i][i] }
end

def norm(vector)
  Math.sqrt(dot(vector, vector))
end

def largest_eigenvalue(matrix, rounds)
  vector = (1..matrix.size).map { |i| 1.0 / i }
  length = 0.0
  rounds.times do
    vector = matrix.apply(vector)
    length = norm(vector)
    vector = vector.map { |x| x / length }
  end
  length
end

n = Integer(ARGV[0])
random = Lehmer.new(23)
a = random_matrix(n, random)
b = random_matrix(n, random)
product = a * b
puts format("trace %.6f and %.6f", product.trace, (product + a).trace)
parts = decompose(a)
puts format("determinant %.6e", determinant(parts))
right = (0...n).map { |i| i.to_f / n }
x = solve(parts, right)
rest = a.apply(x).zip(right).map { |is, should| (is - should).abs }.max
puts format("x = %.6f … %.6f, %s", x[0], x[-1], rest < 0.000001 ? "exact" : "inexact")
inverse = Grid.new(identity(n).rows.map { |row| solve(parts, row) }).transpose
puts format("inverse: trace %.6f, of the product %.6f", inverse.trace, (a * inverse).trace)
puts format("eigenvalue %.6f", largest_eigenvalue(a * a.transpose, 30))
begin
  decompose(Grid.new([[1.0, 2.0], [2.0, 4.0]]))
rescue ArgumentError => e
  puts e.message
end
