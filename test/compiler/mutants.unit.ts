import t from 'tap';
import { parse } from '../../compiler/parse.js';
import { torture } from './sources.js';

const { text } = torture();
const lines = text.split('\n');

function fails(source: string): boolean {
  return parse('t.svc', source).diagnostics.some(({ code }) => code === 'internal-error');
}

t.test('a truncated program has a tree or errors', async (t) => {
  for (let at = 0; at < text.length; at += 97) {
    t.equal(fails(text.slice(0, at)), false, `cut at ${at}`);
  }
});

t.test('a program that lacks a line has a tree or errors', async (t) => {
  for (let at = 0; at < lines.length; at += 9) {
    t.equal(fails(lines.toSpliced(at, 1).join('\n')), false, `without line ${at + 1}`);
  }
});

t.test('a program with an inserted character has a tree or errors', async (t) => {
  const signs = '"\'({[)}]|:=,.#\n;?&*-/ ';
  for (let at = 0; at < text.length; at += 127) {
    const sign = signs[at % signs.length] as string;
    t.equal(fails(text.slice(0, at) + sign + text.slice(at)), false, `${JSON.stringify(sign)} at ${at}`);
  }
});

t.test('a missing `end` is reported near the block that lacks it', async (t) => {
  const program = [
    'def first(a)',
    '  if a',
    '    1',
    '  end',
    'end',
    '',
    'def second(b)',
    '  b.each do |x|',
    '    puts x',
    '  end',
    'end',
    '',
    'while true',
    '  break',
    'end',
    '',
  ];
  for (const [line, opener] of [
    [3, 2],
    [4, 1],
    [9, 8],
    [10, 7],
    [14, 13],
  ] as const) {
    const { diagnostics } = parse('t.svc', program.toSpliced(line, 1).join('\n'));
    t.strictSame(
      diagnostics.map(({ code }) => code),
      ['unclosed-block'],
      `without line ${line + 1}`,
    );
    t.match(diagnostics[0]?.message, `opened at line ${opener}`);
  }
});
