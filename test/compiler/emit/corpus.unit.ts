import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { disassemble } from '../../../vm/bytecode/disassemble.js';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import { compileText } from '../../vm/support/machine.js';
import { corpus } from '../../vm/support/corpus.js';

const { compiled, refused } = corpus();

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
  t.ok(compiled.length > 300);
  t.strictSame(
    refused.filter((path) => path.startsWith('examples/')),
    [],
    'all examples compile',
  );
});

t.test('the same text gives the same program', async (t) => {
  for (const { path, program } of compiled.filter((_, i) => i % 15 === 0)) {
    t.ok(isDeepStrictEqual(compileText(program.sources[0].text as string, path).program, program), path);
  }
});
