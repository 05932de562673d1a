import t from 'tap';
import { Fiber } from '../../../vm/fibers/fiber.js';
import type { Frame } from '../../../vm/fibers/frame.js';
import { RunQueue } from '../../../vm/fibers/runqueue.js';
import fc from '../../property.js';
import { settings } from '../support/values.js';

t.test('a run queue gives what a vector would', async (t) => {
  const action = fc.oneof(
    { weight: 5, arbitrary: fc.constant('push' as const) },
    { weight: 3, arbitrary: fc.constant('shift' as const) },
    { weight: 1, arbitrary: fc.constant('take' as const) },
    { weight: 1, arbitrary: fc.constant('remove' as const) },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(action, fc.nat(50)), { maxLength: 60 }), (actions) => {
      const queue = new RunQueue();
      const model: Fiber[] = [];
      let last = new Fiber(0, 'fiber', {} as Frame, 0);
      for (const [name, number] of actions) {
        if (name === 'push') {
          last = new Fiber(number, 'fiber', {} as Frame, 0);
          queue.push(last);
          model.push(last);
        } else if (name === 'shift') {
          if (queue.shift() !== model.shift()) return false;
        } else if (model.length > 0) {
          const at = number % model.length;
          const [expected] = model.splice(at, 1);
          if (name === 'take' ? queue.take(at) !== expected : !queue.remove(expected) || queue.remove(expected))
            return false;
        }
        if (queue.length !== model.length) return false;
      }
      return model.every((fiber) => queue.shift() === fiber) && queue.shift() === undefined;
    }),
    settings(500),
  );
  t.pass('for random actions');
});
