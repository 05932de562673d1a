## hash with types
case {name: "Ann", age: 30}
in {name: String => name, age: Integer => age}
  puts "#{name} #{age}"
end
## short keys
case {x: 1, y: 2}
in {x:, y:}
  show x + y
end
## hash with other keys
case {a: 1, b: 2, c: 3}
in {a:, **rest}
  show a, rest
end
## hash without other keys
case {a: 1, b: 2}
in {a:, **nil} then puts "only a"
in {a:, b:} then puts "both"
end
## empty hash
case {a: 1}
in {} then puts "empty"
in {a: 1} then puts "a"
end
## vectors
case [1, 2, 3]
in [a, b] then puts "two"
in [a, b, c] then show a + b + c
end
## rest of a vector
case [1, 2, 3, 4]
in [first, *rest, last]
  show first, rest, last
end
## unnamed rest
case [1, 2, 3]
in [*, last]
  show last
end
## find pattern
case [1, "x", 2]
in [*, String => s, *]
  show s
end
## find pattern with what stands around
case [1, 2, "x", 3]
in [*before, String, *after]
  show before, after
end
## alternatives
case 5
in 1 | 2 then puts "small"
in 4 | 5 | 6 then puts "medium"
end
## ranges
case 15
in ..9 then puts "low"
in 10..19 then puts "teens"
in 20.. then puts "high"
end
## regex
case "2024-05"
in /^\d+-\d+$/ then puts "month"
end
## guards
case [3, 3]
in [a, b] if a == b then puts "equal"
in [a, b] then puts "different"
end
## unless guard
case 5
in n unless n > 9
  puts "one digit"
end
## pins
expected = 5
case 5
in ^expected then puts "as expected"
end
## pinned expression
case 6
in ^(2 * 3) then puts "six"
end
## pin of an earlier part
case [1, 1]
in [a, ^a] then puts "twice"
end
## no match
case 5
in String then puts "text"
end
## no match with else
case 5
in String then puts "text"
else puts "other"
end
## no key
case {a: 1}
in {b:} then puts "b"
end
## nil pattern
case nil
in nil then puts "nothing"
end
## nested
config = {db: {hosts: ["a", "b"], port: 1}}
case config
in {db: {hosts: [primary, *], port: Integer => port}}
  show primary, port
end
## without brackets
case [1, 2]
in a, b
  show a, b
end
## hash without braces
case {name: "x", n: 1}
in name:, n:
  show name, n
end
## in as an operator
show((1 in Integer), ("a" in Integer))
## in with a variable
if {a: [1, 2]} in {a: [x, y]}
  show x, y
end
## rightward assignment
{a: 1, b: 2} => {a:}
show a
## wildcards
case [1, 2]
in [_, _] then puts "two"
end
## alternatives of types with a name
case 1.5
in Integer | Float => n then show n
end
## key with a literal
case {type: "circle", r: 2}
in {type: "square"} then puts "square"
in {type: "circle", r:} then show r
end
## nil value of a key
case {a: nil}
in {a: nil} then puts "nil"
end
## lambda in a case
even = ->(n) { n % 2 == 0 }
case 4
when even then puts "even"
end
## equality of numbers
case 1.0
in 1 then puts "one"
end
## value of case in
x = case 3
in Integer then "number"
end
show x
## hash in a vector
case [{id: 1}, {id: 2}]
in [{id: first}, {id: second}]
  show first, second
end
## text key
case {"a" => 1}
in Hash => h
  show h
end
## empty vector
case []
in [a] then puts "one"
in [] then puts "none"
end
## vector for a hash
case {a: 1}
in [a] then puts "vector"
in Hash then puts "hash"
end
## type of several values
show [1, "a", nil, 2.5].select { |v| v in Integer | Float }
## range of texts
case "c"
in "a".."f" then puts "first"
end
## boolean
case true
in true then puts "yes"
end
## find pattern with several
case [1, 2, "x", "y", nil]
in [*, String => a, String => b, *after]
  show a, b, after
end
## find pattern that does not fit
case [1, 2]
in [*, String, *] then puts "text"
in [*, 2, *] then puts "two"
end
## find pattern of hashes
case [{id: 1}, {id: 2, name: "b"}]
in [*, {id: 2, name:}, *]
  show name
end
## find pattern with a guard
case [1, 2, 3]
in [*, a, *] if a > 1 then show a
in [*] then puts "none"
end
