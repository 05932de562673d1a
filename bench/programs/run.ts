/**
 * Real programs as whole processes, in Svc and in other languages that are installed. `npx tsx bench/programs/run.ts
 * json cache --peers ruby,node` runs two of them beside two languages. In the environment ROUNDS is the number of
 * rounds, and LOG_MB the size of the log that the program `accesses` reads. `--small` runs all in the size of the tests,
 * without filling caches first.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, ratios } from '../shared/stats.js';
import { summary, table } from '../shared/table.js';
import { writeAccessLog } from './accesslog.js';
import { own, peers, type Contestant } from './contestants.js';
import { run, type Outcome } from './process.js';
import { PROGRAMS, smallSizeOf, sourceOf, type Program } from './programs.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const LOG_BYTES = Number(process.env.LOG_MB ?? 50) * 1_000_000;
/** Milliseconds of Ruby's work from which Svc's goal is Ruby's time; below it is one and a half of that. */
const LONG_MS = 300;
const GOALS = { long: 1, short: 1.5 };

type Kind = 'wall' | 'user';

/** Outcomes of each contestant, by round. */
type Samples = Outcome[][];

/** Asks all contestants in turn. An extra first turn only fills caches of files and of programs, and is not measured. */
async function measure(
  all: readonly Contestant[],
  args: (contestant: Contestant) => readonly string[],
  isSmall: boolean,
): Promise<Samples> {
  const samples: Samples = all.map(() => []);
  const outputs = new Map<string, string[]>();
  for (let round = isSmall ? 0 : -1; round < ROUNDS; round++) {
    for (const [i, contestant] of all.entries()) {
      const outcome = await run(contestant.command, args(contestant), contestant.env);
      outputs.set(outcome.output, [...(outputs.get(outcome.output) ?? []), contestant.label]);
      if (round >= 0) samples[i].push(outcome);
    }
  }
  if (outputs.size > 1) {
    const list = [...outputs].map(([text, labels]) => `${[...new Set(labels)].join(', ')}:\n${text}`);
    throw new Error(`the outputs differ: ${list.join('\n')}`);
  }
  return samples;
}

const timesOf = (outcomes: readonly Outcome[], kind: Kind): number[] => outcomes.map((outcome) => outcome[kind]);

/** Median of the ratios of each round. */
function ratioOf(own: readonly Outcome[], other: readonly Outcome[], kind: Kind): string {
  return median(ratios(timesOf(own, kind), timesOf(other, kind))).toFixed(2);
}

/** Milliseconds of each contestant, then the ratios of Svc, cold and with its cache, to each of the others. */
function rowOf(samples: Samples, kind: Kind): string[] {
  const [cold, second, ...others] = samples;
  return [
    ...samples.map((outcomes) => summary(timesOf(outcomes, kind))),
    ...others.map((other) => `${ratioOf(cold, other, kind)}, ${ratioOf(second, other, kind)}`),
  ];
}

/** The goal of Svc's ratio to Ruby, by the processor time that Ruby needs beyond its start: it also holds on a busy machine. */
function goalOf(ruby: readonly Outcome[], start: readonly Outcome[]): string {
  const work = median(timesOf(ruby, 'user')) - median(timesOf(start, 'user'));
  return (work >= LONG_MS ? GOALS.long : GOALS.short).toFixed(1);
}

function argumentOf(program: Program, isSmall: boolean, log: string): string {
  if (isSmall) return smallSizeOf(program.name);
  return program.size === null ? log : String(program.size);
}

function chosen(names: readonly string[]): Program[] {
  const unknown = names.filter((name) => !PROGRAMS.some((program) => program.name === name));
  if (unknown.length > 0) {
    stop(`no such program: ${unknown.join(', ')}; there are ${PROGRAMS.map(({ name }) => name).join(', ')}`);
  }
  return PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name));
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}

interface Options {
  readonly programs: readonly Program[];
  readonly isSmall: boolean;
  readonly others: readonly Contestant[];
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { peers: { type: 'string' }, small: { type: 'boolean', default: false } },
  });
  const { installed, missing, unknown } = peers(values.peers?.split(',') ?? null);
  if (unknown.length > 0) stop(`no such language: ${unknown.join(', ')}; there are ruby, node, python`);
  if (missing.length > 0) console.log(`Not installed, so not measured: ${missing.join(', ')}.\n`);
  return { programs: chosen(positionals), isSmall: values.small, others: installed };
}

async function report({ programs, isSmall, others }: Options, folder: string): Promise<string> {
  const log = join(folder, 'access.log');
  if (!isSmall && programs.some(({ size }) => size === null)) writeAccessLog(log, LOG_BYTES);
  writeFileSync(join(folder, 'empty.svc'), '');
  const all = [...own(folder), ...others];
  const ruby = all.findIndex(({ name }) => name === 'ruby');
  const start = await measure(all, (contestant) => contestant.start, isSmall);
  const rows: Record<Kind, string[][]> = {
    wall: [['start', ...rowOf(start, 'wall'), '–']],
    user: [['start', ...rowOf(start, 'user'), '–']],
  };
  for (const program of programs) {
    const argument = argumentOf(program, isSmall, log);
    const args = (of: Contestant): string[] => [...of.args, sourceOf(program.name, of.extension), argument];
    const samples = await measure(all, args, isSmall);
    const goal = ruby < 0 ? '–' : goalOf(samples[ruby], start[ruby]);
    for (const kind of ['wall', 'user'] as const) rows[kind].push([program.name, ...rowOf(samples, kind), goal]);
  }
  const head = [
    'program',
    ...all.map(({ label }) => `${label} ms`),
    ...others.map(({ label }) => `Svc / ${label.split(' ')[0]}`),
    'goal for Svc / Ruby',
  ];
  return `Elapsed time of whole processes\n\n${table(head, rows.wall)}\n\nProcessor time of all threads, without the kernel's\n\n${table(head, rows.user)}`;
}

const options = readOptions();
const folder = mkdtempSync(join(tmpdir(), 'svc-programs-'));
try {
  console.log(await report(options, folder));
} finally {
  rmSync(folder, { recursive: true });
}
