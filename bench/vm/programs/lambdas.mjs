function mapWith(f, values) {
  const out = [];
  for (const x of values) out.push(f(x));
  return out;
}

function selectWith(f, values) {
  const out = [];
  for (const x of values) if (f(x)) out.push(x);
  return out;
}

function reduceWith(f, values, start) {
  for (const x of values) start = f(start, x);
  return start;
}

export function run() {
  const values = Array.from({ length: 1000 }, (_, i) => i);
  let total = 0;
  for (let k = 0; k < 200; k++) {
    const doubled = mapWith((x) => x * 2 + k, values);
    const thirds = selectWith((x) => x % 3 === 0, doubled);
    total += reduceWith((a, b) => a + b, thirds, 0);
  }
  return total;
}
