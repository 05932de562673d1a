/** Quantile, interpolated: the value below which `part` (0…1) of the numbers lie. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.ceil(at)] - sorted[low]) * (at - low);
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** Half the interquartile range, as a fraction of the median. */
export function spread(numbers: readonly number[]): number {
  return (quantile(numbers, 0.75) - quantile(numbers, 0.25)) / 2 / median(numbers);
}

/** Ratios of measurements from the same round: a slow machine affects both. */
export function ratios(numbers: readonly number[], others: readonly number[]): number[] {
  return numbers.map((n, round) => n / others[round]);
}

/** The k of `time ~ size^k` between two measurements. */
export function growthExponent(small: { size: number; time: number }, large: { size: number; time: number }): number {
  return Math.log(large.time / small.time) / Math.log(large.size / small.size);
}
