/**
 * A workshop of asynchronous functions: orders go through channels from one station to the next, a token runs around a
 * ring, and clerks move money between shared accounts.
 */
const KINDS = ['chair', 'table', 'lamp'];
const PRICES = { chair: 20, table: 80, lamp: 35 };

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }
}

/** A queue of limited size: `send` waits while it is full, `recv` while it is empty. */
class Channel {
  items = [];
  senders = [];
  receivers = [];
  isClosed = false;

  constructor(size) {
    this.size = size;
  }

  async send(item) {
    while (this.items.length >= this.size) await new Promise((done) => this.senders.push(done));
    this.items.push(item);
    this.receivers.shift()?.();
  }

  async recv() {
    while (this.items.length === 0) {
      if (this.isClosed) return null;
      await new Promise((done) => this.receivers.push(done));
    }
    const item = this.items.shift();
    this.senders.shift()?.();
    return item;
  }

  close() {
    this.isClosed = true;
    for (const wake of this.receivers.splice(0)) wake();
  }
}

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);

async function takeOrders(count, orders) {
  const random = new Random(29);
  for (let id = 1; id <= count; id++) {
    const parts = range(random.below(4) + 1, () => random.below(50) + 1);
    await orders.send({ id, kind: KINDS[random.below(3)], parts, price: 0, checksum: 0 });
  }
  orders.close();
}

/** Cuts the parts of orders until there are no more. Returns how many there were. */
async function cut(orders, cutOrders) {
  let done = 0;
  let order;
  while ((order = await orders.recv()) !== null) {
    let checksum = 0;
    for (const part of order.parts) {
      for (let i = 1; i <= part; i++) checksum = (checksum * 31 + i * part) % 65_521;
    }
    await cutOrders.send({ ...order, checksum });
    done++;
  }
  return done;
}

async function calculate(cutOrders, finished) {
  let order;
  while ((order = await cutOrders.recv()) !== null) {
    await finished.send({ ...order, price: PRICES[order.kind] + sum(order.parts) });
  }
}

async function produce(count) {
  const [orders, cutOrders, finished] = range(3, () => new Channel(8));
  const customer = takeOrders(count, orders);
  const cutters = range(4, () => cut(orders, cutOrders));
  const clerks = range(2, () => calculate(cutOrders, finished));
  const closing = (async () => {
    await customer;
    const done = sum(await Promise.all(cutters));
    cutOrders.close();
    await Promise.all(clerks);
    finished.close();
    return done;
  })();

  const sold = { chair: 0, table: 0, lamp: 0 };
  let income = 0;
  let checksum = 0;
  let order;
  while ((order = await finished.recv()) !== null) {
    sold[order.kind]++;
    income += order.price;
    checksum = (checksum + order.id * order.checksum) % 1_000_003;
  }
  console.log(`${await closing} orders, income ${income}, checksum ${checksum}`);
  console.log(KINDS.map((kind) => `${kind}: ${sold[kind]}`).join(', '));
}

async function passOn(inbox, outbox, last) {
  let passed = 0;
  let token;
  while ((token = await inbox.recv()) !== null) {
    passed++;
    if (token === 0) {
      await last.send(passed);
      break;
    }
    await outbox.send(token - 1);
  }
  return passed;
}

async function ring(size, rounds) {
  const places = range(size, () => new Channel(1));
  const last = new Channel(1);
  const running = range(size, (i) => passOn(places[i], places[(i + 1) % size], last));
  await places[0].send(size * rounds);
  const ended = await last.recv();
  for (const place of places) place.close();
  return `the ring passed ${sum(await Promise.all(running))} tokens, the last thread ${ended}`;
}

/** Nothing can interrupt a change, so it needs no lock; the clerks take turns. */
async function transfer(balances, seed, count) {
  const random = new Random(seed);
  let refused = 0;
  for (let i = 0; i < count; i++) {
    const from = random.below(10);
    const to = random.below(10);
    const amount = random.below(100);
    if (balances[from] < amount) {
      refused++;
    } else {
      balances[from] -= amount;
      balances[to] += amount;
    }
    await null;
  }
  return refused;
}

async function accounts(clerks, count) {
  const balances = new Array(10).fill(1000);
  const refused = sum(await Promise.all(range(clerks, (i) => transfer(balances, (i + 1) * 101, count))));
  const state = refused >= 0 && Math.min(...balances) >= 0 ? 'none overdrawn' : 'overdrawn';
  return `${clerks * count} transfers, ${sum(balances)} in all, ${state}`;
}

const size = Number(process.argv[2]);
await produce(size * 10);
console.log(await ring(20, Math.floor(size / 4)));
console.log(await accounts(8, size));
