## default values
def greet(name, greeting = "Hello")
  "#{greeting}, #{name}"
end
show greet("Ann"), greet("Ann", "Hi")
## defaults from earlier parameters
def area(w, h = w)
  w * h
end
show area(3), area(3, 4)
## default before required
def f(a, b = 5, c)
  [a, b, c]
end
show f(1, 2), f(1, 2, 3)
## fresh default
def add(x, list = [])
  list << x
  list
end
show add(1), add(2)
## rest
def all(first, *rest)
  [first, rest]
end
show all(1), all(1, 2, 3)
## rest in the middle
def mid(a, *b, c)
  [a, b, c]
end
show mid(1, 2), mid(1, 2, 3, 4)
## keywords
def box(width: 1, height: 2)
  width * height
end
show box, box(height: 5), box(width: 3, height: 3)
## keywords with positional
def tag(name, *kids, style: "plain")
  [name, kids, style]
end
show tag("p", "a", "b", style: "big")
## further keywords
def opts(a, **rest)
  [a, rest]
end
show opts(1, x: 2, y: 3), opts(1)
## options as a last hash
def conn(host, options = {})
  [host, options]
end
show conn("db", port: 1), conn("db")
## spread of a vector
def three(a, b, c)
  [a, b, c]
end
v = [2, 3]
show three(1, *v)
## spread of a hash
def kw(a: 0, b: 0)
  a + b
end
h = {a: 1, b: 2}
show kw(**h)
## hash as last argument
def last_one(x)
  x
end
show last_one({a: 1}), last_one(a: 2)
## short keyword arguments
def pair(x:, y:)
  [x, y]
end
x = 1
y = 2
show pair(x:, y:)
## missing keyword
def need(x:)
  x
end
need
## one line
def square(x) = x * x
show square(4)
## early return
def sign(n)
  return "minus" if n < 0
  return "zero" if n == 0
  "plus"
end
show sign(-1), sign(0), sign(1)
## return of several values
def two
  return 1, 2
end
a, b = two
show a, b
## recursion
def fact(n)
  n < 2 ? 1 : n * fact(n - 1)
end
show fact(20), fact(25)
## mutual recursion
def even(n) = n == 0 ? true : odd(n - 1)
def odd(n) = n == 0 ? false : even(n - 1)
show even(10), odd(7)
## empty function
def nothing
end
show nothing()
## question mark in the name
def big?(n)
  n > 100
end
show big?(5), big?(500)
## locals of a function
x = 1
def change
  x = 2
  x
end
show change(), x
## lambda
add = ->(a, b) { a + b }
show add.call(1, 2), add.(3, 4)
## lambda with a default
p2 = ->(x, n = 2) { x ** n }
show p2.(3), p2.(3, 3)
## lambda with rest and keywords
f = ->(a, *r, k: 0) { [a, r, k] }
show f.(1, 2, 3, k: 4)
## lambda with a wrong count
f = ->(a) { a }
f.call(1, 2)
## lambda over several lines
f = lambda do |x|
  y = x * 2
  y + 1
end
show f.call(3)
## return in a lambda
f = ->(x) { return "neg" if x < 0; "pos" }
show f.(-1), f.(1)
## closures count
count = 0
inc = -> { count += 1 }
inc.call
inc.call
show count
## closures of each turn
fs = (1..3).map { |i| -> { i * 10 } }
show fs.map { |f| f.call }
## counters apart
def counter
  n = 0
  -> { n += 1 }
end
a = counter
b = counter()
a.call
a.call
show a.call, b.call
## currying by hand
add = ->(a) { ->(b) { a + b } }
show add.(1).(2)
## composition
f = ->(x) { x + 1 }
g = ->(x) { x * 2 }
show (f >> g).call(3), (f << g).call(3)
## curry
show ->(a, b) { a + b }.curry[1][2]
## lambda as a block
double = ->(x) { x * 2 }
show [1, 2].map(&double)
## method name as a block
show %w[a b].map(&:upcase), [1, 2].map(&:to_s), [[1], []].reject(&:empty?)
## blocks take vectors apart
show [[1, 2], [3, 4]].map { |a, b| a + b }
## blocks with nested parts
show [[1, [2, 3]]].map { |a, (b, c)| a + b + c }
## blocks with rest
show [[1, 2, 3]].map { |a, *b| b }
## missing block arguments
show [1].map { |a, b| [a, b] }
## numbered parameter
show [1, 2].map { _1 * 2 }
## block-local variables
x = 1
[5].each { |v; x| x = v }
show x
## shadowing
x = 1
[5].each { |x| x += 1 }
show x
## outer variables
sum = 0
[1, 2, 3].each { |v| sum += v }
show sum
## break with a value
show [1, 2, 3].each { |x| break x * 10 if x == 2 }
## next with a value
show [1, 2, 3].map { |x| next 0 if x == 2; x }
## return from a block
def first_even(list)
  list.each { |n| return n if n.even? }
  nil
end
show first_even([1, 4, 6]), first_even([1])
## yield
def twice
  yield
  yield
end
twice { puts "x" }
## block parameter
def call_it(&block)
  block.call(2)
end
show call_it { |x| x + 1 }
## then and tap
show 5.then { |x| x + 1 }, [1].tap { |v| v << 2 }
## block on do with an argument
r = [3, 1].sort_by do |x|
  -x
end
show r
## arity
show ->(a, b) { a }.arity
## respond_to
show 1.respond_to?(:abs)
## method reference
def inc(x)
  x + 1
end
show [1, 2].map(&method(:inc))
## keywords in any order
def order(a:, b: a + 1)
  [a, b]
end
show order(b: 5, a: 1), order(a: 1)
## calls without parentheses
def pr(a, b)
  puts "#{a}-#{b}"
end
pr 1, 2
pr "x", [1].length
## only a rest parameter of a block
show [[1, 2]].map { |*all| all }, [[1, 2]].map { |a, *rest| rest }, [[1, 2]].map { |*rest, b| rest }
