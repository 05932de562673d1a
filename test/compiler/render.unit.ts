import t from 'tap';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { diagnosticToJson, renderDiagnostic } from '../../compiler/diagnostics/render.js';

const TEXT = 'def f(a)\n\tif a\n    x\nend\n';
const UNCLOSED: Diagnostic = {
  code: 'unclosed-block',
  severity: 'error',
  file: 'lib/a.svc',
  message: 'expected `end`',
  start: 21,
  end: 24,
  labels: [{ start: 10, end: 12, text: 'this `if` has no `end`' }],
  hint: 'add one',
};

t.test('text', async (t) => {
  t.equal(
    renderDiagnostic(UNCLOSED, TEXT),
    [
      'lib/a.svc:4:1: error: expected `end`',
      '  4 | end',
      '    | ^^^',
      '  2 | \tif a',
      '    | \t-- this `if` has no `end`',
      '   hint: add one',
    ].join('\n'),
  );
});

t.test('colour', async (t) => {
  const colored = renderDiagnostic(UNCLOSED, TEXT, { color: true });
  t.match(colored, '\u001b[1;31merror:\u001b[0m');

  t.equal(colored.replace(/\u001b\[[0-9;]*m/g, ''), renderDiagnostic(UNCLOSED, TEXT));
});

t.test('positions at the ends of lines and texts', async (t) => {
  const at = (start: number, end: number, text: string): string =>
    renderDiagnostic({ ...UNCLOSED, severity: 'warning', start, end, labels: [], hint: '' }, text)
      .split('\n')
      .slice(1)
      .join('\n');
  t.equal(at(0, 0, ''), '  1 | \n    | ^');
  t.equal(at(3, 3, 'abc'), '  1 | abc\n    |    ^');
  t.equal(at(1, 9, 'abc\r\ndefg'), '  1 | abc\n    |  ^^', 'marks end with the line');
  t.equal(at(1, 2, 'a\u001b\u202eb'), '  1 | a\ufffd\ufffdb\n    |  ^', 'control characters are replaced');
});

t.test('a long line is shortened around the position', async (t) => {
  const [, source, marks] = renderDiagnostic(
    { ...UNCLOSED, start: 5000, end: 5003, labels: [], hint: '' },
    `${'a'.repeat(5000)}bcd${'e'.repeat(5000)}`,
  ).split('\n') as [string, string, string];
  t.equal(source.length < 140, true);
  t.equal(source.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1), 'bcd');
});

t.test('json', async (t) => {
  t.strictSame(diagnosticToJson(UNCLOSED, TEXT), {
    file: 'lib/a.svc',
    code: 'unclosed-block',
    severity: 'error',
    message: 'expected `end`',
    hint: 'add one',
    range: { start: { line: 4, column: 1 }, end: { line: 4, column: 4 } },
    related: [
      { range: { start: { line: 2, column: 2 }, end: { line: 2, column: 4 } }, message: 'this `if` has no `end`' },
    ],
  });
});
