import { join } from 'node:path';
import t from 'tap';
import { Cancellation, SqlFailure, UNLIMITED } from '../../natives/data/driver.js';
import { Job } from '../../natives/data/sqlite/job.js';
import { Pace } from '../../natives/data/pace.js';
import { Lane } from '../../natives/data/sqlite/lane.js';
import { until } from '../patience.js';

const SLOW = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000000) SELECT count(*) FROM c';

function reading(sql: string): Job {
  return new Job({ kind: 'run', sql, reads: true }, new Cancellation());
}

void t.test('a statement that comes back to a thread it was taken from', async (t) => {
  const path = join(t.testdir(), 'x.db');
  const { maxValue, maxRow } = UNLIMITED;
  const lane = new Lane(
    { library: 'libsql', path, access: 'write', durable: false, limits: { maxValue, maxRow } },
    UNLIMITED,
    new Pace(),
    () => {},
  );
  await lane.opened;
  const [slow, moved] = [reading(SLOW), reading('SELECT 7')];
  lane.send(slow);
  lane.send(moved);
  // The thread has the message before the statement is taken back.
  await new Promise((sent) => setImmediate(() => setImmediate(sent)));
  t.same(lane.takeRest(), [moved]);
  lane.send(moved);
  t.same((await moved.promise).pieces.flat(), [[7n]], 'the answer to its first request does not count');
  t.same((await slow.promise).pieces.flat(), [[1_000_000n]]);
  // Taken back before it is sent: the thread gets it once.
  const [first, unsent] = [reading('SELECT 1'), reading('SELECT 8')];
  lane.send(first);
  lane.send(unsent);
  t.same(lane.takeRest(), [unsent]);
  lane.send(unsent);
  t.same((await unsent.promise).pieces.flat(), [[8n]]);
  await until('no open request', () => lane.load === 0);
  await lane.close(new SqlFailure('closed', 'the end of the test'));
});
