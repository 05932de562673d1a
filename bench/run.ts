/**
 * `npm run bench`: runs the suites one after the other, each in a process of its own, and writes what they print into one report below
 * docs/benchmarks/. `npm run bench -- vm parse` runs some and only prints. Words that are no suites are arguments of the suite before them:
 * `npm run bench -- vm fib micro json`. In the environment ROUNDS and SECONDS change how long `web` and `data` take, ROUNDS and TIME how long `micro`.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { noise, noiseLine } from './shared/noise.js';
import { machineLine } from './shared/table.js';

const ROOT = resolve(import.meta.dirname, '..');
/** The suites of the report: first what a service is made of. `pauses` takes gigabytes and half an hour. */
const REPORTED = [
  'router',
  'web',
  'latency',
  'validation',
  'templates',
  'data',
  'jobs',
  'bus',
  'keystore',
  'websocket',
  'fairness',
  'threads',
  'vm',
  'programs',
  'parse',
  'startup',
  'scale',
  'micro',
];
/** As much of a suite as the report has time for. */
const SHORT = { ROUNDS: '2', SECONDS: '1', LOG_MB: '10' };

const suites = readdirSync(import.meta.dirname).filter((name) => existsSync(join(import.meta.dirname, name, 'run.ts')));
/** The suites to run, with their arguments. */
const wanted: { name: string; words: string[] }[] = [];
const unknown: string[] = [];
for (const word of process.argv.slice(2)) {
  const last = wanted.at(-1);
  if (suites.includes(word)) wanted.push({ name: word, words: [] });
  else if (last === undefined) unknown.push(word);
  else last.words.push(word);
}

/** Runs a suite, shows what it prints, and gives that back. */
async function run(
  name: string,
  words: readonly string[],
  env: Record<string, string>,
): Promise<{ text: string; failed: boolean }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, name, 'run.ts'), ...words], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...process.env },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data;
    process.stdout.write(data);
  });
  const status = await new Promise<number | null>((done) => child.once('close', done));
  return { text: text.trim(), failed: status !== 0 };
}

async function section(name: string, words: readonly string[], env: Record<string, string>): Promise<string> {
  const head = `\n## ${name}\n\n${machineLine()}\n`;
  console.log(head);
  const before = noise();
  const { text, failed } = await run(name, words, env);
  const line = noiseLine(before, noise());
  console.log(`\n${line}`);
  if (failed) process.exitCode = 1;
  return `${head}\n${text}\n\n${line}\n${failed ? '\nThe suite failed.\n' : ''}`;
}

if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; there are ${suites.join(', ')}`);
  process.exitCode = 2;
} else if (wanted.length > 0) {
  for (const { name, words } of wanted) await section(name, words, {});
} else {
  const started = Date.now();
  const date = new Date(started).toISOString().slice(0, 10);
  const parts: string[] = [];
  for (const name of REPORTED) parts.push(await section(name, [], SHORT));
  const minutes = Math.round((Date.now() - started) / 60_000);
  const path = join(ROOT, 'docs/benchmarks', `${date}.md`);
  mkdirSync(join(ROOT, 'docs/benchmarks'), { recursive: true });
  writeFileSync(
    path,
    `# Benchmarks of ${date}\n\nWritten by \`npm run bench\` in ${minutes} minutes; [bench/README.md](../../bench/README.md) says how to read it.\n${parts.join('')}`,
  );
  console.log(`\nwritten to ${relative(process.cwd(), path)}`);
}
