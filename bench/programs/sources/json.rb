# Reads JSON with a parser of its own, changes it, and writes it again.
class JsonError < StandardError; end

class Parser
  BLANKS = [" ", "\n", "\t", "\r"].freeze
  ESCAPES = { "n" => "\n", "t" => "\t", "r" => "\r", "\"" => "\"", "\\" => "\\", "/" => "/" }.freeze

  def initialize(text)
    @text = text
    @pos = 0
  end

  def parse
    value = parse_value
    skip_blanks
    error("unexpected #{@text[@pos]}") if @pos < @text.length
    value
  end

  private

  def error(message)
    raise JsonError, "#{message} at #{@pos}"
  end

  def skip_blanks
    @pos += 1 while BLANKS.include?(@text[@pos])
  end

  def parse_value
    skip_blanks
    case @text[@pos]
    when "{" then parse_object
    when "[" then parse_array
    when "\"" then parse_string
    when "t" then parse_word("true", true)
    when "f" then parse_word("false", false)
    when "n" then parse_word("null", nil)
    when nil then error("unexpected end")
    else parse_number
    end
  end

  def parse_word(word, value)
    error("unexpected #{@text[@pos]}") if @text[@pos, word.length] != word
    @pos += word.length
    value
  end

  def expect(char)
    skip_blanks
    error("expected #{char}") if @text[@pos] != char
    @pos += 1
  end

  def parse_object
    found = {}
    @pos += 1
    skip_blanks
    if @text[@pos] == "}"
      @pos += 1
      return found
    end
    loop do
      skip_blanks
      key = parse_string
      expect(":")
      found[key] = parse_value
      return found if closes?("}")
    end
  end

  def parse_array
    found = []
    @pos += 1
    skip_blanks
    if @text[@pos] == "]"
      @pos += 1
      return found
    end
    loop do
      found << parse_value
      return found if closes?("]")
    end
  end

  def closes?(bracket)
    skip_blanks
    char = @text[@pos]
    error("expected , or #{bracket}") unless char == "," || char == bracket
    @pos += 1
    char == bracket
  end

  def parse_string
    expect("\"")
    found = +""
    loop do
      char = @text[@pos]
      error("unterminated text") if char.nil?
      @pos += 1
      case char
      when "\"" then return found
      when "\\"
        found << (ESCAPES[@text[@pos]] || error("unknown escape"))
        @pos += 1
      else found << char
      end
    end
  end

  def parse_number
    start = @pos
    @pos += 1 while @text[@pos] && "+-.eE0123456789".include?(@text[@pos])
    digits = @text[start...@pos]
    error("unexpected #{@text[@pos]}") if digits.empty?
    digits =~ /[.eE]/ ? digits.to_f : digits.to_i
  end
end

def write(value)
  case value
  when nil then "null"
  when String then quote(value)
  when Array then "[#{value.map { |item| write(item) }.join(",")}]"
  when Hash then "{#{value.map { |key, item| "#{quote(key)}:#{write(item)}" }.join(",")}}"
  else value.to_s
  end
end

def quote(text)
  "\"#{text.gsub(/["\\\n]/) { |char| char == "\n" ? "\\n" : "\\#{char}" }}\""
end

# Renames keys, leaves out nulls, and makes numbers of cents from prices.
def transform(value)
  case value
  in Array then value.map { |item| transform(item) }
  in Hash
    changed = {}
    value.each do |key, item|
      case [key, item]
      in [_, nil] then next
      in ["price", Float | Integer => price] then changed["cents"] = (price * 100).round
      in [/^is_/, flag] then changed[key.delete_prefix("is_")] = flag
      else changed[key.upcase] = transform(item)
      end
    end
    changed
  else value
  end
end

def document(count)
  items = (0...count).map do |i|
    "  {\"id\": #{i}, \"name\": \"Item \\\"#{i % 17}\\\"\", \"price\": #{i % 90}.#{i % 4 * 25}, \"is_new\": #{i % 3 == 0}, " \
      "\"tags\": [\"t#{i % 5}\", \"u\\n#{i % 7}\", []], \"seller\": {\"name\": \"S#{i % 11}\", \"rating\": #{i % 50}, \"note\": null}}"
  end
  "{\n \"count\": #{count},\n \"items\": [\n#{items.join(",\n")}\n ]\n}\n"
end

count = Integer(ARGV[0])
source = document(count)
data = Parser.new(source).parse
text = write(transform(data))
again = write(Parser.new(text).parse)
puts "#{source.length} characters, written #{text.length}, #{again == text ? "the same again" : "different"}"
puts data["items"].map { |item| item["price"] }.sum.round(2)
puts text[0, 240]
["[1, 2", "{\"a\" 1}", "[tru]", "\"abc", "[1] 2"].each do |broken|
  Parser.new(broken).parse
rescue JsonError => e
  puts "#{broken}: #{e}"
end
