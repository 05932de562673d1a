import t from 'tap';
import { rounds } from '../../rounds.js';
import { seedFrom } from '../support/random.js';
import { type Behaviour, difference, runKept, runSvc, runTwin } from './compare.js';
import { type RandomProgram, randomProgram } from './generator.js';
import { LARGE, SMALL } from './size.js';

/*
 * Compares random programs with their JavaScript twins in nine modes: with the usual slice and short ones, interpreted
 * and compiled. Parsing and compiling take most of the time, and grow with the text. So most programs are small (about 80
 * lines) and run in three modes, with each kind of slice and each way of compiling once; three programs in a row have all
 * modes. Every twentieth is large (about 340 lines, deeper, with calls between functions) and runs in all nine. Every fifth
 * also runs twice in new VMs, the second time with the code that the first run generated.
 *   SVC_SEED=7 npx tap test/vm/random/programs.test.ts                    another seed
 *   SVC_PROGRAMS=10000 node --import=tsx test/vm/random/programs.test.ts  a long search: each 10,000 take 1 GB
 *   SVC_SHOW=1234 node --import=tsx test/vm/random/programs.test.ts       prints program 1234 and its twin
 * With SVC_LONG=1 there are 2,000, all large and in all modes.
 */
const SEED = seedFrom('SVC_SEED', 1);
const COUNT = seedFrom('SVC_PROGRAMS', rounds(1200, 2000));
const SHOW = process.env.SVC_SHOW;
const ALL_LARGE = process.env.SVC_LONG === '1';
const LARGE_EACH = 20;
const KEPT_EACH = 5;
/** Lengths of slices, in turn, beside the usual one and a suspension at every safepoint. */
const LONGER = [2, 3, 7];
/** Maximum number of calls before compiling, in turn, beside interpreted and compiled at once. */
const MOST_CALLS = 9;
/** Maximum number of failures that are shown. */
const MAX_FAILURES = 10;

function isLarge(seed: number): boolean {
  return ALL_LARGE || seed % LARGE_EACH === 0;
}

function programFor(seed: number): RandomProgram {
  return randomProgram(seed, isLarge(seed) ? LARGE : SMALL);
}

/** Modes of a program. Values within a kind change more slowly than pairs of kinds, so that all combinations occur. */
function modesFor(seed: number): { slice: number; jit: number | null }[] {
  const slices = [0, 1, LONGER[Math.floor(seed / 3) % LONGER.length]];
  const ways = [null, 0, 1 + (Math.floor(seed / 9) % MOST_CALLS)];
  const all = slices.flatMap((slice, i) => ways.map((jit, k) => ({ slice, jit, isTurn: (i + k) % 3 === seed % 3 })));
  return isLarge(seed) ? all : all.filter(({ isTurn }) => isTurn);
}

/** Expected behaviour of program `seed`, and a difference of a run, or null. */
function check(seed: number): { expected: Behaviour; wrong: string | null } {
  const program = programFor(seed);
  const expected = runTwin(program);
  for (const { slice, jit } of modesFor(seed)) {
    const differs = difference(expected, runSvc(program, slice, jit));
    if (differs !== null) return { expected, wrong: `program ${seed}, slice ${slice}, JIT ${jit}, ${differs}` };
  }
  if (ALL_LARGE || seed % KEPT_EACH === 0) {
    const [slice, jit] = [LONGER[seed % LONGER.length], seed % MOST_CALLS];
    const differs = difference(expected, runKept(program, slice, jit));
    if (differs !== null)
      return { expected, wrong: `program ${seed}, slice ${slice}, JIT ${jit}, with kept code, ${differs}` };
  }
  return { expected, wrong: null };
}

if (SHOW !== undefined) {
  const { svc, js } = programFor(Number(SHOW));
  console.log(`${svc}\n# The twin:\n${js.replaceAll(/^/gm, '# ')}`);
} else {
  t.setTimeout(0);
  t.test(`${COUNT} random programs from seed ${SEED}`, async (t) => {
    const failures: string[] = [];
    const uncaught = new Map<string, number>();
    let lines = 0;
    for (let i = 0; i < COUNT; i++) {
      const seed = SEED * 1_000_000 + i;
      const { expected, wrong } = check(seed);
      if (wrong !== null) failures.push(wrong);
      lines += expected.length;
      const end = /^uncaught (\w+)/.exec(expected.at(-1) ?? '')?.[1] ?? 'none';
      uncaught.set(end, (uncaught.get(end) ?? 0) + 1);
    }
    t.comment(
      `${COUNT} programs, ${lines} lines; uncaught errors: ${[...uncaught].map(([type, count]) => `${type} ${count}`).join(', ')}`,
    );
    t.strictSame(
      failures.slice(0, MAX_FAILURES),
      [],
      `${failures.length} of ${COUNT} programs differ from their twins`,
    );
    t.ok(COUNT < 100 || (uncaught.get('none') ?? 0) > COUNT / 3, 'many programs end without an error');
  });
}
