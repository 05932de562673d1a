## big powers
show 2 ** 100, 3 ** 50 - 1
## sum of big integers
show 123456789012345678901234567890 + 987654321098765432109876543210
## product at the edge of exact floats
show 9007199254740993 * 3, 94906267 * 94906267
## negative big integers
show -(2 ** 70), (-2) ** 63
## modulo of negatives
show -7 % 3, 7 % -3, -7 % -3
## modulo of floats
show 7.5 % 2, -7.5 % 2, 7.5 % -2
## modulo of big integers
show (10 ** 30) % 7, -(10 ** 30) % 7
## division of integers
show 7 / 2
## division of floats
show 7.0 / 2, 1 / 3.0
## divmod
show 17.divmod(5), -17.divmod(5)
## division by zero
show 1 % 0
## zero powers
show 0 ** 0, 5 ** 0, 0.0 ** 0
## negative power of an integer
show 2 ** -1
## float power
show 2.0 ** 0.5, 4 ** 0.5
## power binds tighter than minus
show -2 ** 2
## powers group from the right
show 2 ** 3 ** 2
## literals with underscores and bases
show 1_000_000, 0xff, 0b1010, 0o17
## exponents
show 1e3, 2.5e-3, 1e-4, 1e-5
## float of fifteen digits
show 123456789012345.0
## float of sixteen digits
show 1e15
## float of seventeen digits
show 1e16
## large float
show 1e100, 1.5e300
## sum that is not exact
show 0.1 + 0.2, 1.1 * 3
## negative zero
show -0.0, 0.0 * -1
## round to integers
show 2.5.round, 3.5.round, -2.5.round, 2.4.round, -0.4.round
## round to digits
show 3.14159.round(2), 10.0.round(2), 1234.567.round(1)
## round exactly halfway
show 0.125.round(2)
## round a little below half
show 2.675.round(2)
## round to tens
show 1234.round(-2), 1250.round(-2), 1234.5.round(-2)
## floor and ceil
show 3.7.floor, -3.7.floor, 3.2.ceil, -3.2.ceil
## floor to digits
show 3.14159.floor(3), 3.14159.ceil(3)
## truncate
show 3.99.to_i, -3.99.to_i, 3.99.truncate
## integer to float
show 3.to_f, (2 ** 60).to_f
## absolute values
show -5.abs, 5.5.abs, -5.5.abs
## gcd and lcm
show 12.gcd(18), 12.lcm(18)
## even and odd
show 4.even?, 3.odd?, 0.even?, -3.odd?
## zero, positive, negative
show 0.zero?, 1.positive?, -1.negative?, 0.0.zero?
## digits
show 12345.digits
## bases
show 255.to_s(16), 255.to_s(2), "ff".to_i(16), "1010".to_i(2), -255.to_s(36)
## to_i of texts
show "12 apples".to_i, "apples".to_i, "-7".to_i, " 42 ".to_i, "1_000".to_i
## to_f of texts
show "3.7kg".to_f, ".5".to_f, "x".to_f, "1e3".to_f
## bit operators
show 6 & 3, 6 | 3, 6 ^ 3, ~6
## shifts
show 1 << 10, 1024 >> 3, -8 >> 1, 1 << 70
## bits of negative integers
show -1 & 255, -256 | 1, -5 ^ 3, ~-1
## bits of big integers
show (2 ** 70) & (2 ** 70 - 1), (2 ** 70) | 1, (2 ** 70) >> 60
## shift by a negative count
show 1 << -1, 8 >> -2
## bit length
show 255.bit_length, 256.bit_length, 0.bit_length
## comparison of integers and floats
show 1 == 1.0, 1 < 1.5, 2 ** 53 == 2.0 ** 53, 1 <=> 2.5
## big integer and float
show 2 ** 53 + 1 == 2.0 ** 53, 10 ** 20 > 1e19
## spaceship
show 1 <=> 2, 2 <=> 2, 3 <=> 2
## clamp
show 5.clamp(1, 3), 0.clamp(1, 3), 2.clamp(1, 3)
## clamp to a range
show 15.clamp(1..10), -1.clamp(0..5)
## between
show 5.between?(1, 10), 11.between?(1, 10)
## times
3.times { |i| puts i }
## times returns its number
show 3.times { |i| i }
## upto and downto
1.upto(3) { |i| print i, " " }
3.downto(1) { |i| print i, " " }
puts
## step of numbers
1.step(10, 3) { |i| print i, " " }
puts
## succ and pred
show 5.succ, 5.pred
## integer square root
show Integer.sqrt(17)
## chr and ord
show 65.chr, "a".ord, "é".ord
## nan and infinite
show 1.0.nan?, 1.0.infinite?, 1.5.finite?
## float division by zero
show 1.0 / 0
## adding a text to a number
show 1 + "a"
## comparing a number with a text
show 1 < "a"
## adding nil to a number
show 1 + nil
## precedence of arithmetic
show 2 + 3 * 4 - 6, (2 + 3) * 4, 10 - 2 - 3
## unary minus
x = 5
show -x, - x, +x, -(-x)
## compound assignments
x = 10
x += 5
x -= 3
x *= 2
x **= 2
x %= 100
show x
## compound bit assignments
x = 12
x &= 10
x |= 1
x ^= 3
x <<= 4
x >>= 1
show x
## integer?
show 1.integer?, 1.0.integer?
## fdiv
show 7.fdiv(2)
## div and modulo
show 7.div(2), -7.div(2), 7.modulo(-3)
## remainder
show -7.remainder(3)
## pow with a modulus
show 3.pow(200, 1000)
## float to text
show 1.0.to_s, 100.0.to_s, 1.23e-7.to_s
## smallest and largest
show [3, 1, 2].max, [3, 1, 2].min, [1.5, 1].min
## sums of floats
show [0.1, 0.2, 0.3].sum, [0.1] .sum
## sum of many tenths
show ([0.1] * 10).sum
## to_i of large floats
show 1e20.to_i, 1.5e18.to_i
## hash of numbers compares by value
show [1, 1.0].uniq.length
## mixed addition
show 1 + 2.0, 2 * 1.5, 5 - 0.5
## factorial
show (1..25).reduce { |a, b| a * b }
## nested parentheses
show ((1 + 2) * (3 + (4 - 1)))
## to_s
show 42.to_s, -1.5.to_s, (2 ** 65).to_s
## floor to tens
show 1299.floor(-2), 1201.ceil(-2)
## ceil of negative zero range
show -0.5.ceil, -0.5.round
## round half even
show 2.5.round(half: :even)
## coercion of a text by to_i in a base
show "zz".to_i(36), "0x1f".to_i(16)
## safe arithmetic on nil
x = nil
show x&.abs
## nil to numbers
show nil.to_i, nil.to_a, nil.to_s
## div of floats
show 7.5.div(2), -7.div(2.0), 7.5.modulo(2), -7.5.remainder(2)
## divmod of floats
show 7.5.divmod(2), 7.divmod(-2.0)
## fdiv of floats
show 7.5.fdiv(2), 1.fdiv(3)
## remainder of big integers
show (10 ** 30 + 7).remainder(-10), (-(10 ** 30) - 7).remainder(10), (10 ** 30).div(-7)
## round half up and down
show 2.5.round(half: :up), 2.5.round(half: :down), -2.5.round(half: :down), 25.round(-1, half: :even), 35.round(-1, half: :down)
## round half of decimals
show 0.125.round(2, half: :even), 0.375.round(2, half: :even), 0.375.round(2, half: :up), 0.125.round(2, half: :down)
## square roots of big integers
show Integer.sqrt(10 ** 40), Integer.sqrt(10 ** 40 - 1), Integer.sqrt(0)
## digits in other bases
show 255.digits(16), 0.digits
## pow with a negative base
show (-3).pow(3, 5), 2.pow(10)
## minus before a call after a blank
show(-6 .abs)
show(-6 .divmod(4))
