# The stock of a shop: reads deliveries and sales as lines, refuses wrong ones, and reports by shelf, supplier and day.
class StockError < StandardError; end
class UnknownItem < StockError; end
class NotEnough < StockError; end
class ValueError < StandardError; end

KINDS = %w[delivery sale loss].freeze

Movement = Struct.new(:day, :kind, :sku, :count, :cents) do
  def value
    count * cents
  end
end

class Item
  attr_reader :sku, :name, :shelf, :supplier, :stock, :sold, :lost, :income

  def initialize(sku, name, shelf, supplier)
    @sku = sku
    @name = name
    @shelf = shelf
    @supplier = supplier
    @stock = @sold = @lost = @income = @cost = 0
  end

  def profit
    @income - @cost
  end

  def apply(movement)
    case movement.kind
    when "delivery"
      @stock += movement.count
      @cost += movement.value
    when "sale"
      take(movement)
      @sold += movement.count
      @income += movement.value
    when "loss"
      take(movement)
      @lost += movement.count
    end
  end

  private

  def take(movement)
    raise NotEnough, "#{@sku}: #{movement.count} wanted, #{@stock} there" if movement.count > @stock

    @stock -= movement.count
  end
end

class Shop
  attr_reader :items, :done, :refused, :examples

  def initialize
    @items = {}
    @done = []
    @refused = Hash.new(0)
    @examples = {}
  end

  def add(item)
    @items[item.sku] = item
  end

  def book(line)
    movement = parse(line)
    item = @items[movement.sku]
    raise UnknownItem, "no item #{movement.sku}" unless item

    item.apply(movement)
    @done << movement
  rescue StockError, ValueError => e
    @refused[e.class.name] += 1
    @examples[e.class.name] ||= "#{line} => #{e.message}"
  end

  def sorted
    @items.values.sort_by { |item| [-item.profit, item.sku] }
  end
end

def parse(line)
  fields = line.split(";").map(&:strip)
  raise ValueError, "#{fields.length} fields instead of 5" if fields.length != 5

  day, kind, sku, count, price = fields
  raise ValueError, "what is #{kind}?" unless KINDS.include?(kind)
  raise ValueError, "not a number: #{count}" unless count.match?(/\A\d+\z/)
  raise ValueError, "not a price: #{price}" unless price.match?(/\A\d+\.\d\d\z/)

  Movement.new(day, kind, sku, count.to_i, price.delete(".").to_i)
end

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

def line(random)
  sku = "SKU-#{format("%03d", random.below(210))}"
  kind = random.pick(%w[delivery sale sale sale sale loss])
  count = kind == "delivery" ? 20 + random.below(80) : random.below(12)
  cents = kind == "delivery" ? 200 + random.below(300) : 500 + random.below(700)
  if random.below(60) == 0
    return random.pick(["", "2026-03-01;sale", "x;gift;SKU-001;1;1.00", "2026-03-02;sale;SKU-003;many;1.00"])
  end

  "2026-03-#{format("%02d", random.below(28) + 1)}; #{kind}; #{sku}; #{count}; #{cents / 100}.#{format("%02d", cents % 100)}"
end

def euros(cents)
  "#{(cents / 100).to_s.gsub(/(\d)(?=(\d{3})+$)/, "\\1,")}.#{format("%02d", cents % 100)}"
end

def row(*cells)
  cells.each_with_index.map { |cell, i| i == 0 ? cell.to_s.ljust(12) : cell.to_s.rjust(12) }.join
end

random = Lehmer.new(31)
shop = Shop.new
(0...200).each do |n|
  shop.add(Item.new("SKU-#{format("%03d", n)}", "item #{n}", "ABCDE"[n % 5], "supplier #{n % 7}"))
end
Integer(ARGV[0]).times { shop.book(line(random)) }

puts "#{shop.done.length} movements, refused: #{shop.refused.to_a.sort.map { |type, count| "#{type} #{count}" }.join(", ")}"
shop.examples.to_a.sort.each { |type, example| puts "#{type}: #{example}" }

puts row("shelf", "items", "stock", "income", "profit")
shop.items.values.group_by(&:shelf).sort_by { |shelf, _| shelf }.each do |shelf, items|
  puts row(shelf, items.length, items.sum(&:stock), euros(items.sum(&:income)), euros(items.sum { |item| item.profit.abs }))
end

puts row("supplier", "sold", "lost", "best")
by_supplier = shop.items.values.group_by(&:supplier)
by_supplier.sort_by { |supplier, items| [-items.sum(&:sold), supplier] }.each do |supplier, items|
  puts row(supplier, items.sum(&:sold), items.sum(&:lost), items.max_by { |item| [item.sold, item.sku] }.sku)
end

days = shop.done.select { |movement| movement.kind == "sale" }.group_by(&:day)
best = days.map { |day, sales| [day, sales.sum(&:value)] }.sort_by { |day, cents| [-cents, day] }
best.first(3).each { |day, cents| puts row(day, days[day].length, euros(cents)) }

high, low = shop.sorted.partition { |item| item.profit > 0 }
puts "#{high.length} items with a profit, #{low.length} without"
puts shop.sorted.first(3).map { |item| "#{item.name} (#{euros(item.profit.abs)})" }.join(", ")
counts = shop.done.map(&:count).sort
puts "median #{counts[counts.length / 2]}, shelves #{shop.items.values.map(&:shelf).uniq.sort.join}"
