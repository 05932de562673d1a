## position
show "a cat" =~ /cat/, "dog" =~ /cat/
## groups
m = "2024-02-29".match(/(\d+)-(\d+)-(\d+)/)
show m[0], m[1], m[3]
## named groups
m = "john 42".match(/(?<name>\w+) (?<age>\d+)/)
show m["name"], m["age"]
## no match
show "abc".match(/x/)
## captures
show "ab12".match(/([a-z]+)(\d+)/).captures
## named captures
show "k=v".match(/(?<key>\w)=(?<value>\w)/).named_captures
## before and after
m = "hello world".match(/o w/)
show m.pre_match, m.post_match
## optional group
show "ac".match(/a(b)?c/)[1]
## scan
show "a1b22c333".scan(/\d+/), "abc".scan(/\d/)
## scan with groups
show "a1 b2".scan(/(\w)(\d)/)
## scan with a block
"a1b2".scan(/\d/) { |d| puts d }
## gsub with a block
puts "a1b22".gsub(/\d+/) { |d| "<#{d}>" }
## gsub with groups
puts "John Smith".gsub(/(\w+) (\w+)/, '\2 \1')
## gsub with named groups
puts "a-b".sub(/(?<x>\w)-(?<y>\w)/, '\k<y>-\k<x>')
## whole match in the replacement
puts "cat".sub(/a/, '[\0]')
## flags
show "ABC" =~ /b/i, "a\nb" =~ /a.b/, "a\nb" =~ /a.b/m
## extended
show "ab12" =~ /
  [a-z]+  # letters
  \d+
/x
## interpolation
word = "b+"
show "ab+" =~ /#{Regexp.escape(word)}/
## interpolated pattern
w = "at"
show "cat" =~ /c#{w}/
## anchors of lines
show "one\ntwo".scan(/^\w+$/), "a\nb" =~ /^b/
## anchors of texts
show "a\nb" =~ /\Ab/, "a\nb\n" =~ /b\Z/, "a\nb\n" =~ /b\z/
## word boundaries
show "cat concat".scan(/\bcat\b/), "a,b" =~ /\B,/
## greedy and lazy
show "<a><b>"[/<.+>/], "<a><b>"[/<.+?>/]
## possessive or atomic
show "aaa" =~ /(?>a+)a/
## counts
show "aaaa"[/a{2}/], "aaaa"[/a{2,3}/], "aaaa"[/a{3,}/]
## alternatives
show "cat dog bird".scan(/cat|bird/)
## classes
show "a-b_c.d".scan(/[\w-]+/), "x]y"[/[\]]/], "abc"[/[^a]/]
## posix classes
show "ab12"[/[[:digit:]]+/], "ab12"[/[[:alpha:]]+/]
## lookahead
show "price: 100 USD"[/\d+(?= USD)/], "foobar" =~ /foo(?!bar)/
## lookbehind
show "$42"[/(?<=\$)\d+/], "a1"[/(?<!a)\d/]
## back references
show "hello"[/(\w)\1/], "abab" =~ /(ab)\1/
## unicode
show "äöü"[/\w+/], "日本語".scan(/./)
## unicode properties
show "aÄ1"[/\p{L}+/], "aB"[/\p{Lu}/]
## hexadecimal digits
show "zz1f"[/\h+/]
## blanks
show "a \t\nb".split(/\s+/)
## special characters escaped
show "a.b*c".gsub(/[.*]/, "_"), "1+1"[/\+/]
## case when with regexes
case "2024-01-01"
when /^\d{4}$/ then puts "year"
when /^\d{4}-\d\d-\d\d$/ then puts "date"
end
## match and special variable
if "key: value" =~ /(\w+): (\w+)/
  puts $1
