/** Ways through a random map: Dijkstra's algorithm, breadth-first search, and connected parts. */
const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);

/** Nodes in the order of their distance: a binary heap of pairs. */
class Queue {
  items = [];

  push(distance, node) {
    const { items } = this;
    items.push([distance, node]);
    let i = items.length - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (items[parent][0] <= items[i][0]) break;
      [items[i], items[parent]] = [items[parent], items[i]];
      i = parent;
    }
  }

  pop() {
    const { items } = this;
    if (items.length === 0) return null;
    const top = items[0];
    const last = items.pop();
    if (items.length === 0) return top;
    items[0] = last;
    let i = 0;
    for (;;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < items.length && items[child][0] < items[least][0]) least = child;
      }
      if (least === i) return top;
      [items[i], items[least]] = [items[least], items[i]];
      i = least;
    }
  }
}

class Groups {
  constructor(count) {
    this.parents = Array.from({ length: count }, (_, i) => i);
    this.sizes = new Array(count).fill(1);
  }

  root(node) {
    const { parents } = this;
    while (parents[node] !== node) {
      parents[node] = parents[parents[node]];
      node = parents[node];
    }
    return node;
  }

  join(one, other) {
    let a = this.root(one);
    let b = this.root(other);
    if (a === b) return;
    if (this.sizes[a] < this.sizes[b]) [a, b] = [b, a];
    this.parents[b] = a;
    this.sizes[a] += this.sizes[b];
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

/** A square of places. Most neighbours are connected; some places have a long road to any other. */
function build(side, random) {
  const edges = Array.from({ length: side * side }, () => []);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const here = y * side + x;
      if (x + 1 < side && random.below(10) < 6) connect(edges, here, here + 1, random.below(9) + 1);
      if (y + 1 < side && random.below(10) < 6) connect(edges, here, here + side, random.below(9) + 1);
      if (random.below(50) === 0) connect(edges, here, random.below(side * side), 20 + random.below(30));
    }
  }
  return edges;
}

function connect(edges, a, b, length) {
  edges[a].push({ to: b, length });
  edges[b].push({ to: a, length });
}

function distances(edges, start) {
  const best = new Map([[start, 0]]);
  const previous = new Map();
  const done = new Set();
  const queue = new Queue();
  queue.push(0, start);
  let entry;
  while ((entry = queue.pop()) !== null) {
    const [distance, node] = entry;
    if (done.has(node)) continue;
    done.add(node);
    for (const edge of edges[node]) {
      const through = distance + edge.length;
      const known = best.get(edge.to);
      if (known === undefined || through < known) {
        best.set(edge.to, through);
        previous.set(edge.to, node);
        queue.push(through, edge.to);
      }
    }
  }
  return { best, previous };
}

function way(previous, goal) {
  const nodes = [goal];
  let node;
  while ((node = previous.get(nodes.at(-1))) !== undefined) nodes.push(node);
  return nodes.reverse();
}

function steps(edges, start) {
  const found = new Map([[start, 0]]);
  let border = [start];
  while (border.length > 0) {
    const reached = [];
    for (const node of border) {
      for (const edge of edges[node]) {
        if (found.has(edge.to)) continue;
        found.set(edge.to, found.get(node) + 1);
        reached.push(edge.to);
      }
    }
    border = reached;
  }
  return found;
}

const side = Number(process.argv[2]);
const edges = build(side, new Random(5));
const groups = new Groups(edges.length);
for (const [node, list] of edges.entries()) {
  for (const edge of list) groups.join(node, edge.to);
}
const counts = new Map();
for (let node = 0; node < edges.length; node++) {
  const root = groups.root(node);
  counts.set(root, (counts.get(root) ?? 0) + 1);
}
const sizes = [...counts.values()].sort((a, b) => b - a);
const roads = sum(edges.map((list) => list.length)) / 2;
console.log(
  `${edges.length} places, ${roads} roads, ${sizes.length} parts, the largest ${sizes.slice(0, 3).join(', ')}`,
);

const start = edges.findIndex((_, node) => groups.sizes[groups.root(node)] === sizes[0]);
const { best, previous } = distances(edges, start);
let far = [start, 0];
for (const [node, distance] of best) {
  if (distance > far[1] || (distance === far[1] && node < far[0])) far = [node, distance];
}
console.log(
  `from ${start}: ${best.size} reached, the sum ${sum([...best.values()])}, ${far[0]} is farthest with ${far[1]}`,
);
const nodes = way(previous, far[0]);
console.log(`the way there has ${nodes.length} places, their sum is ${sum(nodes)}`);
const found = [...steps(edges, start).values()];
console.log(`at most ${found.reduce((most, n) => Math.max(most, n), 0)} steps, ${sum(found)} in all`);
