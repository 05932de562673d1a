## integers
puts "%d|%5d|%-5d|%05d|%+d" % [42, 42, 42, 42, 42]
## floats
puts "%.2f|%8.3f|%-8.1f|%08.2f|%+.1f" % [3.14159, 3.14159, 3.14159, 3.14159, 2.0]
## default digits of floats
puts "%f %e" % [1.5, 12345.678]
## texts
puts "%s|%5s|%-5s|%.2s" % ["abc", "ab", "ab", "abc"]
## bases
puts "%x %X %o %b" % [255, 255, 8, 5]
## bases with prefix
puts "%#x %#o %#b" % [255, 8, 5]
## percent sign
puts "%d%%" % 50
## one value
puts "%03d" % 7
## format function
puts format("%s is %d", "x", 3)
## blank for the sign
puts "% d|% d" % [5, -5]
## width from an argument
puts "%*d" % [5, 42]
## rounding half
puts "%.0f %.0f %.0f" % [0.5, 1.5, 2.5]
## rounding below half
puts "%.2f" % 2.675
## exponents
puts "%e %.3e %E" % [0.00012, 123456.0, 1.5]
## shortest form
puts "%g %g %g" % [1.5, 1e10, 0.0001]
## negative hexadecimal
puts "%x" % -255
## text for an integer
puts "%d" % "42"
## float for an integer
puts "%d" % 3.99
## integer for a float
puts "%.1f" % 3
## big integers
puts "%d %x" % [2 ** 70, 2 ** 70]
## named references
puts "%<a>d %{b}" % {a: 1, b: "x"}
## inspected
puts "%p" % ["a"]
## characters
puts "%c%c" % [65, "b"]
## too few arguments
puts "%d %d" % [1]
## positional arguments
puts "%2$s %1$s" % ["a", "b"]
## nil as text
puts "[%s]" % [nil]
## invalid directive
puts "%y" % 1
## float of many digits
puts "%.10f %.15g" % [0.1, 0.1]
## infinite precision of large floats
puts "%.1f" % 1e20
## zero padding of negatives
puts "%05d %06.2f" % [-42, -1.5]
## binary with width
puts "%08b|%-8b|" % [10, 10]
## signed hexadecimal
puts "%+x" % 255
