/**
 * Programs with what was counted by hand, as comments: how often the line ran, then for each branch that begins on it,
 * how often each of its ways was taken.
 */
export const PROGRAMS: Record<string, string> = {
  if: `def sign(x)
  if x > 0          #= 3 | 1 2
    "plus"          #= 1
  elsif x < 0       #= - | 0 2
    "minus"         #= 0
  else
    "zero"          #= 2
  end
end
sign(1)             #= 1
sign(0)             #= 1
sign(0)             #= 1
`,
  unless: `x = 5               #= 1
unless x > 3        #= 1 | 0 1
  x = 1             #= 0
else
  x = 2             #= 1
end
x = 3 unless x == 2 #= 1 | 0 1
x = 4 if x == 2     #= 1 | 1 0
`,
  case: `def name(n)
  case n            #= 4 | 2 1 1
  when 1, 2         #= -
    "few"           #= 2
  when 3 then "three" #= 1
  end
end
[1, 2, 3, 9].each { |n| name(n) } #= 4 | 4
def word(n)
  case n            #= 1 | 0 1
  when 1 then "one" #= 0
  else "more"       #= 1
  end
end
word(7)             #= 1
`,
  match: `def area(shape)
  case shape        #= 3 | 2 1 0
  in {r:} if r > 0  #= -
    r * r           #= 2
  in [w, h]         #= -
    w * h           #= 1
  else
    0               #= 0
  end
end
area({r: 1})        #= 1
area({r: 2})        #= 1
area([2, 3])        #= 1
p = 5 in Integer    #= 1
`,
  logical: `def both(a, b) = a && b   #= 3 | 1 2
def either(a, b) = a or b   #= 2 | 2 0
both(1, 2); both(nil, 1); both(false, 1) #= 1
either(1, 2)                #= 1
either(true, nil)           #= 1
c = !nil && (1 > 2 || 3)    #= 1 | 1 0 | 0 1
`,
  ternary: `def odd(n) = n % 2 == 1 ? "odd" : "even" #= 3 | 2 1
[1, 2, 3].map { odd(it) }   #= 3 | 3
`,
  while: `i = 0               #= 1
while i < 3         #= 1 | 3 1
  i += 1            #= 3
  next if i == 1    #= 3 | 1 2
  break if i > 5    #= 2 | 0 2
end
until i == 0        #= 1 | 3 1
  i -= 1            #= 3
end
for x in [1, 2]     #= 1
  i += x            #= 2
end
begin               #= 1
  i -= 1            #= 3
end while i > 0     #= - | 2 1
`,
  rescue: `def safe(x)
  10 // x           #= 3
rescue ZeroDivisionError #= - | 1 1
  "none"            #= 1
rescue TypeError => e
  "type"            #= 1
else
  "fine"            #= 1
ensure
  x = nil           #= 3
end
safe(0)             #= 1
safe("x")           #= 1
safe(1)             #= 1
y = to_int("x") rescue 5 #= 1 | 1
`,
  blocks: `total = 0           #= 1
[].each { |x| total += x } #= 1 | 0
[1, 2].each do |x|  #= 1 | 2
  total += x        #= 2
  [3].each do       #= 2 | 2
    total += it     #= 2
  end
end
f = ->(x) { x + 1 } #= 1 | 0
g = ->(x) { x + 1 } #= 2 | 2
g.(1); g.(2)        #= 1
3.times { }         #= 1 | 3
loop do             #= 1 | 1
  break             #= 1
end
`,
  assignments: `h = {a: 1}        #= 1
h[:a] ||= 2         #= 1 | 0 1
h[:b] ||= 3         #= 1 | 1 0
def seen(set, key)
  set[key] &&= 5    #= 3 | 1 2
end
seen(h, :a); seen(h, :c); seen({}, :a) #= 1
n = nil             #= 1
n ||= false || 7    #= 1 | 1 0 | 0 1
n ||= 8             #= 1 | 0 1
`,
  safe: `record Node(value, below = nil)
def lower(node) = node&.below&.value #= 3 | 1 2 | 2 1
lower(nil); lower(Node(1)); lower(Node(1, Node(2))) #= 1
def length_of(list) = list&.length() #= 2 | 1 1
length_of([false]); length_of(nil) #= 1
[1, nil].map { it&.abs() } #= 2 | 2 | 1 1
`,
  one_liners: `def never(x) = x * 2 #= 0
def empty; end
empty(); a = 1; b = 2 #= 1
record Point(x, y) do
  def sum() = x + y #= 1
  def none()
    0               #= 0
  end
end
error Own
const LIMIT = 5     #= 1
Point(1, 2).sum()   #= 1
if a == 1 then b = 5 else b = 6 end #= 1 | 1 0
puts "#{a == 1 ? "x" : "y"}" #= 1 | 1 0
`,
};

/** The counts that the comments of a program state. */
export function expected(program: string): Record<string, string> {
  const found = program.split('\n').flatMap((line, i) => {
    const match = /#= (.*)$/.exec(line);
    return match === null || match[1] === '-' ? [] : [[`${i + 1}`, match[1].trim()]];
  });
  return Object.fromEntries(found) as Record<string, string>;
}
