import t from 'tap';
import { collect } from '../../collect.js';
import { Tasks } from '../../../natives/core/tasks.js';
import { Fiber } from '../../../vm/fibers/fiber.js';
import type { Frame } from '../../../vm/fibers/frame.js';
import { Errors, errorOf } from '../../../vm/values/error.js';
import { until } from '../../patience.js';

const NO_FRAME = null as unknown as Frame;

interface Handle {
  fiber: Fiber;
}

t.test('errors of threads that nobody awaits are reported when their task is collected', async (t) => {
  const reported: string[] = [];
  const tasks = new Tasks((fiber) => void reported.push(fiber.name), true);
  const fail = (name: string): Handle => {
    const fiber = new Fiber(1, name, NO_FRAME, 0);
    const handle = { fiber };
    tasks.track(fiber, handle);
    tasks.failed(fiber, errorOf(Errors.RuntimeError, name));
    return handle;
  };
  const kept = fail('kept');
  const awaited = fail('awaited');
  tasks.awaited(awaited.fiber);
  // A function of its own, so that no register holds the task.
  (() => void fail('dropped'))();
  t.strictSame(reported, []);
  await until('the task that was dropped', () => {
    collect();
    return reported.length > 0;
  });
  t.strictSame(reported, ['dropped']);
  tasks.awaited(kept.fiber);
  tasks.flush();
  t.strictSame(reported, ['dropped'], 'errors that a thread awaited are not reported');
});

t.test('errors of threads without a task are reported at once, those with one at the end', async (t) => {
  const reported: string[] = [];
  const tasks = new Tasks((fiber) => void reported.push(fiber.name), false);
  const held = new Fiber(1, 'held', NO_FRAME, 0);
  tasks.track(held, {});
  tasks.failed(held, errorOf(Errors.RuntimeError, 'x'));
  tasks.failed(new Fiber(2, 'free', NO_FRAME, 0), errorOf(Errors.RuntimeError, 'x'));
  t.strictSame(reported, ['free']);
  tasks.flush(2);
  t.strictSame(reported, ['free'], 'only threads with larger numbers');
  tasks.flush();
  t.strictSame(reported, ['free', 'held']);
});
