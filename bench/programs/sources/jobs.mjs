/** Simulates machines that work on jobs of several priorities. Events and waiting jobs are in binary heaps. */
class Job {
  constructor(id, priority, arrived, work, tries = 0) {
    this.id = id;
    this.priority = priority;
    this.arrived = arrived;
    this.work = work;
    this.tries = tries;
  }

  isBefore(other) {
    if (this.priority !== other.priority) return this.priority > other.priority;
    return this.arrived === other.arrived ? this.id < other.id : this.arrived < other.arrived;
  }
}

class Event {
  constructor(time, number, kind, job, machine) {
    this.time = time;
    this.number = number;
    this.kind = kind;
    this.job = job;
    this.machine = machine;
  }

  isBefore(other) {
    return this.time === other.time ? this.number < other.number : this.time < other.time;
  }
}

class Heap {
  items = [];

  get length() {
    return this.items.length;
  }

  push(item) {
    const { items } = this;
    items.push(item);
    let i = items.length - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!item.isBefore(items[parent])) break;
      items[i] = items[parent];
      i = parent;
    }
    items[i] = item;
  }

  pop() {
    const top = this.items[0];
    const last = this.items.pop();
    if (this.items.length > 0) this.sink(last);
    return top;
  }

  sink(item) {
    const { items } = this;
    const half = items.length >> 1;
    let i = 0;
    while (i < half) {
      let child = 2 * i + 1;
      const right = child + 1;
      if (right < items.length && items[right].isBefore(items[child])) child = right;
      if (!items[child].isBefore(item)) break;
      items[i] = items[child];
      i = child;
    }
    items[i] = item;
  }
}

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }
}

class Factory {
  events = new Heap();
  waiting = new Heap();
  waits = new Map();
  done = new Map();
  number = 0;
  failed = 0;
  longest = 0;
  checksum = 0;

  constructor(machines, random) {
    this.random = random;
    this.free = Array.from({ length: machines }, (_, i) => i);
  }

  run(jobs) {
    let time = 0;
    for (let id = 0; id < jobs; id++) {
      time += this.random.below(12);
      this.schedule(time, 'arrival', new Job(id, this.random.below(4), time, 10 + this.random.below(60)));
    }
    while (this.events.length > 0) this.handle(this.events.pop());
  }

  schedule(time, kind, job, machine = null) {
    this.events.push(new Event(time, this.number, kind, job, machine));
    this.number++;
  }

  handle(event) {
    if (event.kind === 'arrival') {
      this.waiting.push(event.job);
    } else if (event.kind === 'finish') {
      this.free.push(event.machine);
      this.finish(event);
    }
    this.assign(event.time);
  }

  assign(time) {
    while (this.free.length > 0 && this.waiting.length > 0) {
      const job = this.waiting.pop();
      this.waits.set(job.priority, (this.waits.get(job.priority) ?? 0) + time - job.arrived);
      this.schedule(time + job.work, 'finish', job, this.free.pop());
    }
    this.longest = Math.max(this.longest, this.waiting.length);
  }

  finish({ job, time }) {
    this.checksum = (this.checksum * 31 + job.id + time) % 1_000_003;
    if (this.random.below(20) === 0 && job.tries < 2) {
      this.failed++;
      this.waiting.push(new Job(job.id, job.priority, time, job.work, job.tries + 1));
    } else {
      this.done.set(job.priority, (this.done.get(job.priority) ?? 0) + 1);
    }
  }
}

const factory = new Factory(7, new Random(3));
factory.run(Number(process.argv[2]));
console.log(
  `${factory.number} events, ${factory.failed} tries failed, at most ${factory.longest} waited, checksum ${factory.checksum}`,
);
for (let priority = 3; priority >= 0; priority--) {
  const count = factory.done.get(priority) ?? 0;
  const average = count === 0 ? 0 : Math.floor(factory.waits.get(priority) / count);
  console.log(`priority ${priority}: ${count} done, waited ${average} on average`);
}
