# Converts a long text in Markdown to HTML: headings, paragraphs, lists, quotes, code, tables, and marks inside of lines.
ENTITIES = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;", "\"" => "&quot;" }.freeze

def escape(text)
  text.gsub(/[&<>"]/) { |char| ENTITIES[char] }
end

def inline(text)
  text.split(/(`[^`]+`)/).map do |part|
    if part.start_with?("`") && part.length > 2
      "<code>#{escape(part[1..-2])}</code>"
    else
      marked(escape(part))
    end
  end.join
end

def marked(text)
  text
    .gsub(/!\[([^\]]*)\]\(([^)\s]+)\)/, "<img alt=\"\\1\" src=\"\\2\">")
    .gsub(/\[([^\]]+)\]\(([^)\s]+)\)/, "<a href=\"\\2\">\\1</a>")
    .gsub(/\*\*(.+?)\*\*/, "<strong>\\1</strong>")
    .gsub(/\*(.+?)\*/, "<em>\\1</em>")
end

Heading = Struct.new(:level, :title, :id)

class Converter
  attr_reader :headings

  def initialize(lines)
    @lines = lines
    @pos = 0
    @out = []
    @headings = []
    @ids = Hash.new(0)
  end

  def convert
    block while @pos < @lines.length
    @out.join("\n")
  end

  private

  def block
    line = @lines[@pos]
    case line
    when /^\s*$/ then @pos += 1
    when /^```/ then code(line[3..].strip)
    when /^\#{1,6} / then heading(line)
    when /^(-{3,}|\*{3,})$/
      @out << "<hr>"
      @pos += 1
    when /^>/ then quote
    when /^[-*] / then list("ul", /^[-*] +/)
    when /^\d+\. / then list("ol", /^\d+\. +/)
    when /^\|/ then table
    else paragraph
    end
  end

  # The lines from here that match, without what matches.
  def taken(pattern)
    found = []
    while @pos < @lines.length && @lines[@pos] =~ pattern
      found << @lines[@pos].sub(pattern, "")
      @pos += 1
    end
    found
  end

  def code(language)
    @pos += 1
    found = []
    while @pos < @lines.length && !@lines[@pos].start_with?("```")
      found << escape(@lines[@pos])
      @pos += 1
    end
    @pos += 1
    @out << "<pre><code class=\"#{language}\">#{found.join("\n")}</code></pre>"
  end

  def heading(line)
    level = line.index(" ")
    title = line[level..].strip
    id = title.downcase.gsub(/[^a-z0-9]+/, "-")
    @ids[id] += 1
    id = "#{id}-#{@ids[id]}" if @ids[id] > 1
    @headings << Heading.new(level, title, id)
    @out << "<h#{level} id=\"#{id}\">#{inline(title)}</h#{level}>"
    @pos += 1
  end

  def quote
    inner = Converter.new(taken(/^> ?/))
    @out << "<blockquote>\n#{inner.convert}\n</blockquote>"
  end

  def list(tag, marker)
    @out << "<#{tag}>"
    taken(marker).each { |item| @out << "<li>#{inline(item)}</li>" }
    @out << "</#{tag}>"
  end

  def table
    rows = taken(/^\|/).map { |row| row.chomp("|").split("|").map(&:strip) }
    @out << "<table>"
    rows.each_with_index do |row, i|
      next if i == 1

      cell = i == 0 ? "th" : "td"
      @out << "<tr>#{row.map { |text| "<#{cell}>#{inline(text)}</#{cell}>" }.join}</tr>"
    end
    @out << "</table>"
  end

  def paragraph
    found = []
    while @pos < @lines.length && @lines[@pos] !~ /^\s*$|^\#{1,6} |^```|^[>|]|^[-*] /
      found << inline(@lines[@pos].strip)
      @pos += 1
    end
    @out << "<p>#{found.join("\n")}</p>"
  end
end

def document(sections)
  (1..sections).map do |n|
    <<~TEXT
      #{"#" * (n % 3 + 1)} Section #{n % 10}: *Notes* & <more>

      This is the **first** line of part #{n}, with `code < #{n}` and a [link](/pages/#{n}?a=1&b=2).
      It goes on with *some words*, an image ![of #{n}](/images/#{n}.png), and "quotes".

      - first item with **bold #{n}**
      - second item, `x && y`
      - third

      > Someone said *#{n}* times:
      > **nothing** is as it seems.
      >
      > 1. really
      > 2. truly

      ```svc
      if #{n} < 5 && ready
        puts "<ok>"
      end
      ```

      | name | value |
      |---|---|
      | a#{n} | **#{n * 7}** |
      | b | `#{n}` |

      ---
    TEXT
  end.join("\n")
end

source = document(Integer(ARGV[0]))
converter = Converter.new(source.lines.map(&:chomp))
html = converter.convert
puts "#{source.length} characters of Markdown, #{html.length} of HTML, #{converter.headings.length} headings"
puts html.codepoints.reduce(7) { |sum, char| (sum * 31 + char) % 1_000_003 }
puts "[#{converter.headings.last(2).map { |h| "#{h.level} #{h.id}" }.join(", ")}]"
puts html[0, 700]
