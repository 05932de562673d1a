/** Analyses the access log of a web server: requests by status, area, hour and user, slow paths, unreadable lines. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const LINE = /^(\S+) - (\S+) \[([^:]+):(\d\d):(\d\d):(\d\d) [^\]]+\] "(\S+) (\S+) [^"]+" (\d{3}) (\d+) (\d+)$/;

class Area {
  requests = 0;
  bytes = 0;
  errors = 0;
  times = [];

  constructor(name) {
    this.name = name;
  }

  add(entry) {
    this.requests++;
    this.bytes += entry.bytes;
    if (entry.status >= 500) this.errors++;
    this.times.push(entry.ms);
  }

  percentile(part) {
    const sorted = [...this.times].sort((a, b) => a - b);
    return sorted[Math.floor(((sorted.length - 1) * part) / 100)];
  }
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const slowestFirst = (list) => [...list].sort((a, b) => b.ms - a.ms || byText(a.path, b.path));
const add = (counts, key, n) => counts.set(key, (counts.get(key) ?? 0) + n);

class Analysis {
  lines = 0;
  unreadable = [];
  statuses = new Map();
  hours = new Map();
  users = new Map();
  areas = new Map();
  addresses = new Set();
  slowest = [];

  read(line) {
    this.lines++;
    const entry = parse(line);
    if (entry === null) {
      this.unreadable.push(this.lines);
      return;
    }
    add(this.statuses, entry.status, 1);
    add(this.hours, entry.hour, 1);
    if (entry.user !== '-') add(this.users, entry.user, entry.bytes);
    this.addresses.add(entry.address);
    const name = areaOf(entry.path);
    if (!this.areas.has(name)) this.areas.set(name, new Area(name));
    this.areas.get(name).add(entry);
    if (entry.ms > 2900) this.noteSlow(entry);
  }

  noteSlow(entry) {
    this.slowest.push(entry);
    if (this.slowest.length >= 50) this.slowest = slowestFirst(this.slowest).slice(0, 5);
  }
}

function parse(line) {
  const m = LINE.exec(line);
  if (m === null) return null;
  return {
    address: m[1],
    user: m[2],
    hour: Number(m[4]),
    method: m[7],
    path: m[8],
    status: Number(m[9]),
    bytes: Number(m[10]),
    ms: Number(m[11]),
  };
}

function areaOf(path) {
  return `/${path.split('?')[0].split('/')[1]}`;
}

const thousands = (n) => n.toLocaleString('en-US');

const analysis = new Analysis();
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) analysis.read(line);

console.log(
  `${thousands(analysis.lines)} lines from ${analysis.addresses.size} addresses, ${analysis.unreadable.length} unreadable`,
);
console.log('status  requests');
for (const [status, count] of [...analysis.statuses].sort(([a], [b]) => a - b)) {
  console.log(`${status}  ${thousands(count).padStart(11)}`);
}
console.log('area             requests          bytes  errors   p50   p95   p99');
const areas = [...analysis.areas.values()].sort((a, b) => b.requests - a.requests || byText(a.name, b.name));
for (const area of areas) {
  const cells = [
    area.name.padEnd(12),
    thousands(area.requests).padStart(12),
    thousands(area.bytes).padStart(14),
    String(area.errors).padStart(7),
    ...[50, 95, 99].map((part) => String(area.percentile(part)).padStart(5)),
  ];
  console.log(cells.join(' ').trimEnd());
}
const [hour, count] = [...analysis.hours].sort(([a, m], [b, n]) => n - m || a - b)[0];
console.log(`busiest hour: ${String(hour).padStart(2, '0')} with ${thousands(count)}`);
for (const [user, bytes] of [...analysis.users].sort(([a, m], [b, n]) => n - m || byText(a, b)).slice(0, 3)) {
  console.log(`${user.padEnd(6)}${(bytes / 1024).toFixed(1)} KB`);
}
for (const slow of slowestFirst(analysis.slowest).slice(0, 3)) {
  console.log(`${slow.ms} ms ${slow.method} ${slow.path}`);
}
