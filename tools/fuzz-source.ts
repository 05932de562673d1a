import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fuzzSource } from './fuzz/source.js';

// npx tsx tools/fuzz-source.ts [COUNT] [SEED]: compiles and verifies token-level mutants of all programs in spec-tests.
const [count = '20000', seed = '1'] = process.argv.slice(2);
const folder = resolve(import.meta.dirname, '../spec-tests');
const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.svc'))
  .sort()
  .map((name) => readFileSync(join(folder, name), 'utf8'));
const { faults, ...rest } = fuzzSource(
  programs.filter((text) => text.length < 5000),
  Number(count),
  Number(seed),
  (line) => console.log(line),
);
console.log(JSON.stringify(rest));
for (const fault of faults.slice(0, 20)) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
