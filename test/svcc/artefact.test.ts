import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { FORMAT, writeArtefact } from '../../svcc/artefact.js';
import { libraryNames } from '../../svcc/library.js';
import { loadSource } from '../../svcc/load.js';
import { decodeProgram, encodeProgram } from '../../vm/artefact/payload.js';
import type { Program } from '../../vm/bytecode/program.js';
import { fuzzSvcb } from '../../tools/fuzz/svcb.js';
import { rounds } from '../rounds.js';
import { RUNS_ALL } from '../share.js';
import { artefactProblem } from './refusals.js';
import { inPairs, ROOT, svcc } from './svcc.js';

t.jobs = 2;

const LONG = process.env.SVC_LONG === '1';
const MUTANTS = rounds(2000, 20_000);

const EXAMPLES = readdirSync(join(ROOT, 'examples'))
  .filter((name) => name.endsWith('.svc'))
  .map((name) => join(ROOT, 'examples', name))
  .sort((a, b) => statSync(a).size - statSync(b).size);

async function compiled(path: string): Promise<Program> {
  return (await loadSource(path, libraryNames(), () => {})).program;
}

/** Asserts that two programs are equal. tap alone takes seconds for equal ones. */
function same(test: Test, actual: Program, expected: Program, what: string): void {
  if (isDeepStrictEqual(actual, expected)) test.pass(what);
  else {
    test.strictSame(actual, expected, what);
    test.fail(`${what}: only isDeepStrictEqual sees the difference`);
  }
}

t.test('a program that is encoded and decoded stays the same', async (t) => {
  for (const path of EXAMPLES) {
    const program = await compiled(path);
    same(t, decodeProgram(encodeProgram(program, true)), program, path);
    const without = decodeProgram(encodeProgram(program, false));
    t.ok(
      without.sources.every(({ text }) => text === null),
      'no source text by default',
    );
    same(t, { ...without, sources: program.sources }, program, `${path} without its text`);
  }
  const odd = await compiled(join(ROOT, 'examples/hello.svc'));
  odd.constants.push(
    { kind: 'string', value: 'half \ud800 pair \0' },
    { kind: 'integer', value: 2n ** 70n },
    { kind: 'integer', value: -(2n ** 300n) },
    { kind: 'integer', value: Number.MAX_SAFE_INTEGER },
    { kind: 'integer', value: -(2 ** 52) },
    { kind: 'float', value: -0 },
    { kind: 'float', value: NaN },
    { kind: 'names', value: ['__proto__', ''] },
  );
  same(t, decodeProgram(encodeProgram(odd, true)), odd, 'odd constants');
});

t.test('a truncated artefact is refused', async (t) => {
  const bytes = writeArtefact(await compiled(join(ROOT, 'examples/hello.svc')), false);
  for (let length = 0; length < bytes.length; length++) {
    const why = artefactProblem(bytes.subarray(0, length));
    if (why === null) t.fail(`${length} of ${bytes.length} bytes are accepted`);
  }
  t.match(artefactProblem(bytes.subarray(0, 20)), /is damaged: it is truncated/);
  t.match(artefactProblem(bytes.subarray(0, 3)), /is not a Svc artefact/);
  t.match(artefactProblem(Buffer.concat([bytes, Buffer.from([0])])), /is damaged: its checksum/, 'a byte more');
});

t.test('a flipped bit of an artefact is refused', async (t) => {
  let flips = 0;
  const { stackTraceLimit } = Error;
  for (const [i, path] of EXAMPLES.slice(0, RUNS_ALL ? 10 : 4).entries()) {
    const bytes = writeArtefact(await compiled(path), false);
    // A stack for each of the refusals would take longer than the rest.
    Error.stackTraceLimit = 0;
    for (let at = 0; at < bytes.length; at++) {
      // Every bit of two artefacts, one bit of each byte of the others.
      for (const bit of LONG || i < 2 ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
        bytes[at] ^= 1 << bit;
        if (artefactProblem(bytes) === null) t.fail(`bit ${bit} of byte ${at} of ${path}`);
        bytes[at] ^= 1 << bit;
        flips++;
      }
    }
    Error.stackTraceLimit = stackTraceLimit;
    t.equal(artefactProblem(bytes), null, `${path} itself is not refused`);
  }
  t.comment(`${flips} bits`);
});

