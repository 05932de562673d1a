import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CHECKS } from '../../compiler/diagnostics/codes.js';
import type { Finding } from '../../svcc/check.js';
import { ROOT, svcc } from './svcc.js';

t.jobs = 3;

const FOLDER = 'spec-tests/check';

/** The comments `# finds: severity message` of a program, by line. */
function expectations(file: string): [line: number, text: string][] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, i): [number, string][] => {
    const text = /# finds: (.*)$/.exec(line)?.[1];
    return text === undefined ? [] : [[i + 1, text]];
  });
}

t.test('programs with findings', async (t) => {
  const files = readdirSync(join(ROOT, FOLDER))
    .filter((name) => name.endsWith('.svc'))
    .map((name) => `${FOLDER}/${name}`);
  const findings: Finding[] = [];
  for (const workers of [false, true]) {
    const { stdout, stderr, exitCode } = await svcc([
      'check',
      '--json',
      ...(workers ? ['--workers'] : []),
      ...files.filter((file) => file.endsWith('/workers.svc') === workers),
    ]);
    t.equal(exitCode, workers ? 0 : 1);
    t.equal(stderr, '');
    findings.push(...(JSON.parse(stdout) as Finding[]));
  }
  for (const file of files) {
    const expected = expectations(file);
    const found = findings
      .filter((finding) => finding.file === file)
      .map(({ line, severity, message }): [number, string] => [line, `${severity} ${message}`]);
    t.ok(expected.length > 0, `${file} has expectations`);
    // An expectation may omit the end of a message.
    t.strictSame(
      found.map(([line, text], i) => [line, text.startsWith(expected[i]?.[1] ?? '?') ? expected[i][1] : text]),
      expected,
      file,
    );
  }
  t.strictSame(
    [...new Set(findings.map(({ code }) => code))].sort(),
    Object.keys(CHECKS).sort(),
    'each kind of finding occurs',
  );
});

t.test('the examples have no findings', async (t) => {
  const examples = readdirSync(join(ROOT, 'examples'))
    .filter((name) => name.endsWith('.svc'))
    .map((name) => `examples/${name}`);
  t.strictSame(await svcc(['check', '--strict', ...examples]), { stdout: '', stderr: '', exitCode: 0 });
});

t.test('exit codes and texts', async (t) => {
  const cwd = t.testdir({
    'clean.svc': 'puts 1\n',
    'warned.svc': 'def f\n  x = 1\n  2\nend\nputs f()\n',
    'wrong.svc': 'puts coutn(1)\n',
    'broken.svc': 'puts (1\n',
    'uses.svc': 'require "wrong"\nputs 1\n',
    'compared.svc': 'case [1]\nwhen [first] then puts 1\nwhen other then puts 2\nwhen puts(gone) then puts 3\nend\n',
    'block.svc': 'def card(title, body) = body.()\ncard "x".upcase do\n  1\nend\ncard("y".upcase) do\n  1\nend\n',
    'model.svc': 'record Note(id: Int)\n',
    'store.svc': 'require "model"\n',
    'typed.svc': 'require "store"\ndef first(note: Note) -> Note\n  note\nend\n',
  });
  t.strictSame(
    await svcc(['check', '--strict', 'typed.svc'], { cwd }),
    { stdout: '', stderr: '', exitCode: 0 },
    'types of files that are required by required files are known',
  );
  t.strictSame(await svcc(['check', 'clean.svc'], { cwd }), { stdout: '', stderr: '', exitCode: 0 });
  t.strictSame(await svcc(['check', '--json', 'clean.svc'], { cwd }), { stdout: '[]\n', stderr: '', exitCode: 0 });
  const warned = await svcc(['check', 'warned.svc'], { cwd });
  t.equal(warned.exitCode, 0, 'warnings alone are no failure');
  t.match(warned.stdout, "warned.svc:2:3: warning: 'x' is assigned but never read\n  2 |   x = 1\n    |   ^\n");
  t.match(warned.stdout, /^0 errors, 1 warning$/m);
  t.equal((await svcc(['check', '--strict', 'warned.svc'], { cwd })).exitCode, 1);
  const wrong = await svcc(['check', 'wrong.svc', 'uses.svc'], { cwd });
  t.equal(wrong.exitCode, 1);
  t.match(wrong.stdout, /^1 error, 0 warnings$/m, 'a module that two programs use is reported once');
  const compared = await svcc(['check', 'compared.svc'], { cwd });
  t.match(
    compared.stdout,
    /undefined name 'first'\n.*\n.*\n {3}hint: `when` compares with a value; a pattern .* after `in`\n/,
  );
  t.match(
    (await svcc(['check', 'block.svc'], { cwd })).stdout,
    /:2:1: error: card\(\) needs 'body'.*\n.*\n.*\n {3}hint: the block belongs to `upcase`; to give the block to `card`, write `card\("x"\.upcase\) do`\n\n?1 error/,
  );
  t.equal(compared.stdout.match(/hint:/g)?.length, 1, 'a plain name or a call after `when` is no pattern');
  const broken = await svcc(['check', 'broken.svc', 'wrong.svc'], { cwd });
  t.equal(broken.exitCode, 1);
  t.match(broken.stdout, /broken\.svc:1:8: error: /);
  t.match(broken.stdout, /wrong\.svc:1:6: error: undefined name 'coutn'/);
  const missing = await svcc(['check', 'none.svc', 'wrong.svc'], { cwd });
  t.equal(missing.exitCode, 2);
  t.equal(missing.stderr, 'cannot read none.svc: no such file or directory\n');
  t.match(missing.stdout, "undefined name 'coutn'", 'the others are checked');
  t.equal((await svcc(['check'], { cwd })).exitCode, 2);
});

