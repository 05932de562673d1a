import { readdirSync } from 'node:fs';

/**
 * Runs the files `*.unit.ts` of a test file's folder in its process: to start a process for each takes longer than most of them.
 * `npx tap test/natives/core/format.unit.ts` runs one alone.
 */
export async function runUnits(url: string): Promise<void> {
  const names = readdirSync(new URL('.', url)).filter((name) => name.endsWith('.unit.ts')).sort();
  if (names.length === 0) throw new Error(`no units beside ${url}`);
  for (const name of names) await import(new URL(name, url).href);
}
