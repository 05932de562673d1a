import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { check, compile } from '../../compiler/index.js';
import { libraryOf } from '../../svcc/check.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost } from '../../svcc/host.js';
import { environment } from '../../svcc/load.js';
import { ROOT } from '../spec/collect.js';

const LINES = 1000;
/** Maximum factor between the processor time of a check and that of compiling the same program. */
const MAX_FACTOR = 8;

/** Rounds after which V8 has compiled all of it: the first ones take up to three times as long as the last. */
const UNTIL_WARM = 12;

/** Milliseconds of processor time of the fastest run of each. They run in turn, so that each is as warm as the others. */
function spent(rounds: number, ...runs: (() => void)[]): number[] {
  const least = runs.map(() => Infinity);
  for (let round = 0; round < rounds; round++)
    for (const [i, run] of runs.entries()) {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      least[i] = Math.min(least[i], (user + system) / 1000);
    }
  return least;
}

/** A function in which values that may be nil and conditions alternate. */
function manyConditions(lines: number): string {
  const parts = Array.from({ length: lines / 4 }, (_, i) => {
    const guard = `  return ${i} if c > ${i}`;
    return [`  v${i} = find(a + ${i})`, `  puts "${i}" if b`, guard, `  puts v${i}.name`].join('\n');
  });
  return `def find(id) = id > 1 ? {name: "x"} : nil\n\ndef f(a, b, c)\n${parts.join('\n')}\nend\nputs f(1, 2, 3)\n`;
}

/** A program of LINES lines: an example, with the names of its functions and variables changed in each copy. */
function longProgram(): string {
  const part = readFileSync(join(ROOT, 'spec-tests/check/nil.svc'), 'utf8');
  const uses = readFileSync(join(ROOT, 'spec-tests/check/inferred.svc'), 'utf8');
  const lines: string[] = [];
  for (let i = 0; lines.length < LINES; i++) {
    const names = [...`${part}${uses}`.matchAll(/^(?:def|record) (\w+)|^(\w+) = /gm)].map(([, a, b]) => a ?? b);
    const text = names.reduce(
      (now, name) => now.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `${name}${i}`),
      part + uses,
    );
    lines.push(...text.split('\n'));
  }
  return lines.join('\n');
}

const vm = createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), { process: { args: [], env: {} } });
const env = { ...environment(nativeNames(vm), 'long.svc'), ...libraryOf(vm) };

t.test('a program of a thousand lines is checked in less than three times the time that compiling takes', async (t) => {
  const text = longProgram();
  t.strictSame(compile('long.svc', text, env).diagnostics, [], 'it compiles');
  t.ok(check('long.svc', text, env).diagnostics.length > 50, 'its mistakes are found');
  const [checked, compiled] = spent(
    UNTIL_WARM,
    () => check('long.svc', text, env),
    () => compile('long.svc', text, env),
  );
  t.ok(checked < compiled * 3, `${checked.toFixed(0)} ms of processor time, compiling takes ${compiled.toFixed(0)} ms`);
});

t.test('nil is followed through many conditions in time that grows with the program', async (t) => {
  const [small, large] = [manyConditions(LINES), manyConditions(4 * LINES)];
  t.ok(check('f.svc', small, env).diagnostics.length > 50, 'values are found');
  const [less, more, compiled] = spent(
    3,
    () => check('f.svc', small, env),
    () => check('f.svc', large, env),
    () => compile('f.svc', large, env),
  );
  // Twice as long as the lines are more: collecting garbage takes a share of its own.
  t.ok(more < less * 4 * 2, `${less.toFixed(0)} and ${more.toFixed(0)} ms of processor time`);
  t.ok(more < compiled * MAX_FACTOR, `${more.toFixed(0)} ms, compiling takes ${compiled.toFixed(0)} ms`);
});

t.test('values that several variables may hold are followed once', (t) => {
  // Each variable reads the one before it twice: 2^60 ways from the last to the first.
  const twice = Array.from({ length: 60 }, (_, i) => `  a${i + 1} = a${i} ? a${i} : a${i}`).join('\n');
  const chain = Array.from({ length: 9000 }, (_, i) => `  b${i + 1} = b${i} or 1`).join('\n');
  const text = `def f(a0, b0)\n${twice}\n${chain}\n  a60 + b9000\nend\nputs f(1, 2)\n`;
  t.strictSame(check('f.svc', text, env).diagnostics, []);
  t.end();
});
