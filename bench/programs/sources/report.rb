# Builds texts: wrapped and justified paragraphs, a table, an index of words, a letter for each customer from a template.
SYLLABLES = %w[ka to mi ren sol da vu pel or ans ti gre bo len ma].freeze
TEMPLATE = <<~TEXT
  Dear {{title}} {{name}},

  you have bought {{count}} things for {{total}} in {{city}}. {{remark}}
  Your number is {{number}}; {{missing}} is left empty.
TEXT

class Lehmer
  def initialize(seed)
    @seed = seed
  end

  def below(n)
    @seed = @seed * 16_807 % 2_147_483_647
    @seed % n
  end
end

def word(random)
  (0..random.below(3)).map { SYLLABLES[random.below(SYLLABLES.length)] }.join
end

def sentence(random)
  words = (0..4 + random.below(10)).map { word(random) }
  words[random.below(words.length)] += ","
  "#{words.join(" ").capitalize}."
end

def paragraph(random)
  (0..3 + random.below(4)).map { sentence(random) }.join(" ")
end

def wrap(text, width)
  lines = []
  line = ""
  text.split.each do |word|
    if line.empty?
      line = word
    elsif line.length + 1 + word.length <= width
      line += " #{word}"
    else
      lines << line
      line = word
    end
  end
  lines << line unless line.empty?
  lines
end

# Fills the gaps of a line up to the width, the first ones more.
def justify(line, width)
  words = line.split
  return line if words.length < 2

  gaps = words.length - 1
  blanks = width - words.map(&:length).sum
  text = words[0]
  (1...words.length).each do |i|
    text += " " * (blanks / gaps + (i <= blanks % gaps ? 1 : 0)) + words[i]
  end
  text
end

def table(rows)
  widths = rows[0].each_index.map { |i| rows.map { |row| row[i].length }.max }
  rule = "+#{widths.map { |width| "-" * (width + 2) }.join("+")}+"
  lines = [rule]
  rows.each_with_index do |row, n|
    cells = row.each_with_index.map { |cell, i| i == 0 ? cell.ljust(widths[i]) : cell.rjust(widths[i]) }
    lines << "| #{cells.join(" | ")} |"
    lines << rule if n == 0
  end
  lines << rule
  lines.join("\n")
end

def index(pages)
  found = Hash.new { |hash, word| hash[word] = [] }
  pages.each_with_index do |page, i|
    page.downcase.gsub(/[^a-z\s]/, "").split.uniq.each { |word| found[word] << i + 1 }
  end
  found
end

def letter(values)
  TEMPLATE.gsub(/\{\{(\w+)\}\}/) { values[$1.to_sym].to_s }
end

def caesar(text, by)
  text.chars.map do |char|
    case char
    when "a".."z" then ((char.ord - 97 + by) % 26 + 97).chr
    when "A".."Z" then ((char.ord - 65 + by) % 26 + 65).chr
    else char
    end
  end.join
end

pages = Integer(ARGV[0])
random = Lehmer.new(17)
out = []
texts = (1..pages).map { paragraph(random) }
texts.each_with_index do |text, i|
  lines = wrap(text, 60)
  out << "#{i + 1}. ".rjust(6) + justify(lines[0], 54)
  lines[1..-2].each { |line| out << justify(line, 60) }
  out << lines.last << ""
end

words = index(texts)
common = words.sort_by { |word, places| [-places.length, word] }.first(8)
rows = common.map { |word, places| [word, places.length.to_s, places.first.to_s, places.last.to_s] }
out << table([%w[word pages first last], *rows])

(1..pages).each do |i|
  out << letter({ title: i.even? ? "Ms" : "Mr", name: word(random).capitalize, count: i % 7, total: format("%.2f", i * 1.25),
                  city: word(random).upcase, remark: i % 3 == 0 ? "Thank you!" : "", number: format("%06d", i * 37) })
end

text = out.join("\n")
secret = caesar(text, 7)
raise "the secret is lost" if caesar(secret, 19) != text

puts "#{pages} pages, #{text.length} characters, #{text.lines.length} lines, #{words.length} words"
puts secret.codepoints.reduce(1) { |sum, code| (sum * 33 + code) % 1_000_003 }
puts text[0, 400], table(rows.first(3))
puts out.last
