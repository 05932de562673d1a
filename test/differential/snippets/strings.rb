## length and code points
show "héllo".length, "日本".length, "".length, "😀".size
## index from both ends
s = "hello"
show s[0], s[-1], s[4], s[5], s[-6]
## slices by range
s = "hello"
show s[1..3], s[1...3], s[2..], s[-3..], s[3..1]
## slices by start and length
s = "hello"
show s[1, 2], s[5, 1], s[6, 1], s[-2, 5], s[0, 0]
## slice behind the end
show "abc"[3..], "abc"[4..]
## index by text
show "hello"["ell"], "hello"["xyz"]
## index by regex
show "a1b22"[/\d+/], "a1b22"[/[a-z](\d\d)/, 1], "abc"[/\d/]
## upcase and friends
show "Hello wORLD".upcase, "Hello".downcase, "hELLO wORLD".capitalize, "Hello".swapcase
## case of other letters
show "äöü".upcase, "ÉCOLE".downcase, "straße".upcase
## strip
show "  a b \n".strip, "  a ".lstrip, "  a ".rstrip
## chomp
show "line\n".chomp, "line\r\n".chomp, "line".chomp, "a\n\n".chomp
## chomp of a suffix
show "file.rb".chomp(".rb"), "file.rb".chomp("x")
## chop
show "abc".chop, "".chop
## reverse
show "abc".reverse, "".reverse
## include, start, end
show "hello".include?("ell"), "hello".start_with?("he"), "hello".end_with?("lo"), "hello".start_with?("x", "h")
## start_with a regex
show "hello".start_with?(/h./)
## index of a text
show "hello".index("l"), "hello".index("l", 3), "hello".index("z"), "hello".rindex("l")
## index of a regex
show "a1b2".index(/\d/), "a1b2".index(/\d/, 2)
## repeat and join
show "ab" * 3, "ab" * 0, "a" + "b"
## negative repeat
show "a" * -1
## chars
show "héy".chars, "".chars
## bytes
show "hé".bytes
## lines
show "a\nb\n".lines, "a\n\nb".lines, "".lines
## each_char
"abc".each_char { |c| print c, "-" }
puts
## each_line
"a\nb".each_line { |line| show line }
## split by blanks
show " a  b c ".split, "".split, "a b".split(" ")
## split by a text
show "a,b,,c,,".split(","), ",a".split(","), "abc".split("")
## split with a limit
show "a,b,c,d".split(",", 2), "a,b,,".split(",", -1)
## split by a regex
show "a1b22c".split(/\d+/), "a1b".split(/(\d)/)
## sub and gsub with texts
show "hello".sub("l", "L"), "hello".gsub("l", "L"), "a.b".gsub(".", "-")
## gsub with a hash
show "cat".gsub(/[ac]/, {"a" => "1", "c" => "2"})
## tr
show "hello".tr("el", "ip"), "hello".tr("a-y", "b-z"), "hello".tr("^l", "*")
## delete characters
show "hello".delete("l"), "hello".delete("a-k")
## squeeze
show "aaabbb".squeeze, "aabb".squeeze("a")
## count characters
show "hello".count("l"), "hello".count("lo"), "hello".count("a-y")
## justify
show "ab".ljust(5) + "|", "ab".rjust(5), "ab".center(6) + "|", "ab".ljust(5, "12"), "ab".center(5, "*")
## justify longer texts
show "abcdef".rjust(3), "abcdef".ljust(3), "abc".center(2)
## comparison
show "a" <=> "b", "b" <=> "a", "a" <=> "a", "a" < "b", "Z" < "a", "abc" < "abd", "ab" < "abc"
## order of characters outside the first plane
show "\u{FFFD}" < "\u{1F600}", ["😀", "�"].sort
## equality
show "a" == "a", "a" == "A", "a" != "b"
## casecmp
show "abc".casecmp?("ABC")
## succ
show "a".succ, "az".succ, "zz".succ, "a9".succ, "Zz".succ, "1.9".succ
## ord and chr
show "A".ord, 97.chr, "€".ord
## hex and oct
show "ff".hex, "0x1A".hex, "17".oct
## interpolation
name = "Ann"
puts "#{name} #{1 + 2} #{"nested #{name}"}"
## interpolation of nil and true
puts "[#{nil}] [#{true}] [#{1.0}]"
## interpolation of a vector
puts "#{[1, "a", nil]}"
## single quotes
puts 'a #{b} \n \\ \''
## escapes
show "tab\tnew\nquote\"slash\\", "\e[0m", "\0", "\u00e9", "\u{1F600}", "\x41"
## unknown escapes
show "\q\d"
## octal escapes
show "\101"
## bell and other controls
show "\a", "\b", "\v", "\f"
## two texts side by side
puts "a" "b" 'c'
## symbols as texts
puts :name, :"two words"
## word lists
show %w[a b c], %w[]
## heredoc with indent removed
text = <<~TEXT
  one
    two

  three
