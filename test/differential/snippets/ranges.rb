## to_a
show (1..5).to_a, (1...5).to_a, (5..1).to_a
## include
show (1..5).include?(5), (1...5).include?(5), (1..5).include?(2.5)
## sizes
show (1..10).size, (1...10).count, (5..1).size
## ends
show (1..5).first, (1..5).last, (1..5).min, (1..5).max
## ends of exclusive ranges
show (1...5).last, (1...5).max, (1...1).max
## first and last of several
show (1..10).first(3), (1..10).last(3)
## sum
show (1..100).sum, (1..3).sum { |x| x * x }
## step
show (1..10).step(3).to_a
## step with a block
(0..10).step(5) { |x| puts x }
## float step
show (0.0..1.0).step(0.25).to_a
## each
(1..3).each { |x| print x, " " }
puts
## reverse
show (1..3).reverse_each.to_a, (1..3).to_a.reverse
## map and select
show (1..5).map { |x| x * x }, (1..10).select { |x| x.even? }
## reduce
show (1..5).reduce { |a, b| a * b }
## endless
show (1..).first(3)
## endless with find
show (1..).find { |x| x * x > 50 }
## letters
show ("a".."e").to_a, ("a".."e").include?("c")
## equality
show (1..3) == (1..3), (1..3) == (1...3)
## text
puts (1..3).to_s, (1...3).to_s
## each_slice
show (1..7).each_slice(3).to_a
## each_cons
show (1..4).each_cons(2).to_a
## zip
show (1..3).zip(4..6)
## each_with_index
show (5..7).each_with_index.to_a
## to hash
show (1..3).to_h { |x| [x, x * x] }
## partition
show (1..6).partition { |x| x > 3 }
## arithmetic ends
n = 4
show (1..n - 1).to_a, (0...n * 2).size
## cover
show (1..10).cover?(3..4), (1..10).cover?(11)
## minmax
show (1..5).minmax
## beginless in a slice
show [1, 2, 3, 4][..1], [1, 2, 3, 4][...-1]
## negative
show (-3..0).to_a, (-3..-1).include?(-2)
## any and all
show (1..3).any? { |x| x > 2 }, (1..3).all?(Integer), (1..3).none?
## in a condition
x = 5
puts "yes" if (1..10).include?(x)
## for
for i in 1..3
  print i
end
puts
## each_entry of floats
show (1.5..3).include?(2), (1.5..3.5).min
## each of floats
(1.5..3).each { |x| show x }
## tally
show (1..6).map { |x| x % 3 }.tally
## group
show (1..6).group_by { |x| x % 3 }
## take and drop while
show (1..10).take_while { |x| x < 4 }, (1..5).drop(3)
## exclusive end
show (1...4).exclude_end?, (1..4).begin, (1..4).end
## cover of ranges
show (1...10).cover?(3..10), (1..10).cover?(3...11), (1..).cover?(4..), (1..10).cover?(5..4), ("a".."z").cover?("b".."c")
## include of a range
show (1..10).include?(3..4)
## beginless
r = (..5)
show r, r.include?(3), r.include?(6), r.begin, r.end, (...5).include?(5), r.cover?(..4)
## beginless in a case
case 3
when ...3 then puts "less"
when ..3 then puts "three"
end
## beginless slices of texts
show "hello"[..2], "hello"[...-1], [1, 2, 3][..-2]
## beginless to a vector
(..3).to_a
## clamp to a beginless range
show 15.clamp(..10), -5.clamp(..10)
## include between texts
show ("a".."e").include?("cc"), ("a".."e").include?("c"), ("a".."e").cover?("cc")
