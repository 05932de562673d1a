import t from 'tap';
import { finish } from '../../../../vm/values/steps.js';
import { SvcError } from '../../../../vm/values/error.js';
import { compileRegex, eachInSteps, searchesAtOnce, searchInSteps } from '../../../../vm/values/regex/index.js';
import { EVIL } from './evil.js';

const MEGABYTE = 1 << 20;
/** Processor time in ms that one step may take, of all the process's threads. */
const MOST_MS = 20;
/** How much longer twice the text may take. */
const MOST_GROWTH = 3.5;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Searches for all matches: their number or the error, processor time in ms, that of the longest step. */
function searched(source: string, text: string): { result: number | string; total: number; longest: number } {
  let count = 0;
  let longest = 0;
  const begun = cpuMs();
  try {
    const steps = eachInSteps(compileRegex(source, ''), text, () => count++);
    for (let before = begun, done = false; !done;) {
      done = steps.next().done === true;
      const now = cpuMs();
      longest = Math.max(longest, now - before);
      before = now;
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { result: error.value.message, total: cpuMs() - begun, longest };
  }
  return { result: count, total: cpuMs() - begun, longest };
}

t.test('no step of a search in a megabyte takes long', async (t) => {
  for (const [source, make] of EVIL) {
    const text = make(MEGABYTE);
    let { longest } = searched(source, text);
    // Collections of garbage and compilers run in other threads of the process, and count.
    for (let i = 0; i < 3 && longest >= MOST_MS; i++) longest = Math.min(longest, searched(source, text).longest);
    t.ok(longest < MOST_MS, `${source}: ${longest.toFixed(1)} ms`);
  }
});

t.test('time grows with the text, without back-references and lookaround', async (t) => {
  for (const [source, make] of EVIL) {
    if (/\\1|\(\?[=!<]/.test(source)) continue;
    const [half, whole] = [make(MEGABYTE / 2), make(MEGABYTE)];
    let growth = Infinity;
    for (let i = 0; i < 4 && growth > MOST_GROWTH; i++)
      growth = Math.min(growth, (searched(source, whole).total + 5) / (searched(source, half).total + 5));
    t.ok(growth <= MOST_GROWTH, `${source}: ${growth.toFixed(1)}`);
  }
});

t.test('what cannot be remembered has a limit', async (t) => {
  for (const source of ['(a*)*\\1b', '^(a+)+\\1$'])
    t.match(searched(source, `${'a'.repeat(100_000)}c`).result, /takes too long: with back-references/, source);
});

t.test('the interface of the interpreter', async (t) => {
  for (const [source, text, at] of [
    ['(a+)+b', 'a'.repeat(50_000), -1],
    ['\\w+:', `${'a'.repeat(9)} ${'b'.repeat(5000)}:`, 10],
  ] as const) {
    const regex = compileRegex(source, '');
    t.equal(searchesAtOnce(regex, text), false);
    t.equal(finish(searchInSteps(regex, text)), at);
  }
  t.equal(searchesAtOnce(compileRegex('\\d+-\\d+', ''), '1-2'), true);
});
