import t from 'tap';
import { disassemble } from '../../../vm/bytecode/disassemble.js';
import { programOf } from '../support/machine.js';

/** Comment lines of a listing of `text`, with `shown` as its source. */
function comments(text: string, shown = text): string[] {
  const program = programOf(text);
  program.sources = program.sources.map(({ path }) => ({ path, text: shown }));
  return disassemble(program, true)
    .split('\n')
    .filter((line) => line.startsWith('       ;'))
    .map((line) => line.trim());
}

t.test('a source line precedes each run of its instructions', async (t) => {
  const program = programOf('a = 1\n\ndef f(x)\n  x +\n    2\nend\nputs f(a)\n');
  t.equal(
    disassemble(program, true),
    [
      'function 0 main main() (entry)  3 registers, 0 captured  test.svc',
      '       ; 1 | a = 1',
      '    0  1:5      LOADI      r0 <- 1',
      '       ; 7 | puts f(a)',
      '    1  7:6      CALL       r2 <- f#1(r0)',
      '    4  7:1      NATIVE     r1 <- puts(r2)',
      '    7  7:1      RETURN     r1',
      '',
      'function 1 def f(x)  2 registers, 0 captured  test.svc',
      '       ; 4 |   x +',
      '    0  4:5      ADDI       r1 <- r0 2',
      '    1  4:5      RETURN     r1',
      '',
      '',
    ].join('\n'),
  );
  const plain = disassemble(program);
  t.notMatch(plain, / {7};/, 'not unless asked for');
  t.equal(disassemble(program, true).replace(/^ {7};.*\n/gm, ''), plain, 'nothing else differs');
  const without = { ...program, sources: program.sources.map(({ path }) => ({ path, text: null })) };
  t.equal(disassemble(without, true), plain, 'nor without the text');
});

t.test('a line is shown again when it recurs', async (t) => {
  t.strictSame(comments('i = 0\nwhile i < 3\n  i += 1\nend\n').slice(0, 3), [
    '; 1 | i = 0',
    '; 2 | while i < 3',
    '; 3 |   i += 1',
  ]);
});

t.test('a source line with any characters is one line of the listing', async (t) => {
  const odd = 'puts 1 # \x1b[31m\t\u0085\u202e\u2028\ud800 é 😀';
  t.strictSame(comments('puts 1\n', `${odd}   \r\n`), [
    '; 1 | puts 1 # \\u{1b}[31m\\t\\u{85}\\u{202e}\\u{2028}\\u{d800} é 😀',
  ]);
  t.strictSame(comments('puts 1\n', `puts 1 #${'x'.repeat(1_000_000)}\n`), [`; 1 | puts 1 #${'x'.repeat(112)}…`]);
  t.strictSame(
    comments('puts 1\n', `puts 1 #${'😀'.repeat(112)}\n`),
    [`; 1 | puts 1 #${'😀'.repeat(112)}`],
    'no character is cut in two',
  );
  t.strictSame(comments('puts 1\n', `puts 1 #${'😀'.repeat(113)}\n`), [`; 1 | puts 1 #${'😀'.repeat(112)}…`]);
});

t.test('positions outside the source', async (t) => {
  const program = programOf('puts 1\nputs 2\n');
  for (const [source] of [['puts 1'], ['']]) {
    const listing = disassemble(
      { ...program, sources: program.sources.map(({ path }) => ({ path, text: source })) },
      true,
    );
    t.notMatch(listing, /; 2 \|/);
    t.match(listing, /NATIVE/);
  }
});
