import t from 'tap';
import { FairQueue } from '../../../vm/fibers/fairqueue.js';
import { Fiber } from '../../../vm/fibers/fiber.js';
import type { Frame } from '../../../vm/fibers/frame.js';
import { RunQueue } from '../../../vm/fibers/runqueue.js';
import { cpuTime } from '../../clock.js';
import fc from '../../property.js';
import { settings } from '../support/values.js';

/** Contexts of the fibers of a test. */
const CONTEXTS = [null, {}, {}, {}];

function fiberIn(context: number): Fiber {
  const fiber = new Fiber(0, 'fiber', {} as Frame, 0);
  fiber.context = CONTEXTS[context];
  return fiber;
}

/** What is done to a queue: mostly fibers come. The number stands for a context or an index. */
const actions = (count: number): fc.Arbitrary<[string, number][]> =>
  fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 12, arbitrary: fc.constant('push') },
        { weight: 3, arbitrary: fc.constant('shift') },
        { weight: 1, arbitrary: fc.constant('take') },
        { weight: 1, arbitrary: fc.constant('remove') },
      ),
      fc.nat(1000),
    ),
    { maxLength: count, size: 'max' },
  );

/**
 * Does `steps` to a queue and to a vector. Returns whether the queue has the same fibers at any time, and gives a fiber that
 * `isNext` accepts.
 */
function agrees(
  queue: RunQueue<Fiber> | FairQueue<Fiber>,
  steps: [string, number][],
  isNext: (fiber: Fiber, waiting: readonly Fiber[]) => boolean,
): boolean {
  const waiting: Fiber[] = [];
  const takeOut = (fiber: Fiber): boolean => waiting.splice(waiting.indexOf(fiber), 1)[0] === fiber;
  const shift = (): boolean => {
    const fiber = queue.shift();
    return fiber === undefined ? waiting.length === 0 : isNext(fiber, waiting) && takeOut(fiber);
  };
  for (const [name, number] of steps) {
    if (name === 'push') {
      const fiber = fiberIn(number % CONTEXTS.length);
      queue.push(fiber);
      waiting.push(fiber);
    } else if (name === 'shift') {
      if (!shift()) return false;
    } else if (waiting.length > 0) {
      const fiber = waiting[number % waiting.length];
      if (name === 'take') {
        const taken = queue.take(number % waiting.length);
        if (!waiting.includes(taken) || !takeOut(taken)) return false;
      } else if (!queue.remove(fiber) || !takeOut(fiber) || queue.remove(fiber)) return false;
    }
    if (queue.length !== waiting.length) return false;
  }
  while (waiting.length > 0) if (!shift()) return false;
  return queue.shift() === undefined;
}

t.test('a run queue gives fibers in the order in which they came', async (t) => {
  fc.assert(
    fc.property(actions(60), (steps) => agrees(new RunQueue<Fiber>(), steps, (fiber, waiting) => fiber === waiting[0])),
    settings(500),
  );
  const queue = new RunQueue<Fiber>();
  const fibers = [0, 1, 2, 3].map(fiberIn);
  for (const fiber of fibers.slice(0, 3)) queue.push(fiber);
  t.equal(queue.shift(), fibers[0]);
  queue.push(fibers[3]);
  t.equal(queue.take(1), fibers[2], 'the index counts from the next one');
  t.equal(queue.take(0), fibers[1]);
});

t.test('a fair queue gives those of a context in the order in which they came', async (t) => {
  fc.assert(
    fc.property(actions(400), (steps) =>
      agrees(
        new FairQueue<Fiber>(64),
        steps,
        (fiber, waiting) => fiber === waiting.find(({ context }) => context === fiber.context),
      ),
    ),
    settings(200),
  );
  t.pass('for random actions');
});

t.test('a fair queue in which few wait gives them in the order in which they came', async (t) => {
  fc.assert(
    fc.property(actions(60), (steps) =>
      agrees(new FairQueue<Fiber>(64), steps, (fiber, waiting) => fiber === waiting[0]),
    ),
    settings(300),
  );
  t.pass('for random actions');
});

t.test('while many wait, contexts take turns', async (t) => {
  const queue = new FairQueue<Fiber>(64);
  for (let n = 0; n < 1000; n++) queue.push(fiberIn(1));
  for (const context of [2, 3, 3]) queue.push(fiberIn(context));
  const contexts = Array.from({ length: 7 }, () => CONTEXTS.indexOf(queue.shift()!.context));
  t.strictSame(contexts, [1, 2, 3, 1, 3, 1, 1]);
  queue.push(fiberIn(2));
  t.strictSame(
    Array.from({ length: 3 }, () => CONTEXTS.indexOf(queue.shift()!.context)),
    [1, 2, 1],
  );
});

t.test('each fiber can be taken out of a long queue in little time', async (t) => {
  const fibers = Array.from({ length: 20_000 }, (_, i) => {
    const fiber = fiberIn(0);
    fiber.context = { request: i >> 1 };
    return fiber;
  });
  let removed = 0;
  const taken = cpuTime(() => {
    const queue = new FairQueue<Fiber>(64);
    for (const fiber of fibers) queue.push(fiber);
    removed = [...fibers].reverse().filter((fiber) => queue.remove(fiber)).length;
  });
  t.equal(removed, fibers.length);
  t.ok(taken < 1000, `${taken} ms of processor time`);
});

t.test('a context whose last fiber is taken out has no turn', async (t) => {
  for (const name of ['take', 'remove']) {
    const queue = new FairQueue<Fiber>(64);
    const last = fiberIn(2);
    queue.push(fiberIn(1));
    queue.push(last);
    for (let n = 0; n < 99; n++) queue.push(fiberIn(1));
    if (name === 'take') t.equal(queue.take(100), last);
    else queue.remove(last);
    const contexts = Array.from({ length: 100 }, () => queue.shift()?.context);
    t.strictSame(new Set(contexts), new Set([CONTEXTS[1]]), name);
  }
});
