import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { type RowLimits } from '../../natives/data/driver.js';
import { AnswerReader, RequestWriter } from '../../natives/data/sqlite/messages.js';
import type { FromConnection, Request } from '../../natives/data/sqlite/protocol.js';
import { startThread } from '../../natives/data/sqlite/start.js';

const UNLIMITED: RowLimits = { maxValue: Infinity, maxRow: Infinity };

const USUAL = { kind: 'run', params: [], grouped: false, inside: false, cursor: 0, rows: null } as const;

t.test('answers leave when they are half of those that are waited for', async (t) => {
  const path = join(t.testdir(), 'x.db');
  const worker = startThread({ library: 'libsql', path, access: 'write', durable: false, limits: UNLIMITED });
  const writer = new RequestWriter();
  const reader = new AnswerReader();
  /** Sends statements in one message. Returns the number of answers in each message that comes back. */
  const asked = async (count: number, load: number): Promise<number[]> => {
    const requests = Array.from({ length: count }, (_, id): Request => ({
      ...USUAL,
      id,
      sql: 'SELECT 1',
      reads: true,
    }));
    worker.postMessage({ requests: writer.write(requests), cancelled: [], received: 0, load, close: false });
    const counts: number[] = [];
    for (let sum = 0; sum < count; sum += counts.at(-1) as number) {
      const [message] = (await once(worker, 'message')) as [FromConnection];
      let answers = 0;
      reader.read(message.answers, () => answers++);
      counts.push(answers);
    }
    return counts;
  };
  const [opened] = (await once(worker, 'message')) as [FromConnection];
  t.same(opened.opened, { fault: null });
  // The first two prepare the statements.
  await asked(1, 1);
  await asked(1, 1);
  t.same(await asked(80, 80), [40, 40]);
  t.same(await asked(40, 80), [40], 'the others are answered already');
  t.same(await asked(20, 20), [16, 4], 'few answers are no message of their own');
  t.same(await asked(10, 10), [10]);
  await worker.terminate();
});
