import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { Intake } from '../../natives/bus/intake.js';

const QUARTER = 256 * 1024;

/** An intake whose receivers are behind while `isBehind`. */
function intake(): {
  state: { isBehind: boolean; then: (() => void) | null };
  passed: number[];
  holds: boolean[];
  add(from: number, to: number, characters: number): void;
} {
  const state = { isBehind: false, then: null as (() => void) | null };
  const [passed, holds]: [number[], boolean[]] = [[], []];
  const one = new Intake(
    (then) => {
      if (state.isBehind) state.then = then;
      else then();
    },
    (isFull) => holds.push(isFull),
  );
  const add = (from: number, to: number, characters: number): void => {
    for (let i = from; i < to; i++) one.add(characters, () => passed.push(i));
  };
  return { state, passed, holds, add };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

t.test('messages pass at once, up to a quarter of a megabyte in each turn', async (t) => {
  const { passed, holds, add } = intake();
  add(0, 10, 1000);
  t.strictSame(passed, numbers(10));
  await nextTurn();
  passed.length = 0;
  add(0, 8, QUARTER / 2);
  t.strictSame(passed, numbers(2));
  for (let most = 4; passed.length < 8; most += 2) {
    await nextTurn();
    t.ok(passed.length <= most, `${passed.length} of at most ${most}`);
  }
  t.strictSame([passed, holds], [numbers(8), []]);
});

t.test('what arrives while receivers are behind waits, also if nothing has waited before', async (t) => {
  const { state, passed, add } = intake();
  state.isBehind = true;
  add(0, 1, 4 * QUARTER);
  await nextTurn();
  add(1, 2, 4 * QUARTER);
  t.strictSame(passed, [0]);
  state.isBehind = false;
  state.then?.();
  t.strictSame(passed, [0, 1]);
});

t.test('the driver reads no further while much waits', async (t) => {
  const { state, passed, holds, add } = intake();
  state.isBehind = true;
  add(0, 12, QUARTER);
  await nextTurn();
  t.strictSame([passed, holds], [[0], [true]]);
  state.isBehind = false;
  state.then?.();
  for (let i = 0; i < 20; i++) await nextTurn();
  add(12, 13, 1);
  t.strictSame([passed, holds], [numbers(13), [true, false]]);
});

t.test('all are passed on, in order, when the driver reads further nevertheless', async (t) => {
  const { state, passed, add } = intake();
  state.isBehind = true;
  add(0, 40, QUARTER);
  t.ok(passed.length > 30);
  t.strictSame(passed, numbers(passed.length));
  state.isBehind = false;
  state.then?.();
  for (let i = 0; i < 40; i++) await nextTurn();
  t.strictSame(passed, numbers(40));
});
