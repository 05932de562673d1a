import t from 'tap';
import { cpuTime } from '../../../clock.js';
import { finish } from '../../../../vm/values/steps.js';
import { SvcError } from '../../../../vm/values/error.js';
import { compileRegex, eachInSteps, searchesAtOnce, searchInSteps } from '../../../../vm/values/regex/index.js';
import { EVIL } from './evil.js';

/** Characters of the texts: more with SVC_LONG=1. An expression that is not bounded takes minutes for each. */
const LENGTH = process.env.SVC_LONG === '1' ? 1 << 20 : 1 << 19;
/** Maximum milliseconds of one step. */
const MOST_MS = 20;
/** Maximum ratio of the times for a text and for its half. */
const MOST_GROWTH = 3.5;

interface Cost {
  /** Number of matches, or the message of the error. */
  result: number | string;
  /** Milliseconds of processor time. */
  total: number;
  longest: number;
}

/** Searches for all matches. `clock` measures each step, in milliseconds. */
function searched(source: string, text: string, clock = (): number => performance.now()): Cost {
  let count = 0;
  let longest = 0;
  let result: number | string = 0;
  const total = cpuTime(() => {
    try {
      const steps = eachInSteps(compileRegex(source, ''), text, () => count++);
      for (let before = clock(), done = false; !done;) {
        done = steps.next().done === true;
        const now = clock();
        longest = Math.max(longest, now - before);
        before = now;
      }
      result = count;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      result = error.value.message;
    }
  });
  return { result, total, longest };
}

/** Processor time of all threads of the process, in milliseconds. Reading it takes longer than reading the clock. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

t.test('no step in a long text takes long, and time grows with the text', async (t) => {
  for (const [source, make] of EVIL) {
    const [half, whole] = [make(LENGTH / 2), make(LENGTH)];
    let { longest, total } = searched(source, whole);
    // Other processes delay a step; collections of garbage and compilers run in other threads of this one.
    for (let i = 0; i < 4 && longest >= MOST_MS; i++)
      longest = Math.min(longest, searched(source, whole, processorMs).longest);
    t.ok(longest < MOST_MS, `${source}: ${longest.toFixed(1)} ms`);
    // Back-references and lookaround may take longer.
    if (/\\1|\(\?[=!<]/.test(source)) continue;
    let growth = (total + 5) / (searched(source, half).total + 5);
    for (let i = 0; i < 3 && growth > MOST_GROWTH; i++) {
      ({ total } = searched(source, whole));
      growth = Math.min(growth, (total + 5) / (searched(source, half).total + 5));
    }
    t.ok(growth <= MOST_GROWTH, `${source}: ${growth.toFixed(1)}`);
  }
});

t.test('searches whose states cannot be stored have a limit', async (t) => {
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
