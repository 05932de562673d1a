## indexes
v = [10, 20, 30]
show v[0], v[-1], v[3], v[-4]
## slices
v = [1, 2, 3, 4, 5]
show v[1..3], v[1...3], v[2..], v[-2..], v[5..], v[6..], v[1, 2], v[5, 1], v[6, 1]
## writing behind the end
v = [1]
v[3] = 4
show v
## writing from the end
v = [1, 2, 3]
v[-1] = 9
show v
## assignment to a slice
v = [1, 2, 3, 4]
v[1..2] = [9, 8, 7]
show v
## assignment of less to a slice
v = [1, 2, 3, 4]
v[0..2] = [0]
show v
## push and pop
v = [1]
v.push(2, 3)
v << 4 << 5
show v.pop, v, v.pop(2), v
## shift and unshift
v = [1, 2, 3]
show v.shift, v
v.unshift(8, 9)
show v
## insert
v = [1, 2, 3]
v.insert(1, 9)
v.insert(-2, 7)
show v
## delete
v = [1, 2, 1, 3]
show v.delete(1), v, v.delete(9)
## delete_at
v = [1, 2, 3]
show v.delete_at(1), v, v.delete_at(9)
## delete_if
v = [1, 2, 3, 4]
v.delete_if { |x| x.even? }
show v
## select and reject
show [1, 2, 3, 4].select { |x| x > 2 }, [1, 2, 3].reject { |x| x > 2 }, [1, 2].filter { |x| x == 1 }
## map and collect
show [1, 2].map { |x| x + 1 }, %w[a b].map(&:upcase)
## flat_map
show [1, 2].flat_map { |x| [x, x * 10] }, [[1], 2].flat_map { |x| x }
## filter_map
show [1, 2, 3].filter_map { |x| x * 2 if x.odd? }
## reduce
show [1, 2, 3].reduce { |a, b| a + b }, [1, 2].reduce(10) { |a, b| a + b }, [].reduce { |a, b| a + b }
## reduce with a symbol
show [1, 2, 3].reduce(:+), [2, 3].inject(2, :*)
## sum
show [1, 2, 3].sum, [].sum, [1, 2].sum { |x| x * 2 }, [1, 2.5].sum, [1].sum(10)
## sort
show [3, 1, 2].sort, %w[b a C].sort, [2.5, 1, 3].sort
## sort with a block
show [3, 1, 2].sort { |a, b| b <=> a }
## sort of vectors
show [[2, "b"], [1, "z"], [2, "a"]].sort
## sort of mixed values
show [1, "a"].sort
## sort_by
show %w[ccc a bb].sort_by { |w| w.length }, [3, 1].sort_by { |x| -x }
## sort_by several values
show [["b", 1], ["a", 2], ["c", 1]].sort_by { |name, n| [n, name] }
## min and max
show [3, 1, 2].min, [3, 1, 2].max, [].min, [3, 1, 2].minmax, [5, 1, 4].max(2), [5, 1, 4].min(2)
## min_by and max_by
show %w[aa b ccc].min_by(&:length), %w[aa b ccc].max_by(&:length)
## uniq
show [1, 2, 1, 3].uniq, [1, 2, 3, 4].uniq { |x| x % 2 }
## reverse and rotate
show [1, 2, 3].reverse, [1, 2, 3].rotate, [1, 2, 3].rotate(-1)
## flatten
show [1, [2, [3, [4]]]].flatten, [1, [2, [3]]].flatten(1)
## compact
show [1, nil, 2, false, nil].compact
## first and last
show [1, 2, 3].first, [1, 2, 3].last, [].first, [1, 2, 3].first(2), [1, 2, 3].last(2), [1].first(5)
## take and drop
show [1, 2, 3].take(2), [1, 2, 3].drop(1), [1, 2, 3].drop(5)
## take_while and drop_while
show [1, 2, 3, 1].take_while { |x| x < 3 }, [1, 2, 3, 1].drop_while { |x| x < 3 }
## include
show [1, 2].include?(2), [1, 2].include?(2.0), ["a"].include?("b")
## index
show [1, 2, 1].index(1), [1, 2, 1].rindex(1), [1].index(5), [1, 2].index { |x| x > 1 }
## find
show [1, 2, 3].find { |x| x > 1 }, [1].find { |x| x > 1 }, [1, 2].find_index(2)
## count
show [1, 2, 1].count, [1, 2, 1].count(1), [1, 2, 3].count { |x| x > 1 }
## any, all, none, one
show [1, nil].any?, [1, nil].all?, [nil].none?, [1, nil].one?, [].any?, [].all?
## any and all with blocks
show [1, 2].any? { |x| x > 1 }, [1, 2].all? { |x| x > 1 }, [1, 2].none? { |x| x > 5 }, [1, 2].one? { |x| x > 1 }
## any of a type
show [1, "a"].any?(String), [1, 2].all?(Integer), [1, 5].any?(4..6)
## partition
show [1, 2, 3, 4].partition { |x| x.even? }
## group_by
show %w[apple bob avocado].group_by { |w| w[0] }
## tally
show %w[a b a].tally
## each_with_index
%w[a b].each_with_index { |x, i| puts "#{i}: #{x}" }
## each_with_object
show [1, 2].each_with_object([]) { |x, memo| memo << x * 2 }
## each_slice and each_cons
show [1, 2, 3, 4, 5].each_slice(2).to_a, [1, 2, 3].each_cons(2).to_a
## chunk_while and slice_when
show [1, 2, 4, 5, 7].chunk_while { |a, b| b == a + 1 }.to_a, [1, 2, 4].slice_when { |a, b| b > a + 1 }.to_a
## zip
show [1, 2].zip([3, 4]), [1, 2].zip([3], [5, 6])
## transpose
show [[1, 2], [3, 4]].transpose
## product and combinations
show [1, 2].product([3, 4]), [1, 2, 3].combination(2).to_a
## permutations
show [1, 2, 3].permutation(2).to_a.length, [1, 2].permutation.to_a
## join
show [1, 2, 3].join(", "), [1, [2, 3]].join("-"), [].join, [nil, 1].join(",")
## union, intersection, difference
show [1, 2] | [2, 3], [1, 2, 2] & [2, 3], [1, 2, 3].difference([2]), [1].union([2])
## difference operator
show [1, 2, 3, 2] - [2]
## sum operator
show [1, 2] + [3, 4]
## repetition
show [1, 2] * 2
## repetition with a text
show [1, 2] * ","
## concat
show [1].concat([2], [3, 4])
## comparison
show [1, 2] <=> [1, 3], [1, 2] <=> [1], [] <=> [], [1, 2] == [1, 2.0]
## cycle
show [1, 2].cycle.first(5)
## fill
show [1, 2, 3].fill(0)
## assoc
show [["a", 1], ["b", 2]].assoc("b")
## dig
show [1, [2, [3]]].dig(1, 1, 0), [[1]].dig(5, 0)
## values_at
show [10, 20, 30].values_at(0, 2, -1, 9)
## fetch
show [1, 2].fetch(1), [1].fetch(5, "none"), [1].fetch(5) { |i| i * 2 }
## fetch outside
show [1].fetch(5)
## to_h
show [["a", 1], ["b", 2]].to_h, [1, 2].to_h { |x| ["k#{x}", x] }
## each_entry over nil
nil.each { |x| show x }
## clear
v = [1, 2]
v.clear
show v, v.empty?, v.length
## copy
a = [1, 2]
b = a.dup
b << 3
show a, b
## references
a = [1]
b = a
b << 2
show a
## shared rows
grid = [[0] * 2] * 2
grid[0][0] = 1
show grid
## reverse_each
[1, 2].reverse_each { |x| puts x }
## each returns its receiver
show [1, 2].each { |x| x }
## map with index
show %w[a b].map.with_index { |x, i| x * i }, %w[a b].each_with_index.map { |x, i| "#{x}#{i}" }
## with_index from 1
show %w[a b].map.with_index(1) { |x, i| "#{i}#{x}" }
## select with index
show %w[a b c].select.with_index { |x, i| i > 0 }
## bsearch
show [1, 4, 7, 10].bsearch { |x| x >= 5 }
## sum of vectors
show [[1, 2], [3]].sum([])
## slice!
v = [1, 2, 3, 4]
show v.slice!(1, 2), v
## map!
v = [1, 2]
v.map! { |x| x * 2 }
show v
## sort!
v = [2, 1]
v.sort!
show v
## inspect of nesting
show [1, [nil, true], "a", 1.5, {a: [1]}]
## splat in the middle
a = [2, 3]
show [1, *a, 4], [*a, *a], [*1..3]
## splat of nil
show [*nil], [1, *nil]
## new with a block
show Array.new(3) { |i| i * i }
## Array of a value
show Array(nil), Array([1]), Array(1..3)
## step through with each_slice and a block
[1, 2, 3].each_slice(2) { |a, b| show [a, b] }
## sum with floats
show [0.1] * 3, [0.1, 0.2, 0.3].sum.round(2)
## none of a regex
show %w[a b].none?(/c/), %w[a b].count { |x| x =~ /a/ }
## sample of one
show [7].sample, [7].shuffle
## scan and accumulate
sum = 0
show [1, 2, 3].map { |x| sum += x }
## pack
show [65, 66].pack("c*")
## min with a block
show [3, -5].min { |a, b| a.abs <=> b.abs }
## equal hashes in vectors
show [{a: 1}, {a: 1}].uniq, [[1], [1]].uniq
## find_all and detect
show [1, 2].find_all { |x| x > 1 }, [1, 2].detect { |x| x > 1 }
## inject with an index
show [1, 2].each_with_index.sum { |x, i| x * i }
## zip with a block
[1, 2].zip([3, 4]) { |a, b| puts a * b }
## lazy
show (1..).lazy.map { |x| x * 2 }.select { |x| x % 3 == 0 }.first(2)
## step changes while walking
v = [1, 2, 3]
v.each { |x| v << 9 if v.length < 5 }
show v
## nested assignment
v = [[1, 2], [3]]
v[0][1] += 5
show v
## or-assignment of elements
v = [nil, 1]
v[0] ||= 5
v[1] ||= 6
show v
## chunk
show [1, 3, 2].chunk { |x| x.odd? }.to_a
## keep_if
show [1, 2, 3].keep_if { |x| x > 1 }
## each_index
[5, 6].each_index { |i| print i }
puts
## splat of a text
show [*"a"], [*1]
## zip of three with a block
[1, 2].zip([3, 4], [5]) { |a, b, c| show [a, b, c] }
## grep of types and ranges
show [1, "a", 2.5].grep(Integer), [1, 5, 9].grep(4..6), [1, 5].grep_v(5) { |x| x * 2 }
## rassoc
show [["a", 1], ["b", 2]].rassoc(2), [[1]].assoc(9)
## collect
show [1, 2].collect { |x| x * 2 }