TEXT
show text
## heredoc with interpolation
x = 3
puts <<~TEXT
  x is #{x}
  and #{x + 1}
TEXT
## heredoc without interpolation
puts <<~'TEXT'
  no #{x} \n
TEXT
## heredoc with a method
puts <<~TEXT.upcase
  loud
TEXT
## heredoc as an argument
def both(a, b)
  a + b
end
puts both(<<~A, "end")
  start
A
## two heredocs on a line
puts [<<~A, <<~B].join("-")
  a
A
  b
B
## heredoc with kept indent
show <<-TEXT
    kept
    TEXT
## empty
show "".empty?, " ".empty?
## insert
show "abc".dup.insert(1, "X")
## prefix and suffix
show "unhappy".delete_prefix("un"), "file.txt".delete_suffix(".txt"), "abc".delete_prefix("x")
## partition
show "a=b=c".partition("="), "abc".partition("="), "a=b=c".rpartition("=")
## slice
show "hello".slice(1, 3), "hello".slice(1..2)
## upto
show ("a".."e").to_a, ("y".."ab").to_a
## inspect of quotes
show "a\"b", 'a\b', "a'b"
## inspect of an escape of interpolation
show "a\#{b}", "#x"
## inspect of controls
show "\u0001", "\r", "\u007f"
## each_with_index of chars
"ab".chars.each_with_index { |c, i| puts "#{i}#{c}" }
## sum of codes
show "abc".sum
## ascii_only
show "abc".ascii_only?
## text to symbol
show "abc".to_sym
## freeze
show "abc".frozen?
## unicode normalisation
show "e\u0301".unicode_normalize(:nfc).length
## each_byte
"ab".each_byte { |b| print b, " " }
puts
## codepoints
show "hé".codepoints
## crypt of nil
show "a" + nil
## text plus number
show "a" + 1
## compound assignment
s = "a"
s += "b"
s *= 2
show s
## match operators
show "abc".match?(/b/), "abc" =~ /c/, "abc" =~ /x/
## not match
show "abc" !~ /x/
## scan a text
show "abcabc".scan("bc")
## ljust with wide characters
show "é".ljust(3) + "|"
## method chains over lines
show "  Some Text  "
  .strip
  .downcase
  .split(" ")
  .map { |w| w.capitalize }
  .join("_")
## max of texts
show %w[pear fig banana].max, %w[pear fig banana].min_by { |w| w.length }
## between texts
show "m".between?("a", "z"), "b".clamp("c", "d")
## each_slice of chars
show "abcdef".chars.each_slice(4).map { |g| g.join }
## to_i of a sign
show "+5".to_i, "--5".to_i, "- 5".to_i
## to_f of odd texts
show "1_000.5".to_f, "1.e3".to_f, "-.5".to_f
## numbers to texts
show 1.to_s + "1", "1" * 3
## to_s of texts and symbols
show "a".to_s, :a.to_s
## hash of texts
show "a".hash == "a".hash
## squeeze of blanks
show "a   b  c".squeeze(" ")
## tr that deletes
show "hello".tr("l", "")
## tr of ranges of different length
show "hello world".tr("a-z", "A-C")
## percent literals
show %q(a 'b'), %Q(a #{1 + 1})
## character literal
show ?a
## ternary in interpolation
n = 2
puts "#{n} item#{n == 1 ? "" : "s"}"
## tally of characters
show "hello".chars.tally
## lines joined
show "a\nb".lines.map { |l| l.chomp }, "a\r\nb".lines
## index behind the end
show "abc".index("c", 10), "abc".index("", 3), "abc".index("c", -1)
## each_grapheme
show "e\u0301".grapheme_clusters.length
## overlapping replacement
show "aaaa".gsub("aa", "b"), "aaa".sub("aa", "b")
## empty pattern
show "abc".gsub("", "-"), "abc".gsub(/x*/, "-")
## clamp of texts
show "d".clamp("a", "c"), "0".clamp("a", "c"), "b".between?("c", "d")
## inspect of lines and directions
show "\u2028", "a\u00a0b"
## strip of Unicode blanks
show "\u00a0a\u2003".strip.length, "\u3000a".lstrip.length, "a\u00a0".rstrip.length
## split at Unicode blanks
show "a\u2003b".split.length, "a\u3000b c".split(" ").length
