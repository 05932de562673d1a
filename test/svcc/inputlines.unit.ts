/** Lines of standard input, whatever the chunks in which their bytes arrive. */
import t from 'tap';
import { inputLines } from '../../svcc/inputlines.js';
import { SvcError } from '../../vm/values/error.js';

async function linesOf(bytes: Buffer, size: number): Promise<string[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }
  const lines: string[] = [];
  for await (const line of inputLines(chunks())) lines.push(line instanceof SvcError ? line.value.message : line);
  return lines;
}

t.test('lines end with \\n, \\r\\n or \\r, and characters may be cut', async (t) => {
  const bytes = Buffer.from('caf\u00e9\r\n\n\u{1f600}\rlast\u2028one\r\nend');
  for (const size of [1, 2, 3, 5, 100])
    t.strictSame(
      await linesOf(bytes, size),
      ['caf\u00e9', '', '\u{1f600}', 'last\u2028one', 'end'],
      `chunks of ${size}`,
    );
  t.strictSame(await linesOf(Buffer.from('a\r'), 1), ['a']);
  t.strictSame(await linesOf(Buffer.from('a\n'), 1), ['a']);
  t.strictSame(await linesOf(Buffer.alloc(0), 1), []);
});

t.test('lines that are not UTF-8 are refused at their offset, and others stay', async (t) => {
  const refused = (message: string): string =>
    `standard input is not UTF-8: ${message}; convert it, for example with iconv`;
  for (const size of [1, 2, 3, 5, 100]) {
    const read = async (text: string, lines: string[]): Promise<void> => {
      t.strictSame(await linesOf(Buffer.from(text, 'latin1'), size), lines, `chunks of ${size}`);
    };
    await read('abcdef\ncaf\xe9\n', ['abcdef', refused('byte e9 at offset 10')]);
    await read('\xc3\xa9\xf0\x9f\x98\nx', [refused('byte f0 at offset 2'), 'x']);
    await read('abcd\xf0\x9f', [refused('byte f0 at offset 4')]);
    await read('a\r\n\xff\r\n\r\nb\r\xfe\rc\r', [
      'a',
      refused('byte ff at offset 3'),
      '',
      'b',
      refused('byte fe at offset 10'),
      'c',
    ]);
  }
});
