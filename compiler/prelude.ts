/**
 * The core iterators, in Svc. `name__n` is method `name` with n arguments and a block; `?` is written `_q`. With a
 * literal block the compiler inlines the body, and replaces the call of `f` by the block's code. So each body calls `f`
 * in exactly one place, and assigns its variables before it reads them. With a function value the same body is compiled
 * as a function. Names that begin with `__` are intrinsics of natives/core/intrinsics.ts. docs/library.md is generated
 * from the doc comments: they begin with the block's parameters and the method's result, `self` for its receiver.
 */
export const PRELUDE = String.raw`
## |x| -> self: Calls the block with each element. A hash passes its keys to a block with one parameter, and its keys and values to a block with two.
def each__0(xs, f)
  for x in __each(xs, f)
    f(x)
  end
  xs
end

## |key, value| -> self: Calls the block with each key and its value.
def each_pair__0(xs, f)
  for k, v in xs
    f(k, v)
  end
  xs
end

## |key| -> self: Calls the block with each key.
def each_key__0(xs, f)
  for k, v in xs
    f(k)
  end
  xs
end

## |value| -> self: Calls the block with each value.
def each_value__0(xs, f)
  for k, v in xs
    f(v)
  end
  xs
end

## |x, i| -> self: Calls the block with each element and its index.
def each_with_index__0(xs, f)
  i = 0
  for x in xs
    f(x, i)
    i += 1
  end
  xs
end

## |i| -> self: Calls the block with each index.
def each_index__0(xs, f)
  i = 0
  for x in xs
    f(i)
    i += 1
  end
  xs
end

## |x| -> self: Calls the block with each element, the last one first.
def reverse_each__0(xs, f)
  for x in __list(xs, "reverse_each").reverse
    f(x)
  end
  xs
end

## |x, object| -> Any: Calls the block with each element and the object, and returns the object.
def each_with_object__1(xs, memo, f)
  for x in xs
    f(x, memo)
  end
  memo
end

## |char| -> self: Calls the block with each character.
def each_char__0(text, f)
  for c in __chars(text)
    f(c)
  end
  text
end

## |line| -> self: Calls the block with each line, its end included.
def each_line__0(text, f)
  for line in __lines(text)
    f(line)
  end
  text
end

## |part| -> self: Calls the block with vectors of n consecutive elements; the last one may be shorter.
def each_slice__1(xs, n, f)
  for part in xs.each_slice(n)
    f(part)
  end
  xs
end

## |part| -> self: Calls the block with every vector of n neighbouring elements.
def each_cons__1(xs, n, f)
  for part in xs.each_cons(n)
    f(part)
  end
  xs
end

## |x| -> Vector: What the block makes of each element.
def map__0(xs, f)
  out = []
  for x in xs
    out << f(x)
  end
  out
end

## |x, i| -> Vector: What the block makes of each element and its index.
def map_with_index__0(xs, f)
  out = []
  i = 0
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

## |x, i| -> Vector: What the block makes of each element and its index.
def with_index__0(xs, f)
  out = []
  i = 0
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

## |x, i| -> Vector: What the block makes of each element and its number, counted from start.
def with_index__1(xs, start, f)
  out = []
  i = start
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

## |x| -> Vector: What the block makes of each element, with the elements of vectors in place of the vectors.
def flat_map__0(xs, f)
  out = []
  for x in xs
    __append_flat(out, f(x))
  end
  out
end

## |x| -> Vector: What the block makes of each element, without nil and false.
def filter_map__0(xs, f)
  out = []
  for x in xs
    y = f(x)
    out << y if y
  end
  out
end

## |x| -> Vector|Hash: The elements for which the block is true; of a hash, a hash of such pairs.
def select__0(xs, f)
  out = __like(xs, "select")
  for x in xs
    if f(x)
      __keep(out, x)
    end
  end
  out
end

## |x| -> Vector|Hash: The elements for which the block is true; of a hash, a hash of such pairs.
def filter__0(xs, f)
  out = __like(xs, "filter")
  for x in xs
    if f(x)
      __keep(out, x)
    end
  end
  out
end

## |x| -> Vector|Hash: The elements for which the block is not true; of a hash, a hash of such pairs.
def reject__0(xs, f)
  out = __like(xs, "reject")
  for x in xs
    unless f(x)
      __keep(out, x)
    end
  end
  out
end

## |x| -> Vector: Two vectors: the elements for which the block is true, and the others.
def partition__0(xs, f)
  yes = []
  no = []
  for x in xs
    if f(x)
      yes << x
    else
      no << x
    end
  end
  [yes, no]
end

## |result, x| -> Any: Combines the elements into one: the block gets the result so far, at first the first element, and the next element. nil if there are no elements.
def reduce__0(xs, f)
  started = false
  acc = nil
  for x in xs
    if started
      acc = f(acc, x)
    else
      acc = x
      started = true
    end
  end
  acc
end

## |result, x| -> Any: Combines the elements into one: the block gets the result so far, at first init, and the next element.
def reduce__1(xs, init, f)
  acc = init
  for x in xs
    acc = f(acc, x)
  end
  acc
end

## |result, x| -> Any: Combines the elements into one: the block gets the result so far, at first the first element, and the next element. nil if there are no elements.
def inject__0(xs, f)
  started = false
  acc = nil
  for x in xs
    if started
      acc = f(acc, x)
    else
      acc = x
      started = true
    end
  end
  acc
end

## |result, x| -> Any: Combines the elements into one: the block gets the result so far, at first init, and the next element.
def inject__1(xs, init, f)
  acc = init
  for x in xs
    acc = f(acc, x)
  end
  acc
end

## |x| -> Any: The first element for which the block is true, or nil.
def find__0(xs, f)
  for x in xs
    if f(x)
      return x
    end
  end
  nil
end

## |x| -> Any: The first element for which the block is true, or nil.
def detect__0(xs, f)
  for x in xs
    if f(x)
      return x
    end
  end
  nil
end

## |x| -> Integer?: Index of the first element for which the block is true, or nil.
def find_index__0(xs, f)
  i = 0
  for x in xs
    if f(x)
      return i
    end
    i += 1
  end
  nil
end

## |x| -> Boolean: Whether the block is true for an element.
def any_q__0(xs, f)
  for x in xs
    if f(x)
      return true
    end
  end
  false
end

## |x| -> Boolean: Whether the block is true for all elements.
def all_q__0(xs, f)
  for x in xs
    unless f(x)
      return false
    end
  end
  true
end

## |x| -> Boolean: Whether the block is true for no element.
def none_q__0(xs, f)
  for x in xs
    if f(x)
      return false
    end
  end
  true
end

## |x| -> Boolean: Whether the block is true for exactly one element.
def one_q__0(xs, f)
  n = 0
  for x in xs
    n += 1 if f(x)
  end
  n == 1
end

## |x| -> Integer: Number of elements for which the block is true.
def count__0(xs, f)
  n = 0
  for x in xs
    n += 1 if f(x)
  end
  n
end

## |x| -> Number: Sum of what the block makes of each element.
def sum__0(xs, f)
  total = [0, nil]
  for x in xs
    __sum_add(total, f(x))
  end
  __sum_end(total)
end

## |x| -> Number: Sum of what the block makes of each element.
def sum_by__0(xs, f)
  total = [0, nil]
  for x in xs
    __sum_add(total, f(x))
  end
  __sum_end(total)
end

## |x| -> Any: The element for which the block returns the least value; nil if there are no elements.
def min_by__0(xs, f)
  found = false
  best = nil
  least = nil
  for x in xs
    key = f(x)
    if not found or key < least
      found = true
      best = x
      least = key
    end
  end
  best
end

## |x| -> Any: The element for which the block returns the greatest value; nil if there are no elements.
def max_by__0(xs, f)
  found = false
  best = nil
  most = nil
  for x in xs
    key = f(x)
    if not found or key > most
      found = true
      best = x
      most = key
    end
  end
  best
end

## |x| -> Vector: The elements in ascending order of the block's results; equal ones keep their order.
def sort_by__0(xs, f)
  keys = []
  items = []
  for x in xs
    keys << f(x)
    items << x
  end
  __sort_by(keys, items)
end

## |a, b| -> Vector: The elements in the order of a block that compares two: negative when the first comes first, positive when the second does.
def sort__0(xs, f)
  list = __list(xs, "sort")
  n = __size(list)
  width = 1
  while width < n
    out = []
    lo = 0
    while lo < n
      mid = __least(lo + width, n)
      hi = __least(lo + 2 * width, n)
      i = lo
      j = mid
      while i < mid and j < hi
        if f(list[i], list[j]) <= 0
          out << list[i]
          i += 1
        else
          out << list[j]
          j += 1
        end
      end
      __copy(out, list, i, mid)
      __copy(out, list, j, hi)
      lo = hi
    end
    list = out
    width = width * 2
  end
  list
end

## |x| -> Hash: Vectors of the elements for which the block returns the same value, by that value.
def group_by__0(xs, f)
  out = {}
  for x in xs
    __group(out, f(x), x)
  end
  out
end

## |x| -> Vector: The first element for each value that the block returns.
def uniq__0(xs, f)
  keys = []
  items = []
  for x in xs
    keys << f(x)
    items << x
  end
  __uniq_by(keys, items)
end

## |x, y| -> Vector: What the block makes of the elements at the same places, for each of this collection; nil where the other one has none.
def zip_with__1(xs, ys, f)
  out = []
  for pair in xs.zip(ys)
    out << f(pair[0], pair[1])
  end
  out
end

## |x| -> Vector: The elements before the first one for which the block is not true.
def take_while__0(xs, f)
  out = []
  for x in xs
    unless f(x)
      return out
    end
    out << x
  end
  out
end

## |x| -> Vector: The elements from the first one for which the block is not true to the end.
def drop_while__0(xs, f)
  out = []
  dropping = true
  for x in xs
    if dropping
      dropping = false unless f(x)
    end
    out << x unless dropping
  end
  out
end

## |a, b| -> Vector: Vectors of consecutive elements, split between neighbours for which the block is not true.
def chunk_while__0(xs, f)
  out = []
  part = nil
  last = nil
  for x in xs
    if part == nil
      part = [x]
    elsif f(last, x)
      part << x
    else
      out << part
      part = [x]
    end
    last = x
  end
  out << part unless part == nil
  out
end

## |value| -> Hash: A hash with what the block makes of each value.
def transform_values__0(h, f)
  out = {}
  for k, v in h
    out[k] = f(v)
  end
  out
end

## |key| -> Hash: A hash with what the block makes of each key.
def transform_keys__0(h, f)
  out = {}
  for k, v in h
    out[f(k)] = v
  end
  out
end

## |key, value| -> Hash: A hash of the pairs that the block returns, as vectors of key and value.
def map_hash__0(h, f)
  out = {}
  for k, v in h
    __pair_into(out, f(k, v))
  end
  out
end

## |x| -> Hash: A hash of the pairs that the block returns, as vectors of key and value.
def to_h__0(xs, f)
  out = {}
  for x in xs
    __pair_into(out, f(x))
  end
  out
end

## |key| -> Any: The value at a key or index, else the result of the block.
def fetch__1(xs, key, f)
  value = __fetch(xs, key)
  if __size(value) == 1
    return value[0]
  end
  f(key)
end

## |i| -> self: Calls the block with the numbers from 0 to this one minus 1.
def times__0(n, f)
  for i in __count(n)
    f(i)
  end
  n
end

## |i| -> self: Calls the block with the numbers from this one up to last.
def upto__1(n, last, f)
  i = __integer(n, "upto")
  while i <= last
    f(i)
    i += 1
  end
  n
end

## |i| -> self: Calls the block with the numbers from this one down to last.
def downto__1(n, last, f)
  i = __integer(n, "downto")
  while i >= last
    f(i)
    i -= 1
  end
  n
end

## |x| -> self: Calls the block with every by-th number of the range.
def step__1(xs, by, f)
  for x in xs.step(by)
    f(x)
  end
  xs
end

## |x| -> self: Calls the block with the numbers from this one to last, at a distance of by.
def step__2(n, last, by, f)
  for x in n.step(last, by)
    f(x)
  end
  n
end

## |match| -> self: Calls the block with the text of each match, or with the vector of its groups when the pattern has groups.
def scan__1(text, pattern, f)
  for m in text.scan(pattern)
    f(m)
  end
  text
end

## |match| -> String: The text with each match replaced by what the block makes of it.
def gsub__1(text, pattern, f)
  out = []
  for part in __split_matches(text, pattern, 0, "gsub")
    out << part[0]
    if part[1] != nil
      out << "#{f(part[1])}"
    end
  end
  __join(out)
end

## |match| -> String: The text with the first match replaced by what the block makes of it.
def sub__1(text, pattern, f)
  out = []
  for part in __split_matches(text, pattern, 1, "sub")
    out << part[0]
    if part[1] != nil
      out << "#{f(part[1])}"
    end
  end
  __join(out)
end

## |x| -> self: Calls the block with the value and returns the value.
def tap__0(x, f)
  f(x)
  x
end

## |x| -> Any: What the block makes of the value.
def then__0(x, f)
  f(x)
end

## |x| -> Vector: What the block makes of each element, in threads of their own that run at the same time.
def parallel_map(xs, f)
  tasks = []
  for x in xs
    tasks << __start(f, x)
  end
  out = []
  for task in tasks
    out << await task
  end
  out
end

## || -> Any: Runs the block and returns its value; TimeoutError if it takes longer than seconds.
def timeout(seconds, f)
  deadline = __deadline(seconds)
  begin
    f()
  ensure
    __end_deadline(deadline)
  end
end
`;
