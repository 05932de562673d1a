import t from 'tap';
import { compile } from '../../compiler/index.js';
import { COUNTERS } from '../../natives/testing/coverage.js';
import { createVm, nativeNames } from '../../svcc/fullvm.js';
import { nodeHost, processStreams } from '../../svcc/host.js';
import { execute } from '../../svcc/execute.js';
import { environment } from '../../svcc/load.js';
import { countsOf, linesOf } from '../../svcc/test/coverage/merge.js';
import { expected, PROGRAMS } from './testing/counted.js';

/** What a program counts, in the form of `expected`. */
async function counted(name: string, text: string, jit: number | null): Promise<Record<string, string>> {
  const vm = createVm(nodeHost({ ...processStreams(), stdout: () => {} }), { jit, process: { args: [], env: {} } });
  const path = `${name}.svc`;
  const { program, coverage } = compile(path, text, { ...environment(nativeNames(vm), path), coverage: true });
  await execute(vm, program!);
  const [counts] = countsOf(coverage, COUNTERS.of(vm));
  const lines = new Map([...linesOf(counts)].map(([line, count]) => [line, `${count}`]));
  for (const { line, arms } of counts.branches)
    lines.set(line, `${lines.get(line) ?? '-'} | ${arms.map(({ count }) => count).join(' ')}`);
  return Object.fromEntries([...lines].sort(([a], [b]) => a - b).map(([line, row]) => [`${line}`, row]));
}

for (const [name, text] of Object.entries(PROGRAMS))
  t.test(name, async (t) => {
    t.strictSame(await counted(name, text, null), expected(text), 'interpreted');
    t.strictSame(await counted(name, text, 0), expected(text), 'compiled');
  });
