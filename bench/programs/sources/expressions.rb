# Random expressions as trees of structs: differentiates and simplifies them, and evaluates them for many variables.
Num = Struct.new(:value)
Var = Struct.new(:name)
Neg = Struct.new(:of)
Add = Struct.new(:left, :right)
Mul = Struct.new(:left, :right)
If = Struct.new(:test, :yes, :no)

MODULUS = 1_000_003
NAMES = %w[x y z].freeze

class Lehmer
  def initialize(seed)
    @seed = seed
  end

  def below(n)
    @seed = @seed * 16_807 % 2_147_483_647
    @seed % n
  end
end

def leaf(random)
  random.below(2) == 0 ? Num.new(random.below(4)) : Var.new(NAMES[random.below(3)])
end

def grow(random, depth)
  return leaf(random) if depth == 0

  case random.below(10)
  when 0 then leaf(random)
  when 1 then Neg.new(grow(random, depth - 1))
  when 2..5 then Add.new(grow(random, depth - 1), grow(random, depth - 1))
  when 6..8 then Mul.new(grow(random, depth - 1), grow(random, depth - 1))
  else If.new(leaf(random), grow(random, depth - 1), grow(random, depth - 1))
  end
end

def derive(expr, name)
  case expr
  in Num then Num.new(0)
  in Var[^name] then Num.new(1)
  in Var then Num.new(0)
  in Neg[of] then Neg.new(derive(of, name))
  in Add[left, right] then Add.new(derive(left, name), derive(right, name))
  in Mul[left, right]
    Add.new(Mul.new(derive(left, name), right), Mul.new(left, derive(right, name)))
  in If[test, yes, no] then If.new(test, derive(yes, name), derive(no, name))
  end
end

def simplify(expr)
  case expr
  in Num | Var then expr
  in Neg[of] then negated(simplify(of))
  in Add[left, right] then added(simplify(left), simplify(right))
  in Mul[left, right] then multiplied(simplify(left), simplify(right))
  in If[test, yes, no] then chosen(simplify(test), simplify(yes), simplify(no))
  end
end

def negated(expr)
  case expr
  in Num[value] then Num.new(-value)
  in Neg[of] then of
  else Neg.new(expr)
  end
end

def added(left, right)
  case [left, right]
  in [Num[a], Num[b]] then Num.new(a + b)
  in [Num[0], other] then other
  in [other, Num[0]] then other
  in [Num, _] then Add.new(right, left)
  else left == right ? Mul.new(Num.new(2), left) : Add.new(left, right)
  end
end

def multiplied(left, right)
  case [left, right]
  in [Num[a], Num[b]] then Num.new(a * b)
  in [Num[0], _] | [_, Num[0]] then Num.new(0)
  in [Num[1], other] then other
  in [other, Num[1]] then other
  in [_, Num] then Mul.new(right, left)
  else Mul.new(left, right)
  end
end

def chosen(test, yes, no)
  case test
  in Num[value] then value > 0 ? yes : no
  else yes == no ? yes : If.new(test, yes, no)
  end
end

def evaluate(expr, variables)
  case expr
  in Num[value] then value % MODULUS
  in Var[name] then variables[name]
  in Neg[of] then -evaluate(of, variables) % MODULUS
  in Add[left, right] then (evaluate(left, variables) + evaluate(right, variables)) % MODULUS
  in Mul[left, right] then evaluate(left, variables) * evaluate(right, variables) % MODULUS
  in If[test, yes, no] then evaluate(evaluate(test, variables) > 0 ? yes : no, variables)
  end
end

def size(expr)
  case expr
  in Num | Var then 1
  in Neg[of] then 1 + size(of)
  in Add[left, right] then 1 + size(left) + size(right)
  in Mul[left, right] then 1 + size(left) + size(right)
  in If[test, yes, no] then 1 + size(test) + size(yes) + size(no)
  end
end

def show(expr)
  case expr
  in Num[value] then value.to_s
  in Var[name] then name
  in Neg[of] then "-#{show(of)}"
  in Add[left, right] then "(#{show(left)} + #{show(right)})"
  in Mul[left, right] then "#{show(left)} * #{show(right)}"
  in If[test, yes, no] then "(#{show(test)} ? #{show(yes)} : #{show(no)})"
  end
end

count = Integer(ARGV[0])
random = Lehmer.new(42)
grown = 0
kept = 0
total = 0
shortest = nil
count.times do
  expr = grow(random, 7)
  simple = simplify(derive(expr, "x"))
  grown += size(expr)
  kept += size(simple)
  (1..8).each do |x|
    variables = { "x" => x, "y" => x * 7, "z" => x * 31 + 5 }
    total = (total * 31 + evaluate(expr, variables) + evaluate(simple, variables)) % MODULUS
  end
  text = show(simple)
  shortest = text if text.length > 20 && (shortest.nil? || text.length < shortest.length)
end
puts "#{count} expressions, #{grown} nodes, derivatives #{kept}"
puts total, shortest
