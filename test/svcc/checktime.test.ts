import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { check, compile } from '../../compiler/index.js';
import { libraryOf } from '../../svcc/check.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost } from '../../svcc/host.js';
import { environment } from '../../svcc/load.js';
import { ROOT } from '../spec/collect.js';

const MAX_MS = 300;
const LINES = 1000;

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

t.test('a program of a thousand lines is checked in a fraction of a second', async (t) => {
  const text = longProgram();
  const vm = createVm(nodeHost({ stdout: () => {}, stderr: () => {} }), { process: { args: [], env: {} } });
  const env = { ...environment(nativeNames(vm), 'long.svc'), ...libraryOf(vm) };
  t.strictSame(compile('long.svc', text, env).diagnostics, [], 'it compiles');
  const spent = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    const { diagnostics } = check('long.svc', text, env);
    const { user, system } = process.cpuUsage(before);
    t.ok(diagnostics.length > 50, 'its mistakes are found');
    return (user + system) / 1000;
  });
  const best = Math.min(...spent);
  t.ok(best < MAX_MS, `${best.toFixed(0)} ms of processor time`);
});
