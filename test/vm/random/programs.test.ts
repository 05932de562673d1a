import t from 'tap';
import { seedFrom } from '../support/random.js';
import { type Behaviour, difference, runSvc, runTwin } from './compare.js';
import { LARGE, type RandomProgram, randomProgram, SMALL } from './generator.js';

/*
 * Random programs against their JavaScript twins, with the usual slice and with very short ones, interpreted and compiled: nine modes.
 * Parsing and compiling take nearly all the time, and both grow with the text. So most programs are small (some 80 lines) and run in three of the
 * modes, each kind of slice and each way of compiling once; of three programs in a row every mode has one. Each twentieth is large (some
 * 340 lines, deeper, with calls of one function from another) and runs in all nine.
 *   SVC_SEED=7 npx tap test/vm/random/programs.test.ts                    another seed
 *   SVC_PROGRAMS=20000 node --import=tsx test/vm/random/programs.test.ts  a long search
 *   SVC_SHOW=1234 node --import=tsx test/vm/random/programs.test.ts       prints program 1234 and its twin
 * With SVC_LONG=1 all programs are large and run in all modes.
 */
const SEED = seedFrom('SVC_SEED', 1);
const COUNT = seedFrom('SVC_PROGRAMS', 2000);
const SHOW = process.env.SVC_SHOW;
const ALL_LARGE = process.env.SVC_LONG === '1';
const LARGE_EACH = 20;
/** Besides the usual slice and a suspension at every safepoint: one of these in turn. */
const LONGER = [2, 3, 7];
/** Besides interpreted and compiled at once: after so many calls in turn, at most. */
const MOST_CALLS = 9;
/** More would hardly be read. */
const MAX_FAILURES = 10;

function isLarge(seed: number): boolean {
  return ALL_LARGE || seed % LARGE_EACH === 0;
}

function programFor(seed: number): RandomProgram {
  return randomProgram(seed, isLarge(seed) ? LARGE : SMALL);
}

/** The modes of a program: what differs within a kind of slice or a way of compiling turns more slowly than the pairs of both, so that they all meet. */
function modesFor(seed: number): { slice: number; jit: number | null }[] {
  const slices = [0, 1, LONGER[Math.floor(seed / 3) % LONGER.length]];
  const ways = [null, 0, 1 + (Math.floor(seed / 9) % MOST_CALLS)];
  const all = slices.flatMap((slice, i) => ways.map((jit, k) => ({ slice, jit, isTurn: (i + k) % 3 === seed % 3 })));
  return isLarge(seed) ? all : all.filter(({ isTurn }) => isTurn);
}

/** What program `seed` should do, and how a run differs from that, or null. */
function check(seed: number): { expected: Behaviour; wrong: string | null } {
  const program = programFor(seed);
  const expected = runTwin(program);
  for (const { slice, jit } of modesFor(seed)) {
    const differs = difference(expected, runSvc(program, slice, jit));
    if (differs !== null) return { expected, wrong: `program ${seed}, slice ${slice}, JIT ${jit}, ${differs}` };
  }
  return { expected, wrong: null };
}

if (SHOW !== undefined) {
  const { svc, js } = programFor(Number(SHOW));
  console.log(`${svc}\n# The twin:\n${js.replaceAll(/^/gm, '# ')}`);
} else {
  t.setTimeout(0);
  t.test(`${COUNT} random programs from seed ${SEED} on`, async (t) => {
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
    t.ok(COUNT < 100 || (uncaught.get('none') ?? 0) > COUNT / 3, 'many programs get to their end');
  });
}
