import t from 'tap';
import { TestSession } from './session.js';

/** Milliseconds of processor time within which an input must be answered. */
const LIMIT_MS = 30;

t.test('an input takes little time, also late in a long session', async (t) => {
  const session = new TestSession();
  // The compiler's own code is compiled by the first inputs.
  for (let i = 0; i < 500; i++) await session.take(`v${i} = ${i}`, `def f${i}(x) = x + v${i}`);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const before = process.cpuUsage();
    await session.take(`f${i}(1) + v400`);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  // Garbage collections add to single ones.
  const middle = times.sort((a, b) => a - b)[10];
  t.ok(middle < LIMIT_MS, 'processor time', { middle });
  await session.end();
});