t.test('mutants with a valid checksum are refused or run within the rules of the language', async (t) => {
  const { faults, fates, pairs } = fuzzSvcb(MUTANTS, 1);
  t.strictSame(faults.slice(0, 5), [], `${faults.length} faults`);
  t.comment(`${JSON.stringify(fates)}, ${pairs} pairs of opcodes`);
  const enough = MUTANTS / 8;
  t.ok(fates.damaged > enough && fates.refused > enough && fates.ended + fates.failed > enough);
});

t.test('messages of refused artefacts say what to do', async (t) => {
  const cwd = t.testdir({ 'hello.svc': 'puts "hello"\n', 'text.svcb': 'puts "hello"\n', 'empty.svcb': '' });
  t.strictSame(await svcc(['compile', 'hello.svc'], { cwd }), {
    stdout: 'hello.svcb: 0.1 KB\n',
    stderr: '',
    exitCode: 0,
  });
  const refuse = async (change: (bytes: Buffer) => void): Promise<string> => {
    const bytes = readFileSync(join(cwd, 'hello.svcb'));
    change(bytes);
    writeFileSync(join(cwd, 'bad.svcb'), bytes);
    const { stdout, stderr, exitCode } = await svcc(['run', 'bad.svcb'], { cwd });
    t.strictSame([stdout, exitCode], ['', 3]);
    return stderr;
  };
  t.equal(
    await refuse((bytes) => bytes.writeUInt16LE(FORMAT + 6, 4)),
    `bad.svcb has format ${FORMAT + 6}, made by svcc 0.1.0; svcc 0.1.0 reads format ${FORMAT}: compile the program again\n`,
  );
  t.equal(
    await refuse((bytes) => bytes.writeUInt8(bytes[bytes.length - 1] ^ 1, bytes.length - 1)),
    'bad.svcb is damaged: its checksum does not match; copy it again or compile the program again\n',
  );
  for (const name of ['text.svcb', 'empty.svcb'])
    t.strictSame(await svcc(['run', name], { cwd }), {
      stdout: '',
      stderr: `${name} is not a Svc artefact; \`svcc compile\` makes one of a .svc file\n`,
      exitCode: 3,
    });
  t.strictSame(await svcc(['disasm', 'text.svcb'], { cwd }), {
    stdout: '',
    stderr: 'text.svcb is not a Svc artefact; `svcc compile` makes one of a .svc file\n',
    exitCode: 3,
  });
});

/** Commands that load artefacts. */
const COMMANDS = [['run'], ['run', '--no-cache'], ['run', '--seeds', '2'], ['routes'], ['disasm'], ['disasm', '--jit']];

t.test('a missing name of the library is named', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'error Mine < ValueError\nputs [1].map { it }\nraise Mine, "x"\n' });
  const { program } = await loadSource(join(cwd, 'app.svc'), libraryNames(), () => {});
  const changes: Record<string, (changed: Program) => void> = {
    "'frobnicate' of the library": ({ natives }) => {
      natives[0] = 'frobnicate';
    },
    "'__proto__' of the library": ({ natives }) => {
      natives[0] = '__proto__';
    },
    "'loop' of the library": ({ natives }) => {
      natives[0] = 'loop';
    },
    "the error type 'FutureError'": ({ types }) => {
      Object.assign(types[0], { parent: 'FutureError' });
    },
  };
  let first = true;
  for (const [what, change] of Object.entries(changes)) {
    const changed = structuredClone(program);
    change(changed);
    const bytes = writeArtefact(changed, false);
    writeFileSync(join(cwd, 'bad.svcb'), bytes);
    const stderr = `bad.svcb is invalid: it uses ${what}, which svcc 0.1.0 does not have; compile the program again\n`;
    // The commands load an artefact in the same way, so one missing name suffices for the others.
    const commands = first ? COMMANDS : [['run']];
    first = false;
    const outcomes = await inPairs(commands, (args) => svcc([...args, 'bad.svcb'], { cwd }));
    for (const [i, outcome] of outcomes.entries())
      t.strictSame(outcome, { stdout: '', stderr, exitCode: 3 }, `${commands[i].join(' ')}: ${what}`);
  }
});

