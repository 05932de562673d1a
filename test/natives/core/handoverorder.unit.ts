import t from 'tap';
import { HandoverOrder } from '../../../natives/core/handoverorder.js';
import { shortest } from '../../clock.js';

/** As many threads as a program may have. */
const THREADS = 10_000;

t.test('what thousands of threads give back keeps its order, and takes no long time', async (t) => {
  const numbers = Array.from({ length: THREADS }, (_, i) => i);
  const shuffled = numbers.map((i) => (i * 7919) % THREADS);
  for (const [name, returned] of Object.entries({ numbers, reversed: [...numbers].reverse(), shuffled })) {
    let queue: number[] = [];
    const ms = shortest(() => {
      const order = new HandoverOrder();
      for (const _ of numbers) order.next();
      queue = [];
      for (const number of returned) order.giveBack(queue, number, number);
    });
    t.strictSame(queue, numbers, name);
    t.ok(ms < 100, `${name}: ${ms.toFixed(0)} ms`);
  }
});
