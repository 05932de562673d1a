import type { Outcome } from '#embed';
import t from 'tap';
import { readExpectations } from './program.js';
import { compare } from './report.js';

/** Whether a run of a program x.svc with this source and outcome would pass. */
function passes(source: string, outcome: Partial<Outcome>): boolean {
  const { actual, expected } = compare('x.svc', readExpectations(source), {
    stdout: '',
    stderr: '',
    exitCode: 0,
    ...outcome,
  });
  return actual === expected;
}

t.test('stdout is compared line by line', async (t) => {
  const source = 'puts 1 # expect: 1\nputs "" # expect:\nputs "#" # expect: #';
  t.ok(passes(source, { stdout: '1\n\n#\n' }));
  t.ok(passes(source, { stdout: '1\n\n#' }), 'the last newline may be missing');
  t.notOk(passes(source, { stdout: '1\n#\n' }));
  t.notOk(passes(source, { stdout: '1\n\n#\n\n' }));
  t.notOk(passes(source, { stdout: '1\n\n#\n', stderr: 'warning' }), 'stderr must be empty');
  t.notOk(passes(source, { stdout: '1\n\n#\n', exitCode: 1 }));
});

t.test('an uncaught error has type, message, line and exit code', async (t) => {
  const source = 'x = 1\nx + nil # expect error: TypeError cannot add';
  const right = { stderr: 'TypeError: cannot add Integer and Nil\n  x.svc:2 in main\n', exitCode: 1 };
  t.ok(passes(source, right));
  t.notOk(passes(source, { ...right, exitCode: 0 }));
  t.notOk(passes(source, { ...right, stderr: right.stderr.replace('TypeError', 'KeyError') }));
  t.notOk(passes(source, { ...right, stderr: right.stderr.replace('add', 'divide') }));
  t.notOk(passes(source, { ...right, stderr: right.stderr.replace(':2', ':21') }));
  t.notOk(
    passes(source, { ...right, stderr: `${right.stderr}    at run (file:///a/embed.js:10:4)` }),
    'no JavaScript stack',
  );
});

t.test('a compile error has position, message and exit code', async (t) => {
  const source = 'x = 1 2   # expect compile error: 1:7 meaning';
  const right = { stderr: 'x.svc:1:7: & has no meaning\n', exitCode: 2 };
  t.ok(passes(source, right));
  t.notOk(passes(source, { ...right, exitCode: 1 }));
  t.notOk(passes(source, { ...right, stderr: right.stderr.replace(':7', ':70') }));
  t.notOk(passes(source, { ...right, stdout: 'executed\n' }));
  t.ok(passes('end # expect compile error: 1', { ...right, stderr: 'x.svc:1:3: end' }), 'the column may be left out');
  t.ok(
    passes('if x # expect compile error: no end', { ...right, stderr: 'x.svc:9:1: no end' }),
    'the position may be left out',
  );
});

t.test('other directives', async (t) => {
  t.ok(passes('exit(3) # expect exit: 3', { exitCode: 3 }));
  t.ok(passes('A = 2 # expect stderr: warning', { stderr: 'a warning\n' }));
  t.same(readExpectations('# stdin: a\n# stdin: b\n# args: x y').stdin, 'a\nb\n');
  t.same(readExpectations('# only: normal, slice-1: because').only, ['normal', 'slice-1']);
  t.throws(() => readExpectations('# skip:'), { message: '# skip needs a reason' });
  t.throws(() => readExpectations('puts 1'), { message: 'the program expects nothing' });
});
