import t from 'tap';
import { EventParser } from '../../../natives/io/client/eventparser.js';
import { raised } from './support.js';

const MIB = 1 << 20;

t.test('events', async (t) => {
  const text = [
    ': comment\r\n\r\nevent:\ndata: a\n\n',
    'event: x\ndata:b\rdata:  c\r\rid: 1\n\ndata\n\n',
    'id: 2\0\ndata: d\nother: e\n\nid\ndata: f\n\n',
    'event: dropped\n\ndata: g\n\ndata: unfinished\n',
  ].join('');
  const expected = [
    { event: 'message', data: 'a', id: null },
    { event: 'x', data: 'b\n c', id: null },
    { event: 'message', data: '', id: '1' },
    { event: 'message', data: 'd', id: '1' },
    { event: 'message', data: 'f', id: '' },
    { event: 'message', data: 'g', id: '' },
  ];
  for (const size of [1, 2, 3, 7, text.length]) {
    const parser = new EventParser();
    const events = [];
    for (let i = 0; i < text.length; i += size) events.push(...parser.feed(text.slice(i, i + size)));
    t.strictSame(events, expected, `in pieces of ${size}`);
  }
});

t.test('only events are limited, not what is between them', async (t) => {
  const long = 'x'.repeat(MIB - 10);
  const feed = (piece: string, count: number, parser = new EventParser()): string =>
    raised(() => Array.from({ length: count }, () => parser.feed(piece)).flat().length);
  const tooLong = `MemoryError: an event is longer than ${16 * MIB} characters`;
  t.equal(feed(`:${long}\n`, 40), 'nothing was raised, got 0');
  t.equal(feed(`:${long}\n\n`, 40), 'nothing was raised, got 0');
  t.equal(feed(`id: ${long}\nother: ${long}\n`, 20), 'nothing was raised, got 0');
  t.equal(feed(`data:${long}\n\n`, 40), 'nothing was raised, got 40');
  t.equal(feed(`data:${long}\n`, 17), tooLong);
  t.equal(feed(`:${long}`, 17), tooLong);
});

t.test('a long line is scanned once', async (t) => {
  const scanned: number[] = [];
  const parser = new EventParser();
  const piece = 'x'.repeat(1000);
  parser.feed('data:');
  for (let i = 0; i < 10_000; i++) {
    const started = process.cpuUsage();
    parser.feed(piece);
    const { user, system } = process.cpuUsage(started);
    scanned.push(user + system);
  }
  const total = (part: number[]): number => part.reduce((sum, n) => sum + n, 0);
  t.ok(total(scanned.slice(-1000)) < 20 * total(scanned.slice(0, 1000)) + 20_000, 'the last pieces cost no more');
  t.equal(parser.feed('\n\n')[0].data.length, 10_000_000);
});
