/** `npm run bench [-- SUITE…]`: runs all suites, or those named, each in a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { machineLine } from './shared/table.js';

const suites = readdirSync(import.meta.dirname).filter((name) => existsSync(join(import.meta.dirname, name, 'run.ts')));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !suites.includes(name));

if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; there are ${suites.join(', ')}`);
  process.exitCode = 2;
} else {
  for (const name of wanted.length > 0 ? wanted : suites) {
    console.log(`\n## ${name}\n\n${machineLine()}\n`);
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', join(import.meta.dirname, name, 'run.ts')], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
