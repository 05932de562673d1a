import t from 'tap';
import { AnswerReader, AnswerWriter, RequestReader, RequestWriter } from '../../natives/data/sqlite/messages.js';
import type { Answer, Request } from '../../natives/data/sqlite/protocol.js';

/** More different texts than both sides remember. */
const MANY = 1_200;

function request(id: number, sql: string, others: Partial<Request> = {}): Request {
  const usual = { params: [], reads: false, grouped: false, inside: false, cursor: 0, rows: null };
  return { id, kind: 'run', sql, ...usual, ...others };
}

function answer(id: number, others: Partial<Answer> = {}): Answer {
  const usual = { header: null, rows: null, more: false, changes: 0, lastId: null, rest: false, fault: null };
  return { id, ...usual, ...others };
}

t.test('requests arrive as they were sent', async (t) => {
  const writer = new RequestWriter();
  const reader = new RequestReader();
  const requests = [
    request(1, 'select ?', { reads: true, params: [1n, 2.5, 'x', null, new Uint8Array([1])] }),
    request(2, 'select ?', { kind: 'open', reads: true, params: [1n] }),
    request(3, '', { kind: 'next', cursor: 2 }),
    request(4, 'create table t (a)', { kind: 'script' }),
    request(5, 'insert', { kind: 'many', inside: true, rows: [[1n], [2n]] }),
    request(6, 'x'.repeat(10_000), { grouped: true }),
    request(7, 'COMMIT', { kind: 'end', inside: true }),
  ];
  for (let time = 0; time < 2; time++)
    t.same(reader.read(structuredClone(writer.write(requests))), requests, `time ${time}`);
});

t.test('both sides forget texts and columns together', async (t) => {
  const writer = new RequestWriter();
  const reader = new RequestReader();
  const answers = new AnswerWriter();
  const received = new AnswerReader();
  const headers = Array.from({ length: MANY }, (_, i) => ({ columns: [`c${i}`], kinds: null }));
  let wrong = 0;
  for (let i = 0; i < 3 * MANY; i++) {
    const sql = `select ${i % 7 === 0 ? 0 : i % MANY}`;
    if (reader.read(structuredClone(writer.write([request(i, sql)])))[0].sql !== sql) wrong++;
    const header = headers[i % 7 === 0 ? 0 : i % MANY];
    const out: unknown[] = [];
    answers.write(out, i, answer(i, { header, rows: [[1n]] }), null);
    received.read(structuredClone(out), (got) => {
      if (got.header?.columns[0] !== header.columns[0]) wrong++;
    });
  }
  t.equal(wrong, 0);
});

t.test('answers arrive as they were sent', async (t) => {
  const writer = new AnswerWriter();
  const reader = new AnswerReader();
  const header = { columns: ['a', 'b'], kinds: ['date', null] as const };
  const sent = [
    answer(1, {
      header,
      rows: [
        [1n, 'x'],
        [null, 2.5],
      ],
      more: true,
    }),
    answer(1, { rows: [], rest: true }),
    answer(2, { fault: { code: 19, message: 'no' } }),
    answer(3, { changes: 2, lastId: 7n }),
    answer(4, { header, rows: [[new Uint8Array([1]), '']] }),
  ];
  for (let time = 0; time < 2; time++) {
    const out: unknown[] = [];
    for (const one of sent) writer.write(out, one.id, one, one.fault);
    const got: Answer[] = [];
    reader.read(structuredClone(out), (one) => void got.push(one));
    t.same(got, sent, `time ${time}`);
  }
});
