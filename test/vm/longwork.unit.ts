import t from 'tap';
import { LongWork } from '../../vm/fibers/longwork.js';
import { FakeHost } from './support/host.js';

/** Steps that count their runs. */
function* counted(counts: number[], id: number, steps: number): Generator<void, number, void> {
  for (let i = 0; i < steps; i++) {
    counts[id]++;
    yield;
  }
  return id;
}

t.test('cancelled long work takes no more steps; other work continues in turn', async (t) => {
  const host = new FakeHost();
  const work = new LongWork(host, true);
  const counts = [0, 0, 0];
  const ended: unknown[] = [];
  const drops = counts.map((_, id) =>
    work.goOn(
      counted(counts, id, 5),
      null,
      (value) => ended.push(value),
      () => t.fail('no error'),
    ),
  );
  for (let n = 0; n < 6; n++) host.turn();
  t.strictSame(counts, [2, 2, 2], 'one piece in each turn, one after the other');
  drops[1]();
  host.settle();
  t.strictSame(counts, [5, 2, 5]);
  t.strictSame(ended, [0, 2]);
  drops[0]();
  t.notOk(host.turn(), 'nothing is left');
});

t.test('contexts take turns, however much work each of them has', async (t) => {
  const host = new FakeHost();
  const work = new LongWork(host, true);
  const counts = [0, 0, 0, 0, 0];
  const ended: unknown[] = [];
  const [many, one] = [{}, {}];
  for (const id of counts.keys())
    work.goOn(
      counted(counts, id, 4),
      id < 4 ? many : one,
      (value) => ended.push(value),
      () => t.fail('no error'),
    );
  for (let n = 0; n < 8; n++) host.turn();
  t.strictSame(counts, [1, 1, 1, 1, 4]);
  for (let n = 0; n < 2; n++) host.turn();
  t.strictSame(ended, [4]);
  host.settle();
  t.strictSame([...ended].sort(), [0, 1, 2, 3, 4]);
});
