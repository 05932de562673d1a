export { Random } from '../../../tools/fuzz/random.js';

/** A seed of one's own from the environment, else a fixed one: tests that fail now and then help nobody. */
export function seedFrom(name: string, fallback: number): number {
  return Number(process.env[name] ?? fallback);
}
