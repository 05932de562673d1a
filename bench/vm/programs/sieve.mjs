export function run() {
  const limit = 1_000_000;
  const prime = new Array(limit).fill(true);
  let count = 0;
  for (let i = 2; i < limit; i++) {
    if (!prime[i]) continue;
    count++;
    for (let j = i * 2; j < limit; j += i) prime[j] = false;
  }
  return count;
}
