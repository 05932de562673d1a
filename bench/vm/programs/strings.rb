module Program
  module_function

  def build(count)
    lines = []
    count.times { |i| lines << "item #{i}: #{i * 7 % 1000} of #{i % 13}" }
    lines.join("\n")
  end

  def digest(text)
    out = +""
    text.split("\n").each do |line|
      name = line.split(":")[0]
      if name.end_with?("7")
        out << name.upcase.gsub("ITEM", "no.") << ";"
      elsif line.include?("999")
        out << line[5..9].reverse << ","
      end
    end
    out
  end

  def run
    out = digest(build(20_000))
    "#{out.length} #{out[0..20]} #{out[-20..]}"
  end
end
