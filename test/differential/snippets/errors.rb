## rescue a message
begin
  raise "broken"
rescue => e
  puts e.message
end
## rescue by type
begin
  raise ArgumentError, "bad"
rescue TypeError
  puts "type"
rescue ArgumentError => e
  puts "argument #{e.message}"
end
## rescue several types
begin
  [1].fetch(9)
rescue KeyError, IndexError
  puts "key or index"
end
## else and ensure
begin
  puts "body"
rescue
  puts "rescued"
else
  puts "else"
ensure
  puts "ensure"
end
## ensure after an error
begin
  begin
    raise "x"
  ensure
    puts "cleaned"
  end
rescue => e
  puts e.message
end
## value of begin
x = begin
  1
rescue
  2
end
show x
## value of a rescue
x = begin
  raise "a"
rescue
  2
ensure
  3
end
show x
## retry
tries = 0
begin
  tries += 1
  raise "again" if tries < 3
  puts tries
rescue
  retry
end
## rescue after a statement
x = to_be_or_not rescue "none"
show x
## rescue after an expression
x = [1].fetch(9) rescue "outside"
show x
## raise again
begin
  begin
    raise KeyError, "inner"
  rescue => e
    raise
  end
rescue KeyError => e
  puts "outer #{e.message}"
end
## raise from a function
def check(n)
  raise ArgumentError, "negative" if n < 0
  n
end
begin
  check(-1)
rescue ArgumentError => e
  puts e.message
end
## rescue in a function
def safe(n)
  10 % n
rescue ZeroDivisionError
  "zero"
ensure
  print "."
end
show safe(0), safe(3)
## return through ensure
def f
  return 1
ensure
  puts "on the way"
end
show f()
## rescue in a block
[0, 1].each do |n|
  puts 10 % n
rescue ZeroDivisionError
  puts "zero"
end
## uncaught
raise "lost"
## uncaught by type
raise IndexError, "lost"
## method of nil
nil.upcase
## unknown method
"a".nonsense
## wrong count of arguments
def one(a)
  a
end
one(1, 2)
## missing argument
def two(a, b)
  a
end
two(1)
## unknown keyword
def named(a: 1)
  a
end
named(b: 2)
## missing keyword in a lambda
f = ->(x) { x }
f.call
## type of an error
begin
  1 % 0
rescue => e
  puts e.is_a?(ZeroDivisionError)
end
## message of a division
begin
  1 % 0
rescue => e
  show e.message.downcase
end
## order of clauses
begin
  raise KeyError, "k"
rescue IndexError
  puts "index"
rescue KeyError
  puts "key"
end
## nested begin
begin
  begin
    raise "a"
  rescue TypeError
    puts "no"
  end
rescue RuntimeError => e
  puts "yes #{e.message}"
end
## cause
begin
  begin
    raise "first"
  rescue
    raise "second"
  end
rescue => e
  show e.message, e.cause.message
end
## break through ensure
[1, 2].each do |x|
  begin
    break if x == 1
  ensure
    puts "ensure #{x}"
  end
end
## next through ensure
[1, 2].each do |x|
  begin
    next if x == 1
    puts x
  ensure
    puts "ensure #{x}"
  end
end
## errors as values
e = ArgumentError.new("m")
show e.message
## raise in ensure
begin
  begin
    raise "a"
  ensure
    raise "b"
  end
rescue => e
  puts e.message
end
## interpolated error
begin
  raise "text"
rescue => e
  puts "#{e}"
end
## catch and throw
x = catch(:done) do
  throw :done, 5
end
show x
## rescue without begin in do
x = [1].map do |v|
  raise "x"
rescue => e
  e.message
end
show x
## deep recursion
def deep(n)
  deep(n + 1)
end
begin
  deep(0)
rescue SystemStackError
  puts "too deep"
end
## error in interpolation
puts "a#{1 % 0}"
## key errors
begin
  {"a" => 1}.fetch("b")
rescue KeyError
  puts "key"
end
## timeout of retry in functions
def attempt(list)
  list.shift or raise "empty"
rescue
  list.push("new")
  retry
end
show attempt([])
