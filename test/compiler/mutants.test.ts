import t from 'tap';
import { parse } from '../../compiler/parse.js';
import { torture } from './sources.js';

const { text } = torture();
const lines = text.split('\n');

t.test('a program cut off anywhere gives a tree or errors', async (t) => {
  for (let at = 0; at < text.length; at += 23) {
    t.doesNotThrow(() => parse('t.svc', text.slice(0, at)), `cut at ${at}`);
  }
});

t.test('a program without one of its lines gives a tree or errors', async (t) => {
  for (let at = 0; at < lines.length; at += 3) {
    t.doesNotThrow(() => parse('t.svc', lines.toSpliced(at, 1).join('\n')), `without line ${at + 1}`);
  }
});

t.test('a program with one character too many gives a tree or errors', async (t) => {
  const signs = '"\'({[)}]|:=,.#\n;?&*-/ ';
  for (let at = 0; at < text.length; at += 31) {
    const sign = signs[at % signs.length] as string;
    t.doesNotThrow(() => parse('t.svc', text.slice(0, at) + sign + text.slice(at)), `${JSON.stringify(sign)} at ${at}`);
  }
});

t.test('a missing `end` is reported near the block that lacks it', async (t) => {
  const program = ['def first(a)', '  if a', '    1', '  end', 'end', '', 'def second(b)', '  b.each do |x|', '    puts x', '  end', 'end', '', 'while true', '  break', 'end', ''];
  for (const [line, opener] of [[3, 2], [4, 1], [9, 8], [10, 7], [14, 13]] as const) {
    const { diagnostics } = parse('t.svc', program.toSpliced(line, 1).join('\n'));
    t.strictSame(diagnostics.map(({ code }) => code), ['unclosed-block'], `without line ${line + 1}`);
    t.match(diagnostics[0]?.message, `opened at line ${opener}`);
  }
});
