import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import t, { type Test } from 'tap';
import { type Expectations, readExpectations } from '../../spec/program.js';
import { isInShare, RUNS_ALL } from '../../share.js';
import { compare, type Comparison } from '../../spec/report.js';
import { ROOT } from '../../svcc/svcc.js';
import { parseExchanges } from './exchange.js';
import { play } from './play.js';
import { ProgramProcess } from './program-process.js';

const PROGRAMS = join(ROOT, 'spec-tests/web');
/**
 * Number of processes, which run programs of all modes: starting one takes longer than most programs. More than the
 * machine has cores, because half of the time is waiting; fewer where a share of the programs runs in both modes.
 */
const PROCESSES = RUNS_ALL ? 4 : 2;

/** Milliseconds for the whole file; each exchange has its own limit. */
const LIMIT_MS = 1_800_000;

/** Modes of running a program, by the safepoints of a slice (0: by the clock). All must produce the same responses. */
const MODES = { normal: 0, 'slice-1': 1 };

type Mode = keyof typeof MODES;

interface Job {
  name: string;
  result: Promise<Comparison | { skip: string }>;
}

/** Paths of the programs, without their ending; only those that contain the text of SVC_SPEC. */
async function programs(): Promise<string[]> {
  const entries = await readdir(PROGRAMS, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(({ name }) => name.endsWith('.http'))
    .map(({ parentPath, name }) => relative(PROGRAMS, join(parentPath, name)));
  return paths
    .map((path) => path.replace(/\.http$/, ''))
    .filter((path) => path.includes(process.env.SVC_SPEC ?? ''))
    .sort();
}

/** Starts a program, plays its exchanges and stops it. */
async function run(server: ProgramProcess, path: string, mode: Mode): Promise<Comparison | { skip: string }> {
  const [source, exchanges] = await Promise.all(
    ['.svc', '.http'].map((ending) => readFile(join(PROGRAMS, path + ending), 'utf8')),
  );
  const expected = expectationsOf(source);
  if (expected.skip !== null) return { skip: expected.skip };
  if (expected.only !== null && !expected.only.includes(mode)) return { skip: `only: ${expected.only.join(', ')}` };
  const file = `${basename(path)}.svc`;
  server.start({ file, cwd: join(PROGRAMS, dirname(path)), args: expected.args, slice: MODES[mode] });
  try {
    const mismatches = await play(await server.port(), parseExchanges(exchanges));
    const { stdout, stderr, exitCode } = await server.stop();
    const own = stdout.replace(/^Svc web server running on .*\n.*\n/m, '');
    const ending = compare(file, expected, { stdout: own, stderr, exitCode: exitCode ?? NaN });
    // Even if the program ended as expected, stderr may explain a mismatch.
    const hint =
      mismatches.length > 0 && ending.actual === ending.expected && stderr !== '' ? [`stderr was: ${stderr}`] : [];
    return {
      actual: [...mismatches.map(({ actual }) => actual), ending.actual, ...hint].join('\n\n'),
      expected: [...mismatches.map(({ expected }) => expected), ending.expected].join('\n\n'),
    };
  } finally {
    if (server.isRunning) await server.kill();
  }
}

/** Expectations of a server; by default exit code 0. */
function expectationsOf(source: string): Expectations {
  const found = readExpectations(`${source}\n# stdin:`);
  return { ...found, exitCode: found.exitCode ?? 0 };
}

/** Starts tasks in order, each in the process that is free first. */
function pool(processes: readonly ProgramProcess[]): <T>(task: (server: ProgramProcess) => Promise<T>) => Promise<T> {
  const free = [...processes];
  const waiting: ((server: ProgramProcess) => void)[] = [];
  const take = (): Promise<ProgramProcess> => {
    const server = free.pop();
    return server === undefined ? new Promise((resume) => waiting.push(resume)) : Promise.resolve(server);
  };
  const put = (server: ProgramProcess): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(server);
    else next(server);
  };
  return async (task) => {
    const server = await take();
    try {
      return await task(server);
    } finally {
      put(server);
    }
  };
}

async function check(test: Test, { name, result }: Job): Promise<void> {
  try {
    const outcome = await result;
    if ('skip' in outcome) test.pass(name, { skip: outcome.skip });
    else test.equal(outcome.actual, outcome.expected, name);
  } catch (error) {
    test.error(error, name);
  }
}

/** Plays the exchanges of every program in each mode, or of a share in modes but the normal one: one subtest for each folder, one assertion for each program and mode. */
export async function playAll(...modes: Mode[]): Promise<void> {
  t.setTimeout(LIMIT_MS);
  const processes = Array.from({ length: PROCESSES }, () => new ProgramProcess());
  t.teardown(() => {
    for (const process of processes) process.end();
  });
  const start = pool(processes);
  const folders = new Map<string, Job[]>();
  for (const path of await programs()) {
    for (const mode of modes) {
      if (mode !== 'normal' && !isInShare(path)) continue;
      const result = start((server) => run(server, path, mode));
      // `check` reports a failure later.
      result.catch(() => {});
      folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), { name: `${path} [${mode}]`, result }]);
    }
  }
  for (const [folder, jobs] of folders) {
    await t.test(folder, async (test) => {
      for (const job of jobs) await check(test, job);
    });
  }
}
