/** A kind of work: Svc code that prepares its values, and an expression that does the work. */
export interface Case {
  name: string;
  before: string;
  work: string;
}

const NUMBERS = 'v = (1..5_000_000).map { |i| i }';
const DEEP = 'v = (1..2_000_000).map { |i| "word #{i}" }\n100.times { v = [v] }';
const SHUFFLED = 'v = (1..5_000_000).map { |i| (i * 7_919) % 5_000_011 }';
const WORDS = 'v = (1..2_000_000).map { |i| "word #{i % 50_000}" }';
const PAIRS = 'h = {}\n2_000_000.times { |i| h["key #{i}"] = i }';
const ROWS = 'v = (1..300_000).map { |i| {id: i, name: "name #{i}", tags: ["a", "b"]} }';
const LINES = 't = "some words in a line\\n" * 5_000_000';
const TEXT = 't = "abcdefghij" * 20_000_000';

function over(before: string, works: Record<string, string>): Case[] {
  return Object.entries(works).map(([name, work]) => ({ name, before, work }));
}

export const CASES: readonly Case[] = [
  ...over(NUMBERS, {
    'join of 5 M Integers': 'v.join(",")',
    'text of 5 M Integers': 'v.to_s()',
    'reverse of 5 M': 'v.reverse()',
    'uniq of 5 M Integers': 'v.uniq()',
    'tally of 5 M Integers': 'v.tally()',
    'copy of 5 M': 'v.copy()',
    'v + v of 5 M': 'v + v',
    'v == w of 5 M': 'v == v.copy()',
    'sum of 5 M': 'sum(v)',
    'max of 5 M': 'v.max()',
    'median of 5 M': 'v.median()',
    'stdev of 5 M': 'v.stdev()',
    'shuffle of 5 M': 'v.shuffle()',
    'zip of 5 M with 5 M': 'v.zip(v)',
    'chunk of 5 M by 2': 'v.chunk(2)',
    'to_h of 2 M pairs': 'v.take(2_000_000).zip(v.take(2_000_000)).to_h()',
    'difference of 5 M and 5 M': 'v.difference(v)',
    'intersection of 5 M and 5 M': 'v.intersection(v)',
    'union of 5 M and 5 M': 'v.union(v)',
    'index of the last of 5 M': 'v.index(4_999_999)',
    'a vector of 5 M to a thread': 'await(spawn { v.length })',
    'JSON of 5 M Integers': 'v.to_json()',
    'combination(2) of 3,000': 'v.take(3_000).combination(2)',
    'product of 2,000 and 2,000': 'v.take(2_000).product(v.take(2_000))',
    'flatten of 2.5 M pairs': 'v.chunk(2).flatten()',
    'linspace of 5 M': 'linspace(0, 1, 5_000_000)',
    'range(5 M)': '(1..5_000_000).to_a()',
    'count of one in 5 M': 'v.count(7)',
    'delete of one in 5 M': 'v.delete(7)',
    'include? of none in 5 M': 'v.include?(-1)',
    'minmax of 5 M': 'v.minmax()',
    '1,000 times shift of 5 M': '1000.times { v.shift() }',
    'unshift of 5 M': 'v.unshift(0)',
    'pp of 5 M': 'pp(v).length',
    'sort_by of a hash of 5 M': 'v.take(500_000).zip(v).to_h().sort_by { |k, x| -x }',
    'range of texts': '("a".."zzzz").to_a()',
  }),
  ...over(DEEP, {
    'JSON of 2 M Strings, 100 levels deep': 'v.to_json()',
    'parsing it': 'json_parse(v.to_json())',
    'inspection of it': 'v.inspect()',
    'a copy of it to a thread': 'await(spawn { v.length })',
    'search for it': '[v.copy()].include?(v)',
    'flatten of it': 'v.flatten()',
  }),
  ...over(SHUFFLED, { 'sort of 5 M Integers': 'v.sort()', 'sort_by of 5 M': 'v.sort_by { |x| x }' }),
  ...over(WORDS, {
    'sort of 2 M Strings': 'v.sort()',
    'uniq of 2 M Strings': 'v.uniq()',
    'tally of 2 M Strings': 'v.tally()',
    'join of 2 M Strings': 'v.join(" ")',
    'inspection of 2 M Strings': 'v.to_s()',
  }),
  ...over(PAIRS, {
    'keys of 2 M': 'h.keys()',
    'merge of 2 M': 'h.merge({a: 1})',
    'invert of 2 M': 'h.invert()',
    'copy of a hash of 2 M': 'h.copy()',
    'JSON of a hash of 2 M': 'h.to_json()',
    'h == h2 of 2 M': 'h == h.copy()',
    'a hash of 2 M to a thread': 'await(spawn { h.length })',
  }),
  ...over(`${ROWS}\nt = v.to_json()`, {
    'JSON of 300,000 rows': 'v.to_json()',
    'JSON of 300,000 rows, pretty': 'v.to_json(pretty: true)',
    'parsing JSON of 300,000 rows': 'json_parse(t)',
    'rows == rows': 'v == json_parse(t)',
    '300,000 rows to a thread': 'await(spawn { v.length })',
  }),
  ...over(LINES, {
    'lines of 105 MB': 't.lines()',
    'split of 105 MB at blanks': 't.split(" ")',
    'split of 105 MB by /\\s+/': 't.split(/\\s+/)',
    'scan of 105 MB by /\\w+/': 't.scan(/\\w+/)',
    'gsub of 105 MB, text': 't.gsub("words", "letters")',
    'gsub of 105 MB, /w\\w+/': 't.gsub(/w\\w+/, "letters")',
    'csv_parse of 105 MB': 'csv_parse(t)',
  }),
  ...over('t = "a" * 1_000_000', {
    'scan of 1 MB by /\\w+:/': 't.scan(/\\w+:/)',
    'match of 1 MB by /(a+)+b/': 't.match(/(a+)+b/)',
    'match of 1 MB by /^(a+)+\\1$/': 'begin\n  (t + "b").match(/^(a+)+\\1$/)\nrescue RuntimeError\n  nil\nend',
    'gsub of 1 MB by /.*.*=.*/': 't.gsub(/.*.*=.*/, "x")',
    'scan of 1 MB by /a(?=[^]*z)|a/': 't.scan(/a(?=[^]*z)|a/)',
  }),
  ...over('t = " " * 1_000_000 + "x"', {
    'sub of 1 MB of blanks by /\\s+\\z/': 't.sub(/\\s+\\z/, "")',
    'split of 1 MB of blanks by /\\s*,\\s*/': 't.split(/\\s*,\\s*/)',
  }),
  ...over(TEXT, {
    'upcase of 200 MB': 't.upcase()',
    'reverse of 200 MB': 't.reverse()',
    'chars of 200 MB': 't.chars()',
    'bytes of 200 MB': 't.bytes()',
    'codepoints of 200 MB': 't.codepoints()',
    'count in 200 MB': 't.count("a")',
    'index in 200 MB': 't.index("zz")',
    'tr of 200 MB': 't.tr("a-e", "A-E")',
    'squeeze of 200 MB': 't.squeeze()',
    'length of 200 MB': 't.length',
    'base64_encode of 200 MB': 'base64_encode(t)',
    'sha256 of 200 MB': 'sha256(t)',
    'strip of 200 MB': 't.strip()',
    'to_int of 100,000 digits': 'to_int("7" * 100_000)',
    '7 ** 200_000, as text': '(7 ** 200_000).to_s()',
    't * 2 of 200 MB': 't * 2',
    'comparison of 200 MB': 't == t.reverse().reverse()',
    'url_encode of 200 MB': 'url_encode(t)',
    'html_escape of 200 MB': 'html_escape(t)',
    'JSON of 200 MB': 't.to_json()',
    'inspection of 200 MB': 't.inspect()',
    'a 200 MB text with an accent': '(t + "é").length',
  }),
  ...over('n = 3 ** 300_000', {
    'product of Integers of 475,000 bits': 'n * n',
    'quotient of Integers of 950,000 bits': '(n * n) // (n + 1)',
    'gcd of Integers of 475,000 bits': 'gcd(n * 6, (n + 1) * 6)',
    'text of an Integer of 475,000 bits': 'n.to_s()',
    'digits of it': 'n.digits()',
    'Integer of 300,000 digits': '("7" * 300_000).to_i()',
    '70,000!': 'factorial(70_000)',
    'power with a modulus': '7.pow(3 ** 2000, 3 ** 3000)',
  }),
];
