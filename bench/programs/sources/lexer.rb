# Splits the source text of a small language into tokens with one regex, line by line, and sums up what it finds.
require "set"

TOKEN = %r{
  (?<space>\s+)
  | (?<comment>\#.*)
  | (?<number>\d+(?:\.\d+)?)
  | (?<text>"(?:[^"\\]|\\.)*")
  | (?<word>[A-Za-z_]\w*)
  | (?<operator>==|!=|<=|>=|->|&&|\|\||[-+*/%<>=!.,:;])
  | (?<bracket>[()\[\]{}])
  | (?<wrong>.)
}x
KINDS = %w[space comment number text word operator bracket wrong].freeze
KEYWORDS = Set["def", "end", "if", "else", "while", "return", "let", "true", "false"]
CLOSERS = { ")" => "(", "]" => "[", "}" => "{" }.freeze

Token = Struct.new(:kind, :text, :line, :column)

class Lehmer
  def initialize(seed)
    @seed = seed
  end

  def below(n)
    @seed = @seed * 16_807 % 2_147_483_647
    @seed % n
  end

  def pick(list)
    list[below(list.length)]
  end
end

class Report
  attr_reader :counts, :names, :deepest, :problems, :sum

  def initialize
    @counts = Hash.new(0)
    @names = Hash.new(0)
    @deepest = 0
    @problems = []
    @sum = 0.0
  end

  def add(token, open)
    @counts[token.kind] += 1
    case token.kind
    when "name" then @names[token.text] += 1
    when "number" then @sum += token.text.to_f
    when "bracket" then bracket(token, open)
    when "wrong" then @problems << "#{token.line}:#{token.column}: unexpected #{token.text}"
    end
  end

  def bracket(token, open)
    expected = CLOSERS[token.text]
    if expected.nil?
      open << token
      @deepest = open.length if open.length > @deepest
    elsif open.empty? || open.last.text != expected
      @problems << "#{token.line}:#{token.column}: unmatched #{token.text}"
    else
      open.pop
    end
  end
end

def expression(random, depth)
  case random.below(depth > 0 ? 8 : 4)
  when 0 then random.below(1000).to_s
  when 1 then "#{random.below(100)}.#{random.below(10)}"
  when 2, 3 then random.pick(%w[total price count index _rest])
  when 4 then "\"text \\\"#{random.below(50)}\\\"\""
  when 5 then "(#{expression(random, depth - 1)} #{random.pick(%w[+ * <= &&])} #{expression(random, depth - 1)})"
  when 6 then "f#{random.below(9)}(#{expression(random, depth - 1)}, #{expression(random, depth - 1)})"
  else "items[#{expression(random, depth - 1)}]"
  end
end

def statement(random)
  case random.below(10)
  when 0 then "# remark number #{random.below(100)}"
  when 1 then "while #{expression(random, 1)} { count = count - 1 }"
  when 2 then "if #{expression(random, 2)} { return #{expression(random, 1)} } else { return false }"
  when 3 then random.below(10) == 0 ? "let strange = 5 $ 3)" : "def f#{random.below(9)}(x, y) -> x"
  else "let #{random.pick(%w[total price size])} = #{expression(random, 3)};"
  end
end

def kind_of_match(match)
  KINDS.find { |kind| match[kind] }
end

def tokens(line, number)
  column = 1
  found = []
  line.scan(TOKEN) do
    match = Regexp.last_match
    text = match[0]
    kind = kind_of_match(match)
    kind = KEYWORDS.include?(text) ? "keyword" : "name" if kind == "word"
    found << Token.new(kind, text, number, column) unless kind == "space" || kind == "comment"
    column += text.length
  end
  found
end

random = Lehmer.new(7)
source = (1..Integer(ARGV[0])).map { statement(random) }.join("\n")
report = Report.new
open = []
source.lines.each_with_index do |line, i|
  tokens(line, i + 1).each { |token| report.add(token, open) }
end

puts "#{source.length} characters, #{report.counts.values.sum} tokens, depth #{report.deepest}, sum #{format("%.1f", report.sum)}"
report.counts.to_a.sort.each { |kind, count| puts "#{kind.ljust(10)}#{count}" }
report.names.sort_by { |name, count| [-count, name] }.first(5).each { |name, count| puts "#{name.ljust(10)}#{count}" }
puts "#{report.problems.length} problems", report.problems.first(3).join("\n")
