import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { formatText } from '../../svcc/fmt/format.js';

/** Cases of `style.txt`: a title after `===`, a program, `---`, and the program formatted. */
const CASES = readFileSync(join(import.meta.dirname, 'style.txt'), 'utf8')
  .split(/^=== /m)
  .slice(1)
  .map((text) => {
    const [head, expected] = text.split(/^---\n/m);
    const newline = head.indexOf('\n');
    return { title: head.slice(0, newline), source: head.slice(newline + 1), expected: expected.trimEnd() };
  });

for (const { title, source, expected } of CASES)
  t.test(title, async (t) => {
    const formatted = formatText(source, 'style.svc');
    t.equal('text' in formatted ? formatted.text.trimEnd() : formatted.diagnostics[0].message, expected);
  });

t.test('a program that does not parse has the diagnostics of the compiler', async (t) => {
  const formatted = formatText('puts (1\n', 'broken.svc');
  t.match(formatted, { diagnostics: [{ file: 'broken.svc', severity: 'error', start: 7 }] });
});

t.test('texts without statements', async (t) => {
  t.strictSame(formatText('', 'a.svc'), { text: '' });
  t.strictSame(formatText('\n\n', 'a.svc'), { text: '' });
  t.strictSame(formatText('\n# only\n\n\n# comments', 'a.svc'), { text: '# only\n\n# comments\n' });
});

t.test('control characters that the formatter uses as marks', async (t) => {
  const text = 'puts(  "\u0001" )\n';
  t.strictSame(formatText(text, 'a.svc'), { text });
});
