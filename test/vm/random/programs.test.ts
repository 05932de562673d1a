import t from 'tap';
import { seedFrom } from '../support/random.js';
import { type Behaviour, difference, runSvc, runTwin } from './compare.js';
import { randomProgram } from './generator.js';

/*
 * Random programs against their JavaScript twins, with the usual slice and with very short ones.
 *   SVC_SEED=7 npx tap test/vm/random/programs.test.ts                    another seed
 *   SVC_PROGRAMS=20000 node --import=tsx test/vm/random/programs.test.ts  a long search
 *   SVC_SHOW=1234 node --import=tsx test/vm/random/programs.test.ts       prints program 1234 and its twin
 */
const SEED = seedFrom('SVC_SEED', 1);
const COUNT = seedFrom('SVC_PROGRAMS', 200);
const SHOW = process.env.SVC_SHOW;
const LONGER = [2, 3, 7];
/** Calls before a function is compiled, at most. */
const MOST_CALLS = 9;
/** More would hardly be read. */
const MAX_FAILURES = 10;

/** What program `seed` should do, and how a run differs from that, or null. */
function check(seed: number): { expected: Behaviour; wrong: string | null } {
  const program = randomProgram(seed);
  const expected = runTwin(program);
  // The usual slice, a suspension at every safepoint, and one of the others in turn; interpreted, and compiled at once or after some calls.
  for (const slice of [0, 1, LONGER[seed % LONGER.length]]) {
    for (const jit of [null, 0, 1 + (seed % MOST_CALLS)]) {
      const differs = difference(expected, runSvc(program, slice, jit));
      if (differs !== null) return { expected, wrong: `program ${seed}, slice ${slice}, JIT ${jit}, ${differs}` };
    }
  }
  return { expected, wrong: null };
}

if (SHOW !== undefined) {
  const { svc, js } = randomProgram(Number(SHOW));
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
    t.comment(`${COUNT} programs, ${lines} lines; uncaught errors: ${[...uncaught].map(([type, count]) => `${type} ${count}`).join(', ')}`);
    t.strictSame(failures.slice(0, MAX_FAILURES), [], `${failures.length} of ${COUNT} programs differ from their twins`);
    t.ok(COUNT < 100 || (uncaught.get('none') ?? 0) > COUNT / 3, 'many programs get to their end');
  });
}
