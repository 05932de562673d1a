/** Milliseconds that the shortest of several runs takes: the longer ones measure what else the machine does. */
export function shortest(run: () => unknown, tries = 5): number {
  let least = Infinity;
  for (let i = 0; i < tries; i++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
