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
/** An option that V8 has, with the value for hot programs, its own, and one that a user sets for the same thing. */
interface Setting {
  hot: string;
  usual: string;
  own: string;
}
const PRETENURING: Setting = {
  hot: '--no-allocation-site-pretenuring',
  usual: '--allocation-site-pretenuring',
  own: '--allocation-site-pretenuring',
};
const GROWTH: Setting = {
  hot: '--semi-space-growth-factor=1',
  usual: '--semi-space-growth-factor=2',
  own: '--max-semi-space-size=8',
};
const BUDGET: Setting = {
  hot: '--interrupt-budget=150000',
  usual: '--interrupt-budget=67584',
  own: '--interrupt-budget=100000',
};
const OPTIONS = process.versions.v8.startsWith('11.') ? [BUDGET, PRETENURING, GROWTH] : [PRETENURING, GROWTH];
const HOT_VALUES = OPTIONS.map(({ hot }) => hot);
const USUAL_VALUES = OPTIONS.map(({ usual }) => usual);

/** The options that V8 is given while a program runs, in order. */
async function optionsOf(
  t: Test,
  program: string,
  { own = [], env = {} }: { own?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<string[]> {
  const folder = t.testdir({
    'program.svc': program,
    'note.cjs':
      "const v8 = require('node:v8');\nconst set = v8.setFlagsFromString;\nv8.setFlagsFromString = (flag) => { process.stderr.write(`${flag}\\n`); set(flag); };\n",
  });
  // Without the cache, the end of the process keeps no code of V8, for which it would set the usual options.
  const command = [bundledSvcc(), 'run', '--no-cache', join(folder, 'program.svc')];
  const args = ['--require', join(folder, 'note.cjs'), ...own, ...command];
  const { stderr } = await run(process.execPath, args, { env: { ...process.env, ...env } });
  return stderr.split('\n').filter((line) => line.startsWith('--'));
}

t.test('V8 gets options once a function is hot', async (t) => {
  t.strictSame(await optionsOf(t, 'sleep(0.1)\n'), []);
  t.strictSame(await optionsOf(t, HOT), HOT_VALUES);
});

t.test('modules are loaded with the usual options, for which their code is cached', async (t) => {
  const values = await optionsOf(t, THEN_LOADS);
  t.ok(values.length > HOT_VALUES.length);
  const expected: string[] = [...HOT_VALUES];
  while (expected.length < values.length) expected.push(...USUAL_VALUES, ...HOT_VALUES);
  t.strictSame(values, expected);
});

t.test("a user's own value stays", async (t) => {
  for (const { hot, own } of OPTIONS) {
    const others = HOT_VALUES.filter((value) => value !== hot);
    t.strictSame(await optionsOf(t, HOT, { own: [own] }), others);
  }
});

t.test("a user's own value in NODE_OPTIONS stays", async (t) => {
  const others = HOT_VALUES.filter((value) => value !== GROWTH.hot);
  t.strictSame(await optionsOf(t, HOT, { env: { NODE_OPTIONS: GROWTH.own } }), others);
});

t.test('the young space of a program that runs for seconds grows again', async (t) => {
  const lasting = HOT_VALUES.map((value) => (value === GROWTH.hot ? GROWTH.usual : value));
  t.strictSame(await optionsOf(t, `${HOT}sleep(2.5)\n`), [...HOT_VALUES, ...lasting]);
});
