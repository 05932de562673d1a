/**
 * The candidate with the smallest edit distance to `name`, at most a third of its length and at most 3, or one that
 * differs only by a `?` or `!` at the end; null if there is none.
 */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const all = [...candidates];
  const bare = name.replace(/[?!]$/, '');
  const unmarked = all.find((candidate) => candidate !== name && candidate.replace(/[?!]$/, '') === bare);
  if (unmarked !== undefined) return unmarked;
  const limit = Math.min(3, Math.floor(name.length / 3));
  if (limit === 0) return null;
  let best: string | null = null;
  let least = limit + 1;
  for (const candidate of all) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Optimal string alignment distance: insertions, deletions, replacements, and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2] + 1);
      row.push(least);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length];
}
