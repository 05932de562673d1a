function smooth(count, rounds) {
  const values = [];
  for (let i = 0; i < count; i++) values.push((i % 17) * 0.5);
  for (let round = 0; round < rounds; round++) {
    for (let i = 1; i < count; i++) values[i] = values[i] * 0.5 + values[i - 1] * 0.375;
  }
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

export function run() {
  return Math.floor(smooth(5000, 40) * 1000000);
}
