## if and elsif
x = 7
if x > 10
  puts "big"
elsif x > 5
  puts "medium"
else
  puts "small"
end
## value of if
x = if false then 1 end
show x
## unless
puts "no" unless false
unless true
  puts "a"
else
  puts "b"
end
## truth
show (0 ? 1 : 2), ("" ? 1 : 2), (nil ? 1 : 2), ([] ? 1 : 2)
## ternaries in a row
x = 5
puts x < 3 ? "low" : x < 6 ? "mid" : "high"
## and, or, not
show (nil || 1), (1 && 2), (nil && 1), !1, !nil
## or with side effects
x = nil
x ||= 5
x ||= 6
x &&= x + 1
show x
## words for and, or
x = nil or "given"
show x
## not
show (not true), (not nil)
## while
i = 0
while i < 3
  print i
  i += 1
end
puts
## until
i = 3
until i == 0
  print i
  i -= 1
end
puts
## while after a statement
i = 0
i += 2 while i < 5
show i
## loop with break
n = 0
x = loop do
  n += 1
  break n * 2 if n == 3
end
show x
## next in a loop
for i in [1, 2, 3]
  next if i == 2
  print i
end
puts
## value of while
x = while false do end
show x
## value of for
x = for i in [1, 2] do end
show x
## for with two variables
for a, b in [[1, 2], [3, 4]]
  puts a * b
end
## for over a hash
for k, v in {"a" => 1}
  puts "#{k}#{v}"
end
## variable after for
for i in 1..3
end
show i
## nested loops with break
[1, 2].each do |a|
  [1, 2].each do |b|
    break if b == 2
    puts "#{a}#{b}"
  end
end
## case with values
case 3
when 1, 2 then puts "low"
when 3, 4 then puts "mid"
else puts "none"
end
## case with types
[1, "a", 2.5, nil, [1], {a: 1}].each do |v|
  case v
  when Integer then puts "Integer"
  when String then puts "String"
  when Float then puts "Float"
  when nil then puts "nil"
  when Array then puts "Array"
  when Hash then puts "Hash"
  end
end
## case without a subject
n = 15
case
when n < 10 then puts "low"
when n < 20 then puts "mid"
end
## case as a value
x = case 5 when 1..3 then "a" when 4..6 then "b" end
show x
## case without a match
show((case 9 when 1 then 2 end))
## case with a spread
small = [1, 2]
case 2
when *small then puts "small"
end
## case with texts
case "b"
when "a" then puts 1
when "b" then puts 2
end
## destructuring
a, b = [1, 2]
a, b = b, a
show a, b
## splat destructuring
first, *rest = [1, 2, 3]
*init, last = [1, 2, 3]
show first, rest, init, last
## splat in the middle
a, *b, c = [1, 2, 3, 4]
show a, b, c
## nested destructuring
a, (b, c) = [1, [2, 3]]
show a, b, c
## too few values
a, b, c = [1, 2]
show c
## one value
a, b = 5
show a, b
## several values in a variable
a = 1, 2
b = *1..3
show a, b
## chain of assignments
a = b = 3
show a, b
## targets that are elements
v = [1, 2]
v[0], v[1] = v[1], v[0]
show v
## value of an assignment
show((x = 5))
## safe navigation
x = nil
show x&.length, x&.length&.abs, "abc"&.length
## defined variables in a branch
if false
  y = 1
end
show y
## conditions over lines
x = true &&
  false
show x
## semicolons
a = 1; b = 2; show a + b
## equality of kinds
show 1 == "1", nil == false, [] == [], {} == {}
## precedence of not
show !true == false
## comparison of equality and and
show 1 == 1 && 2 == 2 || false
## ranges in conditions
show (1..5) === 3
## begin while
i = 10
begin
  i += 1
end while i < 5
show i
## redo-free retry by loop
tries = 0
tries += 1 until tries * tries > 20
show tries
## step loop
0.step(6, 3) { |x| puts x }
## loop over characters
for c in "ab".chars do print c, "." end
puts
## constant
LIMIT = 3
show LIMIT + 1
## multiple return of puts
show puts("x")
## print of several
print "a", 1, nil, "b\n"
## puts of nil and empty
puts nil
puts ""
puts "end"
## puts of a vector
puts [1, 2]
## puts of a hash
puts({"a" => 1})
## puts with a line end
puts "a\n", "b"
## underscore in destructuring
_, b, _ = [1, 2, 3]
show b
## mutation through a variable
a = {list: [1]}
b = a
b[:list] << 2
show a
## operator precedence of shifts
show 1 << 2 + 1, 5 & 3 == 3
## bit operators and comparison
show (5 & 3) == 1, 1 | 2 ^ 3
## comparison chain
show 1 < 2 == true
## fizzbuzz
(1..5).each { |n| puts n % 15 == 0 ? "FizzBuzz" : n % 5 == 0 ? "Buzz" : n % 3 == 0 ? "Fizz" : n }
## primes
show (2..30).select { |n| (2...n).none? { |d| n % d == 0 } }
## fibonacci
a, b = 0, 1
10.times { a, b = b, a + b }
show a
## bubble sort
v = [3, 1, 2]
loop do
  swapped = false
  (v.length - 1).times do |i|
    if v[i] > v[i + 1]
      v[i], v[i + 1] = v[i + 1], v[i]
      swapped = true
    end
  end
  break unless swapped
end
show v
## word count
text = "the cat the dog"
counts = {}
text.split.each { |w| counts[w] = (counts[w] || 0) + 1 }
counts.sort_by { |w, n| [-n, w] }.each { |w, n| puts "#{w}: #{n}" }
## matrix
m = [[1, 2], [3, 4]]
show m.map { |row| row.map { |x| x * 2 } }, m.transpose.map(&:sum)
## caesar
puts "abc xyz".gsub(/[a-z]/) { |c| ((c.ord - 97 + 3) % 26 + 97).chr }
## collatz
n = 6
steps = []
until n == 1
  steps << n
  n = n.even? ? n >> 1 : 3 * n + 1
end
show steps
