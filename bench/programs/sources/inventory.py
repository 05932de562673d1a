"""The stock of a shop: reads deliveries and sales as lines, refuses wrong ones, and reports by shelf, supplier and day."""
import re
import sys
from collections import defaultdict
from dataclasses import dataclass


class StockError(Exception):
    pass


class UnknownItem(StockError):
    pass


class NotEnough(StockError):
    pass


KINDS = ["delivery", "sale", "loss"]


@dataclass(slots=True)
class Movement:
    day: str
    kind: str
    sku: str
    count: int
    cents: int

    def value(self):
        return self.count * self.cents


@dataclass(slots=True)
class Item:
    sku: str
    name: str
    shelf: str
    supplier: str
    stock: int = 0
    sold: int = 0
    lost: int = 0
    income: int = 0
    cost: int = 0

    def profit(self):
        return self.income - self.cost

    def apply(self, movement):
        if movement.kind == "delivery":
            self.stock += movement.count
            self.cost += movement.value()
        elif movement.kind == "sale":
            self.take(movement)
            self.sold += movement.count
            self.income += movement.value()
        elif movement.kind == "loss":
            self.take(movement)
            self.lost += movement.count

    def take(self, movement):
        if movement.count > self.stock:
            raise NotEnough(f"{self.sku}: {movement.count} wanted, {self.stock} there")
        self.stock -= movement.count


class Shop:
    def __init__(self):
        self.items = {}
        self.done = []
        self.refused = defaultdict(int)
        self.examples = {}

    def add(self, item):
        self.items[item.sku] = item

    def book(self, line):
        try:
            movement = parse(line)
            item = self.items.get(movement.sku)
            if item is None:
                raise UnknownItem(f"no item {movement.sku}")
            item.apply(movement)
            self.done.append(movement)
        except (StockError, ValueError) as error:
            kind = type(error).__name__
            self.refused[kind] += 1
            self.examples.setdefault(kind, f"{line} => {error}")

    def sorted(self):
        return sorted(self.items.values(), key=lambda item: (-item.profit(), item.sku))


def parse(line):
    fields = [field.strip() for field in line.split(";")] if line else []
    if len(fields) != 5:
        raise ValueError(f"{len(fields)} fields instead of 5")
    day, kind, sku, count, price = fields
    if kind not in KINDS:
        raise ValueError(f"what is {kind}?")
    if not re.fullmatch(r"\d+", count):
        raise ValueError(f"not a number: {count}")
    if not re.fullmatch(r"\d+\.\d\d", price):
        raise ValueError(f"not a price: {price}")
    return Movement(day, kind, sku, int(count), int(price.replace(".", "")))


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n

    def pick(self, items):
        return items[self.below(len(items))]


def make_line(random):
    sku = f"SKU-{random.below(210):03d}"
    kind = random.pick(["delivery", "sale", "sale", "sale", "sale", "loss"])
    count = 20 + random.below(80) if kind == "delivery" else random.below(12)
    cents = 200 + random.below(300) if kind == "delivery" else 500 + random.below(700)
    if random.below(60) == 0:
        return random.pick(["", "2026-03-01;sale", "x;gift;SKU-001;1;1.00", "2026-03-02;sale;SKU-003;many;1.00"])
    return f"2026-03-{random.below(28) + 1:02d}; {kind}; {sku}; {count}; {cents // 100}.{cents % 100:02d}"


def euros(cents):
    return f"{cents // 100:,}.{cents % 100:02d}"


def row(*cells):
    return "".join(str(cell).ljust(12) if i == 0 else str(cell).rjust(12) for i, cell in enumerate(cells))


def group_by(items, key):
    groups = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def main():
    random = Random(31)
    shop = Shop()
    for n in range(200):
        shop.add(Item(f"SKU-{n:03d}", f"item {n}", "ABCDE"[n % 5], f"supplier {n % 7}"))
    for _ in range(int(sys.argv[1])):
        shop.book(make_line(random))

    refused = ", ".join(f"{kind} {count}" for kind, count in sorted(shop.refused.items()))
    print(f"{len(shop.done)} movements, refused: {refused}")
    for kind, example in sorted(shop.examples.items()):
        print(f"{kind}: {example}")

    print(row("shelf", "items", "stock", "income", "profit"))
    for shelf, items in sorted(group_by(shop.items.values(), lambda item: item.shelf).items()):
        stock = sum(item.stock for item in items)
        income = sum(item.income for item in items)
        print(row(shelf, len(items), stock, euros(income), euros(sum(abs(item.profit()) for item in items))))

    print(row("supplier", "sold", "lost", "best"))
    by_supplier = group_by(shop.items.values(), lambda item: item.supplier)
    for supplier, items in sorted(
        by_supplier.items(), key=lambda pair: (-sum(item.sold for item in pair[1]), pair[0])
    ):
        best = max(items, key=lambda item: (item.sold, item.sku))
        print(row(supplier, sum(item.sold for item in items), sum(item.lost for item in items), best.sku))

    days = group_by([movement for movement in shop.done if movement.kind == "sale"], lambda movement: movement.day)
    income = [(day, sum(sale.value() for sale in sales)) for day, sales in days.items()]
    for day, cents in sorted(income, key=lambda pair: (-pair[1], pair[0]))[:3]:
        print(row(day, len(days[day]), euros(cents)))

    high = [item for item in shop.sorted() if item.profit() > 0]
    print(f"{len(high)} items with a profit, {len(shop.items) - len(high)} without")
    print(", ".join(f"{item.name} ({euros(abs(item.profit()))})" for item in shop.sorted()[:3]))
    counts = sorted(movement.count for movement in shop.done)
    shelves = "".join(sorted({item.shelf for item in shop.items.values()}))
    print(f"median {counts[len(counts) // 2]}, shelves {shelves}")


main()
