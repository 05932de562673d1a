import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { disassemble } from '../../../vm/bytecode/disassemble.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import { compileText } from '../../vm/support/machine.js';
import { corpus } from '../../vm/support/corpus.js';

/** Every program of STRIDE is checked; with SVC_LONG=1 all are. Linking verifies a program, too, whenever it runs. */
const STRIDE = process.env.SVC_LONG === '1' ? 1 : 4;
const { compiled, refused } = corpus(STRIDE);

t.test('what the compiler writes passes the verifier', async (t) => {
  const failures: string[] = [];
  for (const { path, program } of compiled) {
    try {
      verifyProgram(program);
      disassemble(program);
    } catch (error) {
      failures.push(`${path}: ${String(error)}`);
    }
  }
  t.strictSame(failures, []);
  t.comment(`${compiled.length} programs, ${refused.length} do not compile on their own`);
  t.ok(compiled.length > 800 / STRIDE);
  // Files of an application need each other; the application's own tests compile them together.
  t.strictSame(
    refused.filter((path) => /^examples\/[^/]+$/.test(path)),
    [],
    'all examples compile',
  );
});

t.test('compiling a text twice returns equal programs', async (t) => {
  for (const { path, program } of compiled.filter((_, i) => i % 4 === 0)) {
    t.ok(isDeepStrictEqual(compileText(program.sources[0].text as string, path).program, program), path);
  }
});
