import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { type Fix, fixesOf } from '../../../compiler/analysis/fixes.js';
import { nodeHost, processStreams } from '../../../svcc/host.js';
import { Workspace } from '../../../svcc/lsp/workspace.js';

/** The changes that are offered for the unused variable at the mark, with the text after each. */
function fixes(t: Test, marked: string): (Fix & { text: string })[] {
  const at = marked.indexOf('¦');
  const text = marked.replace('¦', '');
  const folder = t.testdir({});
  const path = join(folder, 'app.svc');
  writeFileSync(path, text);
  const workspace = new Workspace(nodeHost(processStreams()));
  workspace.roots = [folder];
  const facts = workspace.facts(path)!;
  const module = facts.program.entry;
  const found = facts.program.diagnostics(module).find(({ start, end }) => start <= at && at <= end);
  t.equal(found?.code, 'unused-variable', marked);
  return fixesOf(found!, facts, module).map((fix) => ({
    ...fix,
    text: [...fix.edits]
      .sort((a, b) => b.start - a.start)
      .reduce((out, edit) => out.slice(0, edit.start) + edit.text + out.slice(edit.end), text),
  }));
}

t.test('a variable is renamed in short forms', (t) => {
  t.match(fixes(t, 'def f(h)\n  {unused:, b} = h\n  un¦used = 1\n  b\nend\n'), [
    { title: "Rename 'unused' to '_unused'", text: 'def f(h)\n  {unused: _unused, b} = h\n  _unused = 1\n  b\nend\n' },
  ]);
  t.end();
});

t.test('a variable is removed with its lines, unless it is the value of what is around it', (t) => {
  const removed = (text: string): string | null => {
    const found = fixes(t, text);
    t.match(found[0].title, /^Rename/, text);
    return found.find(({ title }) => title.startsWith('Remove'))?.text ?? null;
  };
  const within = (body: string): string => `def f(c)\n${body}end\n`;
  const heredoc = (opener: string): string => within(`  u¦u = ${opener}\n  <<B\n  text\n  A\n  2\n`);
  for (const opener of ['<<~A', '<<-A', "<<~'A'", '<<~"A"', '-> { <<~A }'])
    t.equal(removed(heredoc(opener)), within('  2\n'), opener);
  t.equal(
    removed(within('  u¦u = ->(q) { [<<~A, <<~B] }\n  B\n  A\n  A\n  B\n  2\n')),
    within('  2\n'),
    'two heredocs',
  );
  t.equal(
    removed(within('  u¦u = ->(q) do\n    <<~A\n      text\n    A\n  end\n  2\n')),
    within('  2\n'),
    'a heredoc inside of the lines of a lambda',
  );
  t.equal(removed(within('  u¦u = "1" <<~A\n  text\n  A\n  2\n')), null, 'texts side by side');
  for (const body of [
    '  u¦u = 1\n',
    '  if c\n    u¦u = 1\n  end\n',
    '  if c\n    1\n  else\n    u¦u = 1\n  end\n',
    '  case c\n  when 1\n    u¦u = 1\n  end\n',
    '  case c\n  in 1\n    u¦u = 1\n  end\n',
    '  begin\n    u¦u = 1\n  rescue Error\n    2\n  end\n',
    '  puts c\nrescue Error\n  u¦u = 1\n',
    '  [1].map do |x|\n    u¦u = x\n  end\n',
    '  a = if c\n    u¦u = 1\n  end\n  a\n',
    '  [\n    u¦u = 1\n  ]\n',
    '  a =\n    u¦u = 1\n  a\n',
  ])
    t.equal(removed(within(body)), null, body);
  t.equal(removed('def f() =\n  u¦u = 1\n'), null);
  for (const [body, rest] of [
    ['  if c\n    u¦u = 1\n  end\n  2\n', '  if c\n  end\n  2\n'],
    ['  while c\n    u¦u = 1\n  end\n', '  while c\n  end\n'],
    ['  for x in c\n    if x\n      u¦u = 1\n    end\n  end\n', '  for x in c\n    if x\n    end\n  end\n'],
    [
      '  begin\n    puts c\n  rescue Error\n    u¦u = 1\n  end\n  2\n',
      '  begin\n    puts c\n  rescue Error\n  end\n  2\n',
    ],
  ])
    t.equal(removed(within(body)), within(rest), body);
  t.end();
});
