import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { bundledSvcc } from '../bundle.js';

const run = promisify(execFile);
/** A function is compiled, then the program goes on until the launcher has set the options for hot programs. */
const HOT = 'def f(n) n + 1 end\n100.times { |i| f(i) }\nsleep(0.1)\n';
/** Loads the engines for regexes after a function was compiled. */
const THEN_LOADS = `${HOT}puts ("a" * 100_000).match?(/(a|ab)*c/)\n`;
const IS_KNOWN_V8 = process.versions.v8.startsWith('11.');

/** The budgets that V8 is given while a program runs, in order; negative where it may choose the old space for new objects. */
async function budgets(t: Test, program: string, ...options: string[]): Promise<number[]> {
  const folder = t.testdir({
    'program.svc': program,
    'note.cjs':
      "const v8 = require('node:v8');\nconst set = v8.setFlagsFromString;\nv8.setFlagsFromString = (flag) => { process.stderr.write(`${flag}\\n`); set(flag); };\n",
  });
  const args = [
    '--require',
    join(folder, 'note.cjs'),
    ...options,
    await bundledSvcc(),
    'run',
    join(folder, 'program.svc'),
  ];
  const { stderr } = await run(process.execPath, args);
  return [...stderr.matchAll(/^--interrupt-budget=(\d+) (--(?:no-)?allocation-site-pretenuring)$/gm)].map(
    ([, units, other]) => (other.startsWith('--no-') ? Number(units) : -Number(units)),
  );
}

t.test('V8 waits longer once a function is hot', async (t) => {
  t.strictSame(await budgets(t, 'sleep(0.1)\n'), []);
  t.strictSame(await budgets(t, HOT), IS_KNOWN_V8 ? [150_000] : []);
});

t.test('modules are loaded with the usual option, for which their code is cached', async (t) => {
  const values = await budgets(t, THEN_LOADS);
  t.equal(values.length > 1, IS_KNOWN_V8);
  t.ok(
    values.every((units, i) => units === (i % 2 === 0 ? 150_000 : -67_584)),
    values.join(' '),
  );
  t.equal(values.length % 2, IS_KNOWN_V8 ? 1 : 0);
});

t.test("a user's own value stays", async (t) => {
  t.strictSame(await budgets(t, HOT, '--interrupt-budget=100000'), []);
});
