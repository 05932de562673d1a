import t from 'tap';
import { run } from '../support/machine.js';

/** Adds a test for each program: what it prints compiled, entered in the middle and suspended anywhere is what it prints interpreted. */
export function testCompiled(programs: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(programs)) {
    t.test(name, async (t) => {
      const expected = run(text, { jit: null });
      t.strictSame(expected.errors, []);
      t.not(expected.lines.length, 0);
      for (const slice of [0, 1, 2, 7]) {
        // What is compiled at the first call has seen nothing yet.
        for (const jit of [0, 1, 2, 3, 5, 10, 30]) {
          const { lines, errors } = run(text, { slice, jit });
          t.strictSame({ lines, errors }, { lines: expected.lines, errors: [] }, `slice ${slice}, JIT ${jit}`);
        }
      }
    });
  }
}
