/** The operands, about a megabyte each. */
export const VALUES = `
record Box(a, b)

def three(a, b = 1, *c)
  a
end

def fail_with(x)
  raise x
end

v = (1..200_000).to_a()
w = (1..200_000).to_a()
few = (1..2000).map { |i| "item #{i}" }
words = (1..50_000).map { |i| "item #{i}" }
h = {}
60_000.times { |i| h["k#{i}"] = i }
g = h.copy()
n = [1, [2, [3, (1..100_000).to_a()]]]
m = [1, [2, [3, (1..100_000).to_a()]]]
s = "ab" * 500_000
u = "ab" * 499_999 + "ac"
blanks = " " * 1_000_000 + "x"
c = 3 ** 60_000
d = 3 ** 60_001
json = v.to_json()
r1 = Box(a: v, b: 1)
r2 = Box(a: w, b: 1)
`;

/** Operators. */
const OPERATORS = [
  'v + w',
  'v + 1',
  'n + m',
  'c + c',
  's + u',
  'v - w',
  'c - d',
  'v * w',
  'c * d',
  's * 200',
  'few * 100',
  'v / 2',
  'v // 2',
  'c // 7',
  '(c * d) // c',
  'v % 7',
  '(c * d) % d',
  'v ** 2',
  '3 ** 300_000',
  '-v',
  '-c',
  'v < w',
  's < u',
  'v <= w',
  'n > m',
  's >= u',
  'v == w',
  'n == m',
  's == u',
  'h == g',
  'r1 == r2',
  'v != w',
  'v <=> w',
  's <=> u',
  's =~ /b+\\z/',
  's =~ /(a|b)*c/',
  's =~ /b(?=c)/',
  'v | w',
  'h | g',
  'n | m',
  '[] << v',
  '[*v, *w]',
  '[*h]',
  '[*1..200_000]',
  '[*"a".."zzzz"]',
  '{**h, **g}',
  '"#{v}"',
  '"#{h} #{n}"',
  '"#{c}"',
  '"#{few}"',
  '"#{r1}"',
  '"#{s}#{u}"',
  'v[1..-2]',
  's[5000..-2]',
  's[999_990]',
  'three(*v)',
  '[].push(*v)',
  '"%s" % [v]',
];

/** Statements. */
const STATEMENTS = [
  'a, *rest = v',
  'a, *rest, z = n',
  'begin\nraise "x"\nrescue e\n1\nend',
  'begin\nfail_with("x" * 100_000)\nrescue RuntimeError\n1\nend',
  'case v\nwhen w then 1\nend',
  'case s\nwhen /b\\s*c\\z/ then 1\nend',
  'case h\nwhen {k1: Integer} then 1\nend',
  'for q in v\nbreak\nend',
];

/** Calls of the library. */
const CALLS = [
  'v.to_json()',
  'json_parse(json)',
  'v.sort_by { |x| -x }',
  'v.sort()',
  'words.sort()',
  'v.uniq()',
  'words.uniq()',
  'v.reverse()',
  'v.sum()',
  'v.max()',
  'v.join(",")',
  'v.tally()',
  'v.zip(w)',
  'v.chunk(7)',
  'n.flatten()',
  'v.include?(-1)',
  'v.index(-1)',
  'v.difference(w)',
  'v.copy()',
  'v.shuffle()',
  'v.map { |x| x + 1 }',
  'v.select { |x| x > 5 }',
  'h.keys()',
  'h.merge(g)',
  'h.invert()',
  'h.to_json()',
  'h.sort_by { |k, x| -x }',
  's.reverse()',
  's.upcase()',
  's.tr("a", "c")',
  's.squeeze()',
  's.chars()',
  's.bytes()',
  's.split("b")',
  's.split(/\\s*,\\s*/)',
  's.scan(/\\w+:/)',
  's.gsub("ab", "c")',
  's.gsub(/.*.*=.*/, "x")',
  's.sub(/\\w+\\z/, "")',
  'blanks.sub(/\\s+\\z/, "")',
  'blanks.split(/\\s*,\\s*/)',
  's.match(/(a+)+c/)',
  's.index("zz")',
  's.count("a")',
  's.lines()',
  's.to_json()',
  's.inspect()',
  'sha256(s)',
  'base64_encode(s)',
  'url_encode(s)',
  'html_escape(s)',
  'csv_parse(json)',
  'c.to_s()',
  'to_int("7" * 100_000)',
  'gcd(c * 6, d)',
  'v.inspect()',
  'h.inspect()',
  'pp(n).length',
  'v.median()',
  'v.stdev()',
  '(1..200_000).to_a()',
];

export const WORKS: readonly string[] = [...OPERATORS, ...STATEMENTS, ...CALLS];
