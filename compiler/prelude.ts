/**
 * The core iterators, in Svc. `name__n` is method `name` with n arguments and a block; `?` is written `_q`. With a literal block the compiler writes
 * the body in place of the call, and the block's code in place of the call of `f`: so each body calls `f` in exactly one place, and assigns
 * its variables before it reads them. With a function value the same body is compiled as a function. Names that begin with `__` are intrinsics
 * of natives/core/intrinsics.ts.
 */
export const PRELUDE = String.raw`
def each__0(xs, f)
  for x in __each(xs, f)
    f(x)
  end
  xs
end

def each_pair__0(xs, f)
  for k, v in xs
    f(k, v)
  end
  xs
end

def each_key__0(xs, f)
  for k, v in xs
    f(k)
  end
  xs
end

def each_value__0(xs, f)
  for k, v in xs
    f(v)
  end
  xs
end

def each_with_index__0(xs, f)
  i = 0
  for x in xs
    f(x, i)
    i += 1
  end
  xs
end

def each_index__0(xs, f)
  i = 0
  for x in xs
    f(i)
    i += 1
  end
  xs
end

def each_with_object__1(xs, memo, f)
  for x in xs
    f(x, memo)
  end
  memo
end

def each_char__0(text, f)
  for c in __chars(text)
    f(c)
  end
  text
end

def each_line__0(text, f)
  for line in __lines(text)
    f(line)
  end
  text
end

def each_slice__1(xs, n, f)
  for part in xs.each_slice(n)
    f(part)
  end
  xs
end

def each_cons__1(xs, n, f)
  for part in xs.each_cons(n)
    f(part)
  end
  xs
end

def map__0(xs, f)
  out = []
  for x in xs
    out << f(x)
  end
  out
end

def map_with_index__0(xs, f)
  out = []
  i = 0
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

def with_index__0(xs, f)
  out = []
  i = 0
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

def with_index__1(xs, start, f)
  out = []
  i = start
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

def flat_map__0(xs, f)
  out = []
  for x in xs
    __append_flat(out, f(x))
  end
  out
end

def filter_map__0(xs, f)
  out = []
  for x in xs
    y = f(x)
    out << y if y
  end
  out
end

def select__0(xs, f)
  out = __like(xs, "select")
  for x in xs
    if f(x)
      __keep(out, x)
    end
  end
  out
end

def filter__0(xs, f)
  out = __like(xs, "filter")
  for x in xs
    if f(x)
      __keep(out, x)
    end
  end
  out
end

def reject__0(xs, f)
  out = __like(xs, "reject")
  for x in xs
    unless f(x)
      __keep(out, x)
    end
  end
  out
end

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

def reduce__1(xs, init, f)
  acc = init
  for x in xs
    acc = f(acc, x)
  end
  acc
end

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

def inject__1(xs, init, f)
  acc = init
  for x in xs
    acc = f(acc, x)
  end
  acc
end

def find__0(xs, f)
  for x in xs
    if f(x)
      return x
    end
  end
  nil
end

def detect__0(xs, f)
  for x in xs
    if f(x)
      return x
    end
  end
  nil
end

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

def any_q__0(xs, f)
  for x in xs
    if f(x)
      return true
    end
  end
  false
end

def all_q__0(xs, f)
  for x in xs
    unless f(x)
      return false
    end
  end
  true
end

def none_q__0(xs, f)
  for x in xs
    if f(x)
      return false
    end
  end
  true
end

def one_q__0(xs, f)
  n = 0
  for x in xs
    n += 1 if f(x)
  end
  n == 1
end

def count__0(xs, f)
  n = 0
  for x in xs
    n += 1 if f(x)
  end
  n
end

def sum__0(xs, f)
  total = 0
  for x in xs
    total = total + f(x)
  end
  total
end

def sum_by__0(xs, f)
  total = 0
  for x in xs
    total = total + f(x)
  end
  total
end

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

def sort_by__0(xs, f)
  keys = []
  items = []
  for x in xs
    keys << f(x)
    items << x
  end
  __sort_by(keys, items)
end

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

def group_by__0(xs, f)
  out = {}
  for x in xs
    __group(out, f(x), x)
  end
  out
end

def uniq__0(xs, f)
  keys = []
  items = []
  for x in xs
    keys << f(x)
    items << x
  end
  __uniq_by(keys, items)
end

def zip_with__1(xs, ys, f)
  out = []
  for pair in xs.zip(ys)
    out << f(pair[0], pair[1])
  end
  out
end

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

def transform_values__0(h, f)
  out = {}
  for k, v in h
    out[k] = f(v)
  end
  out
end

def transform_keys__0(h, f)
  out = {}
  for k, v in h
    out[f(k)] = v
  end
  out
end

def map_hash__0(h, f)
  out = {}
  for k, v in h
    __pair_into(out, f(k, v))
  end
  out
end

def to_h__0(xs, f)
  out = {}
  for x in xs
    __pair_into(out, f(x))
  end
  out
end

def fetch__1(xs, key, f)
  value = __fetch(xs, key)
  if __size(value) == 1
    return value[0]
  end
  f(key)
end

def times__0(n, f)
  for i in __count(n)
    f(i)
  end
  n
end

def upto__1(n, last, f)
  i = __integer(n, "upto")
  while i <= last
    f(i)
    i += 1
  end
  n
end

def downto__1(n, last, f)
  i = __integer(n, "downto")
  while i >= last
    f(i)
    i -= 1
  end
  n
end

def step__1(xs, by, f)
  for x in xs.step(by)
    f(x)
  end
  xs
end

def step__2(n, last, by, f)
  for x in n.step(last, by)
    f(x)
  end
  n
end

def scan__1(text, pattern, f)
  for m in text.scan(pattern)
    f(m)
  end
  text
end

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

def tap__0(x, f)
  f(x)
  x
end

def then__0(x, f)
  f(x)
end

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

def timeout(seconds, f)
  deadline = __deadline(seconds)
  begin
    f()
  ensure
    __end_deadline(deadline)
  end
end
`;