t.test('words of templates have their own names in messages', async (t) => {
  const mistakes: [template: string, checked: string | null, raised: string][] = [
    ['<p <%= attributes(n) %>>', null, 'attributes(): hash must be Hash, got Nil'],
    [
      '<p <%= attributes() %>>',
      "attributes() needs 'hash': attributes(hash)",
      'attributes() takes 1 argument, got 0: attributes(hash)',
    ],
    ['<%= render t, {} %>', null, 'render(): name must be String, got Integer'],
    ['<% x = render(t) %><%= x %>', null, 'render(): name must be String, got Integer'],
    [
      '<%= render() %>',
      "render() needs 'name': render(name, locals?)",
      'render() takes 1..2 arguments, got 0: render(name, locals = nil)',
    ],
    [
      '<%= render "a", 1, 2 %>',
      'render() takes at most 2 arguments, got 3: render(name, locals?)',
      'render() takes 1..2 arguments, got 3: render(name, locals = nil)',
    ],
    [
      '<%= render "a", locls: n %>',
      "render() has no parameter 'locls', did you mean 'locals'?: render(name, locals?)",
      "render() has no parameter 'locls', did you mean 'locals'?: render(name, locals = nil)",
    ],
    [
      '<script>f(<%= json() %>)</script>',
      "json() needs 'value': json(value)",
      'json() takes 1 argument, got 0: json(value)',
    ],
    [
      '<p onclick="f(<%= json(1, 2) %>)">',
      'json() takes at most 1 argument, got 2: json(value)',
      'json() takes 1 argument, got 2: json(value)',
    ],
    [
      '<% if content_for?() %><% end %>',
      "content_for?() needs 'name': content_for?(name)",
      'content_for?() takes 1 argument, got 0: content_for?(name)',
    ],
    [
      '<% content_for do %>a<% end %>',
      "content_for() needs 'name': content_for(name)",
      'content_for() takes 1 argument, got 0: content_for(name)',
    ],
    [
      '<% content_for :a, 2 do %>a<% end %>',
      'content_for() takes at most 1 argument, got 2: content_for(name)',
      'content_for() takes 1 argument, got 2: content_for(name)',
    ],
  ];
  const app = `app = web_app()
app.templates("views")
for i in 0...${mistakes.length}
  begin
    render_html("t#{i}", {t: 5, n: nil})
  rescue Error => e
    puts e.message
  end
end
begin
  path = 5
  file_each_line(path) { |line| puts line }
rescue TypeError => e
  puts e.message
end
`;
  const views = { 'a.html.erb': 'a', ...Object.fromEntries(mistakes.map(([text], i) => [`t${i}.html.erb`, text])) };
  const cwd = t.testdir({ 'app.svc': app, views });
  const { stdout } = await svcc(['check', '--json', 'app.svc'], { cwd });
  const found = (JSON.parse(stdout) as Finding[]).filter(({ file }) => file.startsWith('views/'));
  mistakes.forEach(([text, checked], i) =>
    t.equal(found.find(({ file }) => file === `views/t${i}.html.erb`)?.message ?? null, checked, text),
  );
  const ran = await svcc(['run', 'app.svc'], { cwd });
  t.strictSame(ran.stdout.split('\n'), [
    ...mistakes.map(([, , raised]) => raised),
    'file_each_line(): path must be String, got Integer',
    '',
  ]);
});
