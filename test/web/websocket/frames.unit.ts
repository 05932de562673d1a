import t from 'tap';
import { asciiFrame } from '../../../natives/web/websocket/frames.js';

t.test('an ASCII text is one frame', async (t) => {
  const cases: readonly (readonly [length: number, header: readonly number[]])[] = [
    [0, [0x81, 0]],
    [1, [0x81, 1]],
    [125, [0x81, 125]],
    [126, [0x81, 126, 0, 126]],
    [255, [0x81, 126, 0, 255]],
    [256, [0x81, 126, 1, 0]],
    [16_380, [0x81, 126, 0x3f, 0xfc]],
  ];
  for (const [length, header] of cases) {
    const text = '~'.repeat(length);
    const frame = asciiFrame(text);
    t.same(Buffer.from(frame ?? '', 'latin1'), Buffer.from([...header, ...Buffer.from(text)]), `${length} characters`);
  }
});

t.test('other texts are left to the package', async (t) => {
  for (const text of ['~'.repeat(16_381), 'é', '\x80', '☃', '😀', `${'~'.repeat(100)}\u{ff}`, '\ud800'])
    t.equal(asciiFrame(text), null, JSON.stringify(text.slice(-10)));
});
