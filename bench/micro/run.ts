/**
 * Parts of Svc alone, functions of some nanoseconds to milliseconds, measured by mitata in one process. Arguments select groups by a part of
 * their names; `--json` prints rows in place of tables. In the environment TIME is the milliseconds for each function, ROUNDS the number of
 * turns they are spread over.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { bundle } from '../shared/bundle.js';
import { digits, table } from '../shared/table.js';
import { groupsOf } from './groups.js';
import type { Row } from './measure.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** Room for the 8 MB that mitata takes for each measurement, so that V8 collects garbage between groups only. */
const FLAGS = ['--expose-gc', '--initial-old-space-size=1024'];

/** The rows of the groups that the words select, case by case. */
async function* casesOf(words: readonly string[]): AsyncGenerator<Row[]> {
  const script = await bundle(new URL('worker.ts', import.meta.url));
  const child = spawn(process.execPath, [...FLAGS, script, ROOT, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  let text = '';
  for await (const data of child.stdout.setEncoding('utf8')) {
    const lines = (text + data).split('\n');
    text = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as Row[];
  }
  if ((await ended) !== 0) throw new Error('the worker has failed');
}

const UNITS = [
  { name: 'ns', size: 1 },
  { name: 'µs', size: 1e3 },
  { name: 'ms', size: 1e6 },
];

function time(ns: number): string {
  const { name, size } = UNITS.findLast((unit) => ns >= unit.size) ?? UNITS[0];
  return `${digits(ns / size)} ${name}`;
}

function memory(bytes: number | null): string {
  if (bytes === null) return '';
  return bytes < 1000 ? `${bytes.toFixed(0)} B` : `${digits(bytes / 1000)} kB`;
}

function cells(row: Row): string[] {
  const { title, name, median, mean, p99, bytes, ratio, isEmpty } = row;
  return [
    `${title}: ${name}${isEmpty ? ' (left out by V8)' : ''}`,
    time(median),
    time(mean),
    time(p99),
    memory(bytes),
    digits(ratio),
  ];
}

function heading(name: string): string {
  const about = groupsOf(ROOT).find((group) => group.name === name)?.about ?? '';
  return `### ${name}\n\n${about}\n`;
}

/** Prints a table for each group as soon as it is measured. */
async function printTables(words: readonly string[]): Promise<void> {
  let rows: Row[] = [];
  const print = (): void => {
    if (rows.length === 0) return;
    console.log(heading(rows[0].group));
    console.log(`${table(['operation', 'median', 'mean', 'p99', 'allocated', '× the first'], rows.map(cells))}\n`);
    rows = [];
  };
  for await (const measured of casesOf(words)) {
    if (measured[0].group !== rows[0]?.group) print();
    rows.push(...measured);
  }
  print();
}

async function printJson(words: readonly string[]): Promise<void> {
  const rows: Row[] = [];
  for await (const measured of casesOf(words)) rows.push(...measured);
  console.log(JSON.stringify(rows));
}

const words = process.argv.slice(2).filter((word) => word !== '--json');
const names = groupsOf(ROOT).map(({ name }) => name);
const unknown = words.filter((word) => !names.some((name) => name.includes(word)));
if (unknown.length > 0) {
  console.error(`no such group: ${unknown.join(', ')}; there are ${names.join(', ')}`);
  process.exitCode = 2;
} else if (process.argv.includes('--json')) await printJson(words);
else await printTables(words);
