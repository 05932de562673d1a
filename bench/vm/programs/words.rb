module Program
  module_function

  def text_of(count)
    syllables = %w[ka lo mi ne ru ta so vi pe du an er]
    words = []
    seed = 1
    while words.length < count
      seed = seed * 171 % 30269
      word = syllables[seed % 12] + syllables[seed % 7]
      word << syllables[seed % 11] if seed % 3 == 0
      words << word
    end
    words.join(" ")
  end

  def count_words(text)
    counts = Hash.new(0)
    text.split(" ").each { |word| counts[word] += 1 }
    counts
  end

  def report(text)
    top = count_words(text).sort_by { |word, count| [-count, word] }.take(5)
    top.map { |word, count| "#{word}=#{count}" }.join(" ")
  end

  def run
    report("#{text_of(2_000)} " * 40)
  end
end
