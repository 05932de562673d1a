import { cpus, loadavg } from 'node:os';
import { median, spread } from './stats.js';

/** A Markdown table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Machine and load under which the figures below were measured. */
export function machineLine(): string {
  const processors = cpus();
  const clock = process.env.BENCH_CLOCK === 'cpu' ? 'processor time' : 'elapsed time';
  return `Node ${process.version}, ${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, load ${loadavg()[0].toFixed(1)}, ${clock}`;
}

/** Three significant digits, no exponent. */
export function digits(n: number): string {
  return n >= 100 ? n.toFixed(0) : n.toPrecision(3);
}

/** Median and spread: `12.3 ±4%`. */
export function summary(numbers: readonly number[]): string {
  return `${digits(median(numbers))} ±${(spread(numbers) * 100).toFixed(0)}%`;
}
