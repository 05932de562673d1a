import t from 'tap';
import { run } from '../support/machine.js';

/** Calls after which functions are compiled, and the length of slices. */
interface Way {
  jit: number;
  slice: number;
}

/** Suspended anywhere and nowhere. What is compiled at the first call has seen nothing yet. */
const WAYS: readonly Way[] = [0, 1, 2, 7].flatMap((slice) => [0, 1, 2, 3, 5, 10, 30].map((jit) => ({ jit, slice })));

/** `SVC_ONLY=text` leaves out the programs whose name does not contain the text. */
const { SVC_ONLY = '' } = process.env;

/** Adds a test for each program: what it prints compiled, entered in the middle and suspended anywhere is what it prints interpreted. */
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
    });
  }
}