end
## source
show(/a+b/.source)
## match? of a regex
show(/b/.match?("abc"), /x/.match?("abc"))
## match of a regex
show(/(b)(c)/.match("abcd")[2])
## begin of a match
show "hello".match(/l+/).begin(0), "hello".match(/l+/).end(0)
## grep
show %w[apple bob cat].grep(/a/), %w[apple bob].grep_v(/a/)
## grep with a block
show %w[a1 b2].grep(/\d/) { |w| w.upcase }
## partition by regex
show "a1b2".partition(/\d/)
## slice with names
show "2024-05"[/(?<y>\d+)-(?<m>\d+)/, "m"]
## empty matches
show "ab".scan(//).length, "abc".gsub(/b*/, "x")
## newline and dollar
show "ab\n" =~ /b$/, "ab\n".gsub(/$/, "!")
## carriage return
show "a\r\nb"[/a.$/]
## nested groups
m = "abc".match(/((a)(b))c/)
show m.to_a
## group in a repetition
show "abcd".match(/(?:(\w)(\w))+/).captures
## group left from an earlier turn
show "ab".match(/(?:(a)|(b))+/).captures
## gsub with a hash that lacks a key
show "abc".gsub(/[ab]/, {"a" => "1"})
## escape
show Regexp.escape("a.b*c")
## invalid
show "(" =~ Regexp.new("(")
## interpolated regex in a regex
d = /\d+/
show "ab12"[/b#{d}/]
## regex equality
show(/a/ == /a/, /a/ == /b/)
## absence of case
show "straße" =~ /STRASSE/i, "É" =~ /é/i
## inline flags
show "aBc"[/a(?i:b)c/], "ABC" =~ /(?i)b/
## comments in groups
show "ab" =~ /a(?#note)b/
## keep
show "foobar".sub(/foo\Kbar/, "X")
## linebreak escape
show "a\r\nb".split(/\R/)
## start of search
show "aXbXc".rindex(/X/), "abab".match(/b/, 2).begin(0)
## interpolated regex with flags
letters = /[a-c]+/i
show "xABcX"[/x#{letters}/], "XABC" =~ /x#{letters}/, "ABC" =~ /a#{/b/}c/i, "a\nb" =~ /a#{/./m}b/
## interpolated regex with alternatives
pets = /cat|dog/
show "a dog!"[/a #{pets}!/], (/^#{pets}$/ =~ "cats"), (/#{pets}{2}/ =~ "catdog")
## posix classes of all scripts
show "é1_-ß"[/[[:alpha:]]+/], "éa".scan(/[[:^alpha:]]/), "aB1!".scan(/[[:upper:][:digit:]]/), "a1!"[/[^[:alnum:]]/], "a\u00a0b" =~ /[[:space:]]/, "$a"[/[[:punct:]]/]
## named properties
show "aÄ1"[/\p{Alpha}+/], "日本go"[/\p{Han}+/], "a1"[/\p{^Alpha}/], "a1"[/\P{alpha}/], "x_1-"[/\p{Word}+/], "Ab"[/\p{upper}/]
## not hexadecimal
show "1fG".scan(/\H/), "1fG-".scan(/[\H]/), "xyz1"[/[\h]/]
## linebreaks together
show "\r\n".scan(/\R/).length, "x\r\n" =~ /\R\n/, "a\u2028b".split(/\R/)
## counts without a minimum
show "aaaa"[/a{,2}/], "b"[/\Aa{2}?b/], "a{x}"[/a{x}/]
## octal and other numbers
show "\e[0m" =~ /\e\[/, "A\n" =~ /\x41\012/, "ab"[/\u{61 62}/], "\t" =~ /\cI/
## classes with hyphens
show "a-b.c"[/[\w\-.]+/], "1-2"[/[\d-]+/]
## quoted group names
show "aa"[/(?'c'a)\k<c>/]
## flags for the rest of a group
show "aB" =~ /a(?i)b|c/, "aC" =~ /a(?i)b|c/, "AB" =~ /a(?-i)b/i, "xy" =~ /((?i)X)y/
## unknown escape
show "q" =~ /\q/
## keep in a replacement of all
show "a1 b2".gsub(/[a-z]\K\d/, "")
## grapheme
show "e\u0301x"[/\X/].length
## possessive
show "aaa" =~ /a++a/
## intersection of classes
show "hello"[/[a-z&&[^aeiou]]+/]
## reference to a missing group
show "a" =~ /\1a/
## extended with comments
show "2024-05-06"[/
  (?<year> \d{4} ) -   # the year
  (?<month> \d\d )     # the month, as in "05"
/x, "month"]
## extended with a blank and a hash
show "a b#c" =~ /a\ b[#]c/x, "ab" =~ /a # note
b/x
## extended with interpolation
digits = /\d+/
show "ab12"[/
  b        # a letter
  #{digits}
/x]
## classes in a class
show "x [1] y".scan(/[a-z[0-9]]+/), "q" =~ /[^[a-c][x-z]]/, "aB1".scan(/[[^a]1]/i), "a]".scan(/[]a]/)
## opposite POSIX bracket in a class
show "a1_!".scan(/[[:^alnum:]_]/), "a1_!".scan(/[^[:^alnum:]a]/)
