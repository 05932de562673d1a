import t from 'tap';
import { withoutCase } from '../../../vm/values/regex/case.js';

const SOURCES = ['a', 'K', 'ß', 'σ', 'ς', 'ǆ', 'ſ', 'İ', 'ı', 'µ', 'Å', '1', '-', '\\x41', '\\u00e9', '\\u0130', '\\cA', '\\.', '\\n', '\\t', '\\-', '.', '\\d', '\\W',
  '[a-z]', '[^a-z]', '[À-ÿ]', '[^À-ÿ]', '[α-ω]', '[ſ]', '[K-\\u017f]', '[\\w-]', '[a-]', '[-a]', '[+--]', '[\\d-x]', '[\\]a]', '[\\x41-\\x43]', '[\\u0100-\\u0104_]', '[^]', '[]', '[\\0-\\x1f]', '[\\b]', '[\\n-A]'];

t.test('a character matches as with the flag i', async (t) => {
  for (const source of SOURCES) {
    const [usual, classes] = [new RegExp(`^${source}$`, 'i'), new RegExp(`^${withoutCase(source)}$`)];
    const wrong: string[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      const text = String.fromCharCode(code);
      if (usual.test(text) !== classes.test(text)) wrong.push(code.toString(16));
    }
    t.strictSame(wrong, [], source);
  }
});

t.test('what is no character stays as it is', async (t) => {
  for (const source of ['(?<Name>1)\\k<Name>', '(?:1)|^$', '1{2,3}?', '\\bx'.slice(0, 2), '\\1', '(?=1)(?!2)(?<=3)(?<!4)']) t.equal(withoutCase(source), source);
});
