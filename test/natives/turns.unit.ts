import t from 'tap';
import { Turns } from '../../natives/turns.js';
import { controllerFor } from '../../vm/fibers/operations.js';

t.test('turns', async (t) => {
  const turns = new Turns(2);
  const { signal } = new AbortController();
  let running = 0;
  let most = 0;
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      turns
        .run(async () => {
          order.push(i);
          most = Math.max(most, ++running);
          await new Promise((done) => setTimeout(done, 1));
          running--;
          if (i === 3) throw new Error('three');
        }, signal)
        .catch(({ message }: Error) => t.equal(message, 'three')),
    ),
  );
  t.equal(most, 2, 'two at once');
  t.same(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'in their order');

  let release = (): void => {};
  const held = [
    turns.run(() => new Promise<void>((done) => (release = done)), signal),
    turns.run(() => new Promise<void>(() => {}), signal),
  ];
  const aborted = new AbortController();
  const left = turns.run(async () => t.fail('aborted before its turn'), aborted.signal);
  const next = turns.run(async () => 'next', signal);
  aborted.abort();
  await t.rejects(left);
  release();
  t.equal(await next, 'next');
  await held[0];
  await t.rejects(
    turns.run(async () => {}, aborted.signal),
    'aborted from the start',
  );
  t.equal(await turns.run(async () => 'free', signal), 'free');
});

t.test('requests take turns', async (t) => {
  const turns = new Turns(1);
  const order: string[] = [];
  const [first, second] = [{}, {}];
  const run = (name: string, context: object | null): Promise<void> =>
    turns.run(async () => void order.push(name), controllerFor(context).signal);
  let release = (): void => {};
  const holding = turns.run(() => new Promise<void>((done) => (release = done)), controllerFor(null).signal);
  const all = [
    run('a1', first),
    run('a2', first),
    run('a3', first),
    run('b1', second),
    run('alone', null),
    run('b2', second),
  ];
  release();
  await Promise.all([holding, ...all]);
  t.same(order, ['a1', 'b1', 'alone', 'a2', 'b2', 'a3']);
});

t.test('an operation that fails gives its turn to the next one', async (t) => {
  const turns = new Turns(1);
  const { signal } = new AbortController();
  await t.rejects(
    turns.run(() => Promise.reject(new Error('fails')), signal),
    { message: 'fails' },
  );
  t.equal(await turns.run(async () => 'next', signal), 'next');
});

t.test('a turn that is taken ends once', async (t) => {
  const turns = new Turns(1);
  const { signal } = new AbortController();
  const over = await turns.take(signal);
  const started: number[] = [];
  const others = [0, 1].map((i) =>
    turns.run(() => {
      started.push(i);
      return new Promise<void>(() => {});
    }, signal),
  );
  over();
  over();
  await Promise.race([...others, new Promise((done) => setImmediate(done))]);
  t.same(started, [0]);
  t.throws(() => turns.take(AbortSignal.abort()), { name: 'AbortError' });
});
