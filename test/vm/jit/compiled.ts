import t from 'tap';
import { RUNS_ALL } from '../../share.js';
import { MemoryShelf, run } from '../support/machine.js';

/** Calls after which functions are compiled, and the length of slices. */
interface Way {
  jit: number;
  slice: number;
}

const JIT = [0, 1, 2, 3, 5, 10, 30];

/** Calls before compiling, by length of slices: every number is there without suspensions, and once with some. */
const USUAL = { 0: JIT, 1: [0, 2, 10], 2: [1, 5], 7: [3, 30] };
/** A share of them. */
const SHARE = { 0: [0, 10], 1: [0], 7: [3] };
const PAIRS: Readonly<Record<number, readonly number[]>> =
  process.env.SVC_LONG === '1' ? { 0: JIT, 1: JIT, 2: JIT, 7: JIT } : RUNS_ALL ? USUAL : SHARE;

/** Suspended anywhere and nowhere. Code that is compiled at the first call has no feedback yet. */
const WAYS: readonly Way[] = Object.entries(PAIRS).flatMap(([slice, jits]) =>
  jits.map((jit) => ({ jit, slice: Number(slice) })),
);

/** `SVC_ONLY=text` selects programs whose name contains the text. */
const { SVC_ONLY = '' } = process.env;

/** Adds a test for each program: compiled, entered in the middle and suspended, it must print what it prints interpreted. */
export function testCompiled(programs: Readonly<Record<string, string>>, ways = WAYS): void {
  for (const [name, text] of Object.entries(programs)) {
    if (!name.includes(SVC_ONLY)) continue;
    t.test(name, async (t) => {
      const expected = run(text, { jit: null });
      t.strictSame(expected.errors, []);
      t.not(expected.lines.length, 0);
      for (const { slice, jit } of ways) {
        const { lines, errors } = run(text, { slice, jit });
        t.strictSame({ lines, errors }, { lines: expected.lines, errors: [] }, `slice ${slice}, JIT ${jit}`);
      }
      const shelf = new MemoryShelf();
      for (const time of ['first', 'second', 'third']) {
        const { lines, errors } = run(text, { slice: 7, jit: 2, shelf });
        t.strictSame({ lines, errors }, { lines: expected.lines, errors: [] }, `the ${time} run that keeps its code`);
      }
    });
  }
}
