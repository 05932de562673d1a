import t from 'tap';
import type { Linked } from '../../../vm/fibers/linkedlist.js';
import { WaitingLine } from '../../../vm/fibers/waitingline.js';
import fc from '../../property.js';

class Waiter implements Linked<Waiter> {
  older: Waiter | null = null;
  younger: Waiter | null = null;

  constructor(
    readonly name: string,
    readonly context: object | null,
  ) {}
}

const [A, B] = [{}, {}];

function taken(line: WaitingLine<Waiter>): string {
  const names: string[] = [];
  for (let next = line.next(); next !== null; next = line.next()) names.push(next.name);
  return names.join(' ');
}

t.test('contexts take turns, and those of one keep their order', async (t) => {
  const line = new WaitingLine<Waiter>();
  for (const name of ['a1', 'a2', 'a3', 'a4']) line.add(new Waiter(name, A));
  line.add(new Waiter('none', null));
  line.add(new Waiter('b1', B));
  line.add(new Waiter('b2', B));
  t.equal(line.length, 7);
  t.equal(taken(line), 'a1 none b1 a2 b2 a3 a4');
  t.equal(line.length, 0);
  t.equal(line.next(), null);
});

t.test('who comes later is next after those of the others that have had a turn', async (t) => {
  const line = new WaitingLine<Waiter>();
  for (const name of ['a1', 'a2', 'a3']) line.add(new Waiter(name, A));
  t.equal(line.next()?.name, 'a1');
  line.add(new Waiter('b1', B));
  t.equal(taken(line), 'a2 b1 a3');
});

t.test('a line that was empty works as before', async (t) => {
  const line = new WaitingLine<Waiter>();
  line.add(new Waiter('first', A));
  line.next();
  for (const name of ['a1', 'a2', 'a3']) line.add(new Waiter(name, A));
  for (const name of ['b1', 'b2']) line.add(new Waiter(name, B));
  t.equal(taken(line), 'a1 b1 a2 b2 a3');
});

t.test('anyone can leave', async (t) => {
  const line = new WaitingLine<Waiter>();
  const waiters = ['a1', 'a2', 'a3'].map((name) => new Waiter(name, A));
  const other = new Waiter('b1', B);
  for (const waiter of [...waiters, other]) line.add(waiter);
  t.same(
    [...line].map(({ name }) => name),
    ['a1', 'a2', 'a3', 'b1'],
  );
  line.leave(waiters[1]);
  line.leave(other);
  t.equal(line.length, 2);
  t.equal(taken(line), 'a1 a3');
});

t.test('all can be taken out at once', async (t) => {
  const line = new WaitingLine<Waiter>();
  for (const name of ['a1', 'a2']) line.add(new Waiter(name, A));
  line.add(new Waiter('b1', B));
  t.same(
    line.takeAll().map(({ name }) => name),
    ['a1', 'a2', 'b1'],
  );
  t.equal(line.length, 0);
  t.equal(line.next(), null);
});

t.test('nobody is lost or comes twice, whatever happens', async (t) => {
  const contexts = [A, B, {}, null];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('add', 'next', 'leave'), fc.nat(3))), (steps) => {
      const line = new WaitingLine<Waiter>();
      const inside = new Set<Waiter>();
      for (const [step, n] of steps) {
        if (step === 'add') {
          const waiter = new Waiter(String(inside.size), contexts[n]);
          line.add(waiter);
          inside.add(waiter);
        } else if (step === 'next') {
          const next = line.next();
          if (next === null ? inside.size > 0 : !inside.delete(next)) return false;
        } else {
          const found = [...inside].at(n);
          if (found === undefined) continue;
          line.leave(found);
          inside.delete(found);
        }
        if (line.length !== inside.size || [...line].some((waiter) => !inside.has(waiter))) return false;
      }
      return true;
    }),
  );
  t.pass();
});
