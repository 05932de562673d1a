/** The stock of a shop: reads deliveries and sales as lines, refuses wrong ones, and reports by shelf, supplier and day. */
class StockError extends Error {
  get type() {
    return this.constructor.name;
  }
}
class UnknownItem extends StockError {}
class NotEnough extends StockError {}
class ValueError extends StockError {}

const KINDS = ['delivery', 'sale', 'loss'];

class Movement {
  constructor(day, kind, sku, count, cents) {
    this.day = day;
    this.kind = kind;
    this.sku = sku;
    this.count = count;
    this.cents = cents;
  }

  get value() {
    return this.count * this.cents;
  }
}

class Item {
  stock = 0;
  sold = 0;
  lost = 0;
  income = 0;
  cost = 0;

  constructor(sku, name, shelf, supplier) {
    this.sku = sku;
    this.name = name;
    this.shelf = shelf;
    this.supplier = supplier;
  }

  get profit() {
    return this.income - this.cost;
  }

  apply(movement) {
    switch (movement.kind) {
      case 'delivery':
        this.stock += movement.count;
        this.cost += movement.value;
        break;
      case 'sale':
        this.take(movement);
        this.sold += movement.count;
        this.income += movement.value;
        break;
      case 'loss':
        this.take(movement);
        this.lost += movement.count;
        break;
    }
  }

  take(movement) {
    if (movement.count > this.stock) {
      throw new NotEnough(`${this.sku}: ${movement.count} wanted, ${this.stock} there`);
    }
    this.stock -= movement.count;
  }
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

class Shop {
  items = new Map();
  done = [];
  refused = new Map();
  examples = new Map();

  add(item) {
    this.items.set(item.sku, item);
  }

  book(line) {
    try {
      const movement = parse(line);
      const item = this.items.get(movement.sku);
      if (item === undefined) throw new UnknownItem(`no item ${movement.sku}`);
      item.apply(movement);
      this.done.push(movement);
    } catch (error) {
      if (!(error instanceof StockError)) throw error;
      this.refused.set(error.type, (this.refused.get(error.type) ?? 0) + 1);
      if (!this.examples.has(error.type)) this.examples.set(error.type, `${line} => ${error.message}`);
    }
  }

  sorted() {
    return [...this.items.values()].sort((a, b) => b.profit - a.profit || byText(a.sku, b.sku));
  }
}

function parse(line) {
  const fields = line === '' ? [] : line.split(';').map((field) => field.trim());
  if (fields.length !== 5) throw new ValueError(`${fields.length} fields instead of 5`);
  const [day, kind, sku, count, price] = fields;
  if (!KINDS.includes(kind)) throw new ValueError(`what is ${kind}?`);
  if (!/^\d+$/.test(count)) throw new ValueError(`not a number: ${count}`);
  if (!/^\d+\.\d\d$/.test(price)) throw new ValueError(`not a price: ${price}`);
  return new Movement(day, kind, sku, Number(count), Number(price.replace('.', '')));
}

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

const digits = (n, length) => String(n).padStart(length, '0');

function makeLine(random) {
  const sku = `SKU-${digits(random.below(210), 3)}`;
  const kind = random.pick(['delivery', 'sale', 'sale', 'sale', 'sale', 'loss']);
  const count = kind === 'delivery' ? 20 + random.below(80) : random.below(12);
  const cents = kind === 'delivery' ? 200 + random.below(300) : 500 + random.below(700);
  if (random.below(60) === 0) {
    return random.pick(['', '2026-03-01;sale', 'x;gift;SKU-001;1;1.00', '2026-03-02;sale;SKU-003;many;1.00']);
  }
  const price = `${Math.floor(cents / 100)}.${digits(cents % 100, 2)}`;
  return `2026-03-${digits(random.below(28) + 1, 2)}; ${kind}; ${sku}; ${count}; ${price}`;
}

function euros(cents) {
  return `${Math.floor(cents / 100).toLocaleString('en-US')}.${digits(cents % 100, 2)}`;
}

function row(...cells) {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(12) : String(cell).padStart(12))).join('');
}

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

const sum = (items, f) => items.reduce((all, item) => all + f(item), 0);

const random = new Random(31);
const shop = new Shop();
for (let n = 0; n < 200; n++) {
  shop.add(new Item(`SKU-${digits(n, 3)}`, `item ${n}`, 'ABCDE'[n % 5], `supplier ${n % 7}`));
}
for (let i = 0; i < Number(process.argv[2]); i++) shop.book(makeLine(random));

const items = [...shop.items.values()];
const refused = [...shop.refused].sort(([a], [b]) => byText(a, b)).map(([type, count]) => `${type} ${count}`);
console.log(`${shop.done.length} movements, refused: ${refused.join(', ')}`);
for (const [type, example] of [...shop.examples].sort(([a], [b]) => byText(a, b))) console.log(`${type}: ${example}`);

console.log(row('shelf', 'items', 'stock', 'income', 'profit'));
for (const [shelf, list] of [...groupBy(items, (item) => item.shelf)].sort(([a], [b]) => byText(a, b))) {
  const stock = sum(list, (item) => item.stock);
  const income = sum(list, (item) => item.income);
  console.log(row(shelf, list.length, stock, euros(income), euros(sum(list, (item) => Math.abs(item.profit)))));
}

console.log(row('supplier', 'sold', 'lost', 'best'));
const sold = (list) => sum(list, (item) => item.sold);
const bySupplier = [...groupBy(items, (item) => item.supplier)];
for (const [supplier, list] of bySupplier.sort(([a, m], [b, n]) => sold(n) - sold(m) || byText(a, b))) {
  const [best] = [...list].sort((a, b) => b.sold - a.sold || byText(b.sku, a.sku));
  console.log(
    row(
      supplier,
      sold(list),
      sum(list, (item) => item.lost),
      best.sku,
    ),
  );
}

const sales = shop.done.filter(({ kind }) => kind === 'sale');
const days = groupBy(sales, ({ day }) => day);
const best = [...days].map(([day, list]) => [day, sum(list, ({ value }) => value)]);
for (const [day, cents] of best.sort(([a, m], [b, n]) => n - m || byText(a, b)).slice(0, 3)) {
  console.log(row(day, days.get(day).length, euros(cents)));
}

const high = shop.sorted().filter(({ profit }) => profit > 0);
console.log(`${high.length} items with a profit, ${items.length - high.length} without`);
const leaders = shop.sorted().slice(0, 3);
console.log(leaders.map(({ name, profit }) => `${name} (${euros(Math.abs(profit))})`).join(', '));
const counts = shop.done.map(({ count }) => count).sort((a, b) => a - b);
const shelves = [...new Set(items.map(({ shelf }) => shelf))].sort().join('');
console.log(`median ${counts[Math.floor(counts.length / 2)]}, shelves ${shelves}`);
