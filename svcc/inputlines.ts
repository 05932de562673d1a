import { StrictDecoder } from '../natives/io/strictdecoder.js';

const LINE_END = /\r\n|\n|\r/g;

/** The lines of a stream in UTF-8, without their ends, which are `\n`, `\r\n` or `\r`. @throws ValueError for other bytes */
export async function* inputLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new StrictDecoder('standard input', 'convert it, for example with iconv');
  let line = '';
  let cutOff = '';
  for await (const chunk of input) {
    const text = cutOff + decoder.decode(chunk, false);
    // A `\n` may follow.
    cutOff = text.endsWith('\r') ? '\r' : '';
    const end = text.length - cutOff.length;
    let from = 0;
    for (const match of text.slice(0, end).matchAll(LINE_END)) {
      yield line + text.slice(from, match.index);
      line = '';
      from = match.index + match[0].length;
    }
    line += text.slice(from, end);
  }
  line += decoder.decode(new Uint8Array(0), true);
  if (line !== '' || cutOff !== '') yield line;
}
