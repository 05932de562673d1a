## access
h = {"a" => 1, b: 2}
show h["a"], h[:b], h["none"]
## writing
h = {}
h["x"] = 1
h["x"] += 1
show h, h.length
## order
h = {b: 1, a: 2}
h[:c] = 3
h[:b] = 9
show h, h.keys, h.values
## order after delete
h = {a: 1, b: 2}
h.delete(:a)
h[:a] = 3
show h
## integer keys
h = {1 => "one", 2 => "two"}
show h[1], h[3], h
## integer and float keys
h = {1 => "i"}
h[1.0] = "f"
show h.length
## vectors as keys
h = {[1, 2] => "v"}
show h[[1, 2]]
## nil and true as keys
h = {nil => 1, true => 2}
show h[nil], h[true]
## symbols and texts as keys
h = {a: 1}
show h["a"]
## fetch
h = {"a" => 1}
show h.fetch("a"), h.fetch("z", 0), h.fetch("z") { |k| k + "!" }
## fetch without a key
{"a" => 1}.fetch("z")
## key?
h = {"a" => nil}
show h.key?("a"), h.has_key?("b"), h.include?("a"), h.value?(nil), h.has_value?(1)
## delete
h = {"a" => 1}
show h.delete("a"), h.delete("z"), h
## each
{"a" => 1, "b" => 2}.each { |k, v| puts "#{k}=#{v}" }
## each with one parameter
{"a" => 1}.each { |pair| show pair }
## each_pair, each_key, each_value
h = {"a" => 1}
h.each_pair { |k, v| show k, v }
h.each_key { |k| show k }
h.each_value { |v| show v }
## map
show({"a" => 1, "b" => 2}.map { |k, v| "#{k}#{v}" })
## select and reject
h = {"a" => 1, "b" => 2}
show h.select { |k, v| v > 1 }, h.reject { |k, v| v > 1 }, h.filter { |k, v| k == "a" }
## transform_values
show({"a" => 1}.transform_values { |v| v * 2 }, {"a" => 1}.transform_keys { |k| k.upcase })
## merge
show({"a" => 1}.merge({"b" => 2}), {"a" => 1}.merge({"a" => 5}))
## merge with a block
show({"a" => 1}.merge({"a" => 5}) { |k, old, new| old + new })
## merge of several
show({"a" => 1}.merge({"b" => 2}, {"c" => 3}))
## update
h = {"a" => 1}
h.update({"b" => 2})
h.merge!({"a" => 3})
show h
## invert and key
show({"a" => 1}.invert, {"a" => 1}.key(1))
## sort_by
show({"b" => 1, "a" => 2}.sort_by { |k, v| k }, {"b" => 1, "a" => 2}.sort_by { |k, v| -v }.to_h)
## min_by and max_by
show({"a" => 3, "b" => 1}.min_by { |k, v| v }, {"a" => 3, "b" => 1}.max_by { |k, v| v })
## sum and count
h = {"a" => 1, "b" => 2}
show h.sum { |k, v| v }, h.count, h.count { |k, v| v > 1 }
## any, all, none
h = {"a" => 1}
show h.any? { |k, v| v > 0 }, h.all? { |k, v| v > 1 }, h.none? { |k, v| v > 1 }, {}.any?
## find
show({"a" => 1, "b" => 2}.find { |k, v| v == 2 })
## partition
show({"a" => 1, "b" => 2}.partition { |k, v| v > 1 })
## group_by
show({"a" => 1, "b" => 2, "c" => 1}.group_by { |k, v| v })
## reduce
show({"a" => 1, "b" => 2}.reduce(0) { |sum, (k, v)| sum + v })
## each_with_index
{"a" => 1}.each_with_index { |(k, v), i| puts "#{k} #{v} #{i}" }
## each_with_object
show({"a" => 1}.each_with_object({}) { |(k, v), memo| memo[v] = k })
## to_a
show({"a" => 1, "b" => 2}.to_a)
## sort
show({"b" => 1, "a" => 2}.sort)
## dig
h = {"a" => {"b" => [1, {"c" => 2}]}}
show h.dig("a", "b", 1, "c"), h.dig("x", "y")
## slice and except
h = {a: 1, b: 2, c: 3}
show h.slice(:a, :c), h.except(:a)
## values_at
show({"a" => 1, "b" => 2}.values_at("a", "z"))
## fetch_values
show({"a" => 1}.fetch_values("a"))
## default value
h = Hash.new(0)
h["a"] += 1
show h
## or-assignment
h = {}
h["a"] ||= []
h["a"] << 1
h["a"] ||= 5
show h
## empty and clear
h = {"a" => 1}
show h.empty?, {}.empty?
h.clear
show h
## equality
show({"a" => 1, "b" => 2} == {"b" => 2, "a" => 1}, {"a" => 1} == {"a" => 2})
## compact
show({"a" => nil, "b" => 1}.compact)
## filter_map
show({"a" => 1, "b" => 2}.filter_map { |k, v| k if v > 1 })
## flat_map
show({"a" => [1, 2]}.flat_map { |k, v| v })
## zip to a hash
show %w[a b].zip([1, 2]).to_h
## delete_if
h = {"a" => 1, "b" => 2}
h.delete_if { |k, v| v > 1 }
show h
## first
show({"a" => 1, "b" => 2}.first, {"a" => 1, "b" => 2}.first(1))
## spread
base = {a: 1, b: 2}
show({**base, b: 3, c: 4})
## short keys
x = 1
y = 2
show({x:, y:})
## nested
h = {a: {b: 1}}
h[:a][:b] += 1
show h
## quoted keys
show({"two words": 1})
## expressions as keys
k = "key"
show({k => 1, "#{k}2" => 2})
## copy
a = {x: 1}
b = a.dup
b[:x] = 2
show a, b
## to_h with a block
show({"a" => 1}.to_h { |k, v| [v, k] })
## sum of values
show({"a" => 1, "b" => 2}.values.sum)
## tally_by
show %w[a bb cc].tally_by { |w| w.length }
## adding while walking
h = {"a" => 1}
h.each { |k, v| h["z#{v}"] = 2 }
show h.length
## shift
h = {"a" => 1, "b" => 2}
show h.shift, h
## each_slice
show({"a" => 1, "b" => 2, "c" => 3}.each_slice(2).to_a)
## key with a default block
h = Hash.new { |hash, key| hash[key] = key * 2 }
show h["a"]
## store
h = {}
h.store("a", 1)
show h
## min and max of keys
show({"b" => 1, "a" => 2}.keys.min, {"b" => 1, "a" => 2}.max_by { |k, v| k })
## keep_if
show({"a" => 1, "b" => 2}.keep_if { |k, v| v > 1 })
## assoc
show({"a" => 1}.assoc("a"))
## sum of nothing
show({}.sum, {}.to_a, {}.map { |k, v| k })
## comparison
show({"a" => 1} <= {"a" => 1, "b" => 2})
## unknown methods
show({"a" => 1}.nonsense)
## trailing comma
h = {
  "a" => 1,
  "b" => 2,
}
show h
## each_cons
show({"a" => 1, "b" => 2}.each_cons(2).to_a)
## uniq
show({"a" => 1, "b" => 1}.uniq { |k, v| v })
## shift of the last pair
h = {"a" => 1}
h.shift
show h.shift, h
## shift and add
h = {"a" => 1, "b" => 2}
h["c"] = h.shift
show h
## rassoc
show({"a" => 1, "b" => 2}.rassoc(2), {"a" => 1}.assoc("x"))
## find_all
show({"a" => 1, "b" => 2}.find_all { |k, v| v > 1 })
## collect
show({"a" => 1}.collect { |k, v| [v, k] })
## minmax
show({"b" => 1, "a" => 2}.minmax)
## reverse_each
show({"a" => 1, "b" => 2}.reverse_each.to_a)
