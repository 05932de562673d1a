/**
 * The same programs in Svc, plain JavaScript and the other installed languages. `npx tsx bench/vm/run.ts fib words`
 * runs only these. Each contestant has a process of its own; the processes of a program take turns, so that a busy
 * machine affects all.
 */
import { join } from 'node:path';
import { bundle } from '../shared/bundle.js';
import { median, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';
import { pythonVersion, versionOf, Worker } from '../shared/worker.js';
import { firstRuns, firstRunsOfJavaScript } from './firstrun.js';
import { PROGRAMS } from './programs.js';

/** Sets of fresh processes per program: the code that a JIT produces differs between processes. */
const SETS = 3;
/**
 * Rounds until a process with a JIT counts as warm: V8 compiles in the background, and the output of our JIT reaches it
 * later.
 */
const WARM_UPS = 15;
const ROUNDS = 3;
const MIN_MS = 30;

interface Contestant {
  name: string;
  /** Name and version. */
  label: string;
  extension: string;
  command: string;
  args: string[];
  warmUps: number;
}

interface Samples {
  first: number[];
  steady: number[];
}

/**
 * The other languages; those without a version are not installed. PHP runs with the defaults of its command line,
 * without a JIT. Its programs need PHP 8.
 */
function peers(): (Omit<Contestant, 'label'> & { version: string | null })[] {
  const ruby = { command: 'ruby', extension: '.rb' };
  const interpreter = { args: [], warmUps: 1 };
  const jit = { args: [], warmUps: WARM_UPS };
  // prettier-ignore
  return [
    { name: 'Python', command: 'python3', extension: '.py', ...interpreter, version: pythonVersion() },
    { name: 'Ruby', ...ruby, ...interpreter, version: versionOf('ruby', ['-v'], /ruby (\d[\d.]*)/) },
    // A Ruby built without YJIT may only warn.
    { name: 'Ruby YJIT', ...ruby, ...jit, args: ['--yjit'], version: versionOf('ruby', ['--yjit', '-v'], /ruby (\d[\d.]*).*\+YJIT/) },
    { name: 'Lua', command: 'lua', extension: '.lua', ...interpreter, version: versionOf('lua', ['-v'], /Lua (\d[\d.]*)/) },
    { name: 'LuaJIT', command: 'luajit', extension: '.lua', ...jit, version: versionOf('luajit', ['-v'], /LuaJIT (\S+)/) },
    { name: 'PHP', command: 'php', extension: '.php', ...interpreter, version: versionOf('php', ['-v'], /PHP ((?:[89]|\d\d)\.[\d.]+)/) },
  ];
}

function contestants(worker: string): Contestant[] {
  const own = { command: process.execPath, args: [worker], warmUps: WARM_UPS };
  const all: Contestant[] = [
    { name: 'Svc', label: 'Svc', extension: '.svc', ...own },
    { name: 'JavaScript', label: 'JavaScript', extension: '.mjs', ...own },
  ];
  const missing: string[] = [];
  for (const { version, ...peer } of peers()) {
    if (version === null) missing.push(peer.name);
    else
      all.push({
        ...peer,
        label: `${peer.name} ${version}`,
        args: [...peer.args, join(import.meta.dirname, `peer${peer.extension}`)],
      });
  }
  if (missing.length > 0) console.log(`Not installed, so not measured: ${missing.join(', ')}.\n`);
  return all;
}

/** Measures one set of processes: the first run of each, then steady rounds. */
async function runSet(program: string, all: Contestant[], samples: Samples[]): Promise<void> {
  const workers = all.map(
    ({ command, args, extension }) =>
      new Worker(command, [...args, join(import.meta.dirname, 'programs', program + extension)]),
  );
  const results = new Set<string>();
  for (let round = -WARM_UPS - 1; round < ROUNDS; round++) {
    const isFirst = round === -WARM_UPS - 1;
    for (const [i, worker] of workers.entries()) {
      if (round < 0 && !isFirst && round < -all[i].warmUps) continue;
      const { ms, result } = await worker.ask({ minMs: isFirst ? 0 : MIN_MS });
      results.add(result);
      if (isFirst) samples[i].first.push(ms);
      else if (round >= 0) samples[i].steady.push(ms);
    }
  }
  for (const worker of workers) worker.close();
  if (results.size > 1) throw new Error(`${program}: the results differ: ${[...results].join(' / ')}`);
}

async function measureProgram(program: string, all: Contestant[]): Promise<Samples[]> {
  const samples = all.map((): Samples => ({ first: [], steady: [] }));
  for (let set = 0; set < SETS; set++) await runSet(program, all, samples);
  // The processes above have waited before their first run, and have none of V8's cached code of the bundle.
  samples[0].first = firstRuns(program, SETS);
  samples[1].first = firstRunsOfJavaScript(program, SETS);
  return samples;
}

/** Milliseconds of each contestant, then Svc's ratio to each of the others. */
function rowOf(samples: Samples[], kind: keyof Samples): string[] {
  const [own, ...others] = samples.map((one) => one[kind]);
  return [...[own, ...others].map(summary), ...others.map((other) => digits(median(ratios(own, other))))];
}

const all = contestants(await bundle(new URL('worker.ts', import.meta.url)));
const names = process.argv.slice(2);
const steady: string[][] = [];
const first: string[][] = [];
for (const { name, goal } of PROGRAMS.filter((program) => names.length === 0 || names.includes(program.name))) {
  const samples = await measureProgram(name, all);
  steady.push([name, ...rowOf(samples, 'steady'), goal === null ? '–' : String(goal)]);
  first.push([name, ...rowOf(samples, 'first')]);
}
const head = [...all.map(({ label }) => `${label} ms`), ...all.slice(1).map(({ name }) => `Svc / ${name}`)];
console.log(`Steady state\n\n${table(['program', ...head, 'goal for Svc / JavaScript'], steady)}\n`);
console.log(
  `First run in a fresh process, loaded and compiled; Svc from its cache\n\n${table(['program', ...head], first)}`,
);
