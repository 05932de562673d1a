/** Lines of standard input, whatever the chunks in which their bytes arrive. */
import t from 'tap';
import { inputLines } from '../../svcc/inputlines.js';
import { SvcError } from '../../vm/values/error.js';

async function linesOf(bytes: Buffer, size: number): Promise<string[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }
  const lines: string[] = [];
  for await (const line of inputLines(chunks())) lines.push(line);
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

t.test('bytes that are not UTF-8 are refused at their offset', async (t) => {
  for (const size of [1, 2, 3, 5, 100]) {
    const refused = async (text: string, message: string): Promise<void> => {
      const error: unknown = await linesOf(Buffer.from(text, 'latin1'), size).catch((error: unknown) => error);
      t.ok(error instanceof SvcError);
      const expected = `standard input is not UTF-8: ${message}; convert it, for example with iconv`;
      t.equal((error as SvcError).value.message, expected, `chunks of ${size}`);
    };
    await refused('abcdef\ncaf\xe9\n', 'byte e9 at offset 10');
    await refused('\xc3\xa9\xf0\x9f\x98\nx', 'byte f0 at offset 2');
    await refused('abcd\xf0\x9f', 'byte f0 at offset 4');
  }
});
