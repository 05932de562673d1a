export { Random } from '../../../tools/fuzz/random.js';

/** Seed from the environment, else a fixed one, so that tests do not fail at random. */
export function seedFrom(name: string, fallback: number): number {
  return Number(process.env[name] ?? fallback);
}
