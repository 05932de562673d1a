import t from 'tap';
import { collect } from '../collect.js';
import { median } from '../../bench/shared/stats.js';
import { Rows } from '../../natives/data/values.js';
import type { SqlValue } from '../../natives/data/driver.js';
import { finish } from '../../vm/values/steps.js';

const COUNT = 40;
const COLUMNS = ['id', 'name'];
const ROWS = 100;
/** Bytes that may be left of each result; its rows take ten times as much. */
const BOUND = 2000;

function rowsOf(result: number): SqlValue[][] {
  return Array.from({ length: ROWS }, (_, i) => [BigInt(i), `name ${result * ROWS + i}`]);
}

/** A statement that waits for its answer: what gathers its rows, and the promise of its result, which holds the pieces. */
interface Waiting {
  rows: Rows;
  pieces: SqlValue[][][];
}

/** Answers statements, whose rows nobody needs after that. @param early whether the rows are taken over as they arrive */
function answer(waiting: readonly Waiting[], early: boolean): number {
  let rows = 0;
  for (const [i, { rows: sink, pieces }] of waiting.entries()) {
    if (early) {
      sink.begin(COLUMNS);
      sink.add(rowsOf(i));
    } else pieces.push(rowsOf(i));
    rows += finish<unknown[]>(sink.all({ columns: COLUMNS, pieces, changes: 0, lastId: null })).length;
  }
  return rows;
}

function bytesLeft(early: boolean): number {
  const waiting: Waiting[] = Array.from({ length: COUNT }, () => ({ rows: new Rows(), pieces: [] }));
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  if (answer(waiting, early) !== COUNT * ROWS) throw new Error('rows are missing');
  for (let i = 0; i < 2; i++) collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before) / COUNT;
}

for (const early of [false, true])
  t.test(`rows that a statement waited for are young: ${early ? 'taken over' : 'from the result'}`, async (t) => {
    // Some rounds compile, and in some V8 collects in between.
    const rounds = Array.from({ length: 7 }, () => Math.round(bytesLeft(early)));
    t.ok(median(rounds) < BOUND, 'no row is left');
    t.comment(`bytes left of each result: ${rounds.join(', ')}`);
  });