t.test('the refusal of an artefact of a later version names that version', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts 1\n' });
  const { program } = await loadSource(join(cwd, 'app.svc'), libraryNames(), () => {});
  program.natives[0] = 'frobnicate';
  const bytes = writeArtefact(program, false);
  const [maker, end] = [7, 12];
  bytes.write('9.9.9', maker, 'latin1');
  createHash('sha256')
    .update(bytes.subarray(0, end))
    .update(bytes.subarray(end + 32))
    .digest()
    .copy(bytes, end);
  t.equal(
    artefactProblem(bytes),
    "app.svcb is invalid: it uses 'frobnicate' of the library, which svcc 0.1.0 does not have; run it with svcc 9.9.9, which made it, or compile the program again",
  );
});

t.test('an artefact holds all modules and runs anywhere', async (t) => {
  const cwd = t.testdir({
    'app.svc':
      'require "lib/words"\nimport "lib/more" as m\nputs word(), m.more(), argv()\nraise "end" if argv().length > 1\n',
    lib: { 'words.svc': 'def word\n  "word"\nend\n', 'more.svc': 'def more\n  "more"\nend\n' },
    other: {},
  });
  t.equal((await svcc(['compile', 'app.svc', '-o', 'other/program'], { cwd })).exitCode, 0);
  const elsewhere = join(cwd, 'other');
  t.strictSame(await svcc(['run', 'program', 'a'], { cwd: elsewhere }), {
    stdout: 'word\nmore\n[a]\n',
    stderr: '',
    exitCode: 0,
  });
  t.equal(
    (await svcc(['run', 'program', 'a', 'b'], { cwd: elsewhere })).stderr,
    'RuntimeError: end\n  app.svc:4 in main\n',
  );
  t.equal((await svcc(['compile', 'app.svc', '--with-source', '-o', 'other/program'], { cwd })).exitCode, 0);
  t.equal(
    (await svcc(['run', 'program', 'a', 'b'], { cwd: elsewhere })).stderr,
    'RuntimeError: end\n  4 | raise "end" if argv().length > 1\n    | ^\n  app.svc:4 in main\n',
  );
  t.match((await svcc(['disasm', 'program'], { cwd: elsewhere })).stdout, /function \d+ def word\(\).*lib\/words\.svc/);
});

t.test('the same source compiles to the same bytes', async (t) => {
  const files = ['app.svc', 'lib/words.svc'];
  const cwd = t.testdir({
    one: { 'app.svc': 'require "lib/words"\nputs word()\n', lib: { 'words.svc': 'def word\n  "wörd"\nend\n' } },
    two: {},
  });
  mkdirSync(join(cwd, 'two/deep/lib'), { recursive: true });
  for (const file of files) copyFileSync(join(cwd, 'one', file), join(cwd, 'two/deep', file));
  // prettier-ignore
  const made = await Promise.all([
    svcc(['compile', 'app.svc', '-o', '../1.svcb'], { cwd: join(cwd, 'one') }),
    svcc(['compile', 'two/deep/app.svc', '-o', '2.svcb'], { cwd, env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu' } }),
    svcc(['compile', join(cwd, 'one/app.svc'), '-o', join(cwd, '3.svcb')], { cwd: ROOT, env: { NODE_OPTIONS: '--no-deprecation', HOME: '/nowhere' } }),
  ]);
  t.strictSame(
    made.map(({ exitCode }) => exitCode),
    [0, 0, 0],
  );
  const [first, ...others] = ['1.svcb', '2.svcb', '3.svcb'].map((name) =>
    readFileSync(join(cwd, name)).toString('hex'),
  );
  for (const other of others) t.equal(other, first);
});

t.test('compile: errors', async (t) => {
  const cwd = t.testdir({ 'wrong.svc': 'puts (1\n', 'fine.svc': 'puts 1\n' });
  const wrong = await svcc(['compile', 'wrong.svc'], { cwd });
  t.equal(wrong.exitCode, 2);
  t.match(wrong.stderr, 'wrong.svc:1:8: error:');
  t.notOk(readdirSync(cwd).includes('wrong.svcb'), 'nothing is written');
  t.strictSame(await svcc(['compile', 'fine.svc', '-o', 'none/fine.svcb'], { cwd }), {
    stdout: '',
    stderr: 'cannot write none/fine.svcb: no such file or directory\n',
    exitCode: 1,
  });
  t.strictSame(await svcc(['compile', 'none.svc'], { cwd }), {
    stdout: '',
    stderr: 'cannot read none.svc: no such file or directory\n',
    exitCode: 2,
  });
});
