import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ROOT, svcc } from './svcc.js';

const FOLDER = { 'app.svc': '', 'data.txt': '', 'my app.svc': '', sub: { 'inner.svc': '' } };

/** Command lines up to the cursor, and words that must be suggested or must not. */
const CASES: [line: string, has: string[], lacks: string[]][] = [
  ['svcc ', ['run', 'repl', 'check', 'help'], ['app.svc', 'status']],
  ['svcc re', ['repl'], ['run']],
  ['svcc run ', ['app.svc', 'my app.svc', 'sub'], ['data.txt', 'repl']],
  ['svcc run a', ['app.svc'], ['sub', 'my app.svc']],
  ['svcc run --', ['--port', '--workers', '--help'], ['--json']],
  ['svcc run --port ', [], ['app.svc', 'run']],
  ['svcc run --dev ', ['app.svc'], []],
  ['svcc check --j', ['--json'], ['--strict']],
  ['svcc check app.svc ', ['app.svc', 'my app.svc'], ['data.txt']],
  ['svcc migrate ', ['status', 'down', 'new'], ['run']],
  ['svcc migrate status --', ['--database', '--folder'], ['--port']],
  ['svcc migrate --folder ', ['sub'], ['app.svc', 'status']],
  ['svcc compile -o ', ['data.txt', 'app.svc'], []],
  ['svcc completion ', ['bash', 'zsh', 'fish'], ['app.svc']],
  ['svcc help ', ['run', 'exit-codes', 'language'], ['app.svc']],
  ['svcc cache ', ['info', 'clear'], ['status']],
  ['svcc -', ['-e', '--version'], ['--port']],
];

type Complete = (cwd: string, line: string, script: string) => string[];

const bash: Complete = (cwd, line, script) => {
  const words = line.split(' ');
  const code = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_svcc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', code], { cwd, encoding: 'utf8' }).split('\n');
};

const fish: Complete = (cwd, line, script) =>
  execFileSync('fish', ['--no-config', '-c', `${script}\ncomplete -C '${line}'`], { cwd, encoding: 'utf8' })
    .split('\n')
    .map((row) => row.split('\t')[0].replaceAll('\\', '').replace(/\/$/, ''));

/** The functions of zsh's completion that the script calls: they print what they suggest. */
const ZSH = `
compdef() { }
_message() { }
compadd() { shift; print -l -- $@ }
_describe() { [[ $1 == -o ]] && shift; local name=$2; print -l -- \${(@P)name%%:*} }
_files() { case "$1" in (-g) print -l -- *.svc(N) *(N/) ;; (-/) print -l -- *(N/) ;; (*) print -l -- *(N) ;; esac }
`;

const zsh: Complete = (cwd, line, script) => {
  const words = line.split(' ');
  const code = `${ZSH}${script}
words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}
_svcc`;
  const found = execFileSync('zsh', ['-f', '-c', code], { cwd, encoding: 'utf8' }).split('\n');
  return found.filter((word) => word.startsWith(words[words.length - 1]));
};

function cases(t: Test, shell: string, complete: Complete, script: string): void {
  const cwd = t.testdir(FOLDER);
  for (const [line, has, lacks] of CASES) {
    const found = complete(cwd, line, script);
    for (const word of has) t.ok(found.includes(word), `${shell}: '${line}' suggests ${word}`, { found });
    for (const word of lacks) t.notOk(found.includes(word), `${shell}: '${line}' does not suggest ${word}`, { found });
  }
}

for (const [shell, complete] of Object.entries({ bash, zsh, fish })) {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  t.test(shell, { skip: isThere ? false : `${shell} is not installed` }, async (t) => {
    const { stdout, stderr, exitCode } = await svcc(['completion', shell]);
    t.same([stderr, exitCode], ['', 0]);
    const file = join(t.testdir({ script: stdout }), 'script');
    const check = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    t.same([check.stderr, check.status], ['', 0], 'its syntax is valid');
    cases(t, shell, complete, stdout);
  });
}

t.test('other shells are refused', async (t) => {
  const { stderr, exitCode } = await svcc(['completion', 'tcsh']);
  t.match(stderr, /^error: 'tcsh' is invalid for 'shell'\. Allowed choices are bash, zsh, fish/);
  t.equal(exitCode, 2);
});

const LINTERS: Record<string, string[]> = {
  mandoc: ['-T', 'lint', '-W', 'style'],
  man: ['--warnings', '-l'],
};
for (const [tool, args] of Object.entries(LINTERS)) {
  const isThere = spawnSync(tool, ['-h']).error === undefined;
  t.test(
    `${tool} renders the manual page without warnings`,
    { skip: isThere ? false : `${tool} is not installed` },
    async (t) => {
      const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
      const { stdout, stderr, status } = spawnSync(tool, [...args, join(ROOT, 'man/svcc.1')], {
        encoding: 'utf8',
        env,
      });
      t.same([stderr, status], ['', 0]);
      if (tool === 'mandoc') t.equal(stdout, '');
      else for (const text of ['svcc repl', '--workers', 'EXIT STATUS', 'NO_COLOR']) t.ok(stdout.includes(text), text);
    },
  );
}
