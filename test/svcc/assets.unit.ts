import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join, posix, relative } from 'node:path';
import t from 'tap';
import { readArtefact, writeArtefact } from '../../svcc/artefact.js';
import { libraryNames } from '../../svcc/library.js';
import { collectAssets } from '../../svcc/assets.js';
import { InvalidArtefact } from '../../vm/artefact/bytes.js';
import { decodeProgram, encodeProgram } from '../../vm/artefact/payload.js';
import { Assets } from '../../vm/artefact/assetfiles.js';
import type { Asset, Program } from '../../vm/bytecode/program.js';
import fc from '../property.js';
import { programOf } from '../vm/support/machine.js';
import { artefactProblem, assertRefused } from './refusals.js';
import { inPairs, ROOT, svcc } from './svcc.js';

// No jobs: a test takes another user's rights for a moment, which counts for the whole process.

const HELLO = programOf('puts "hello"\n');

function asset(path: string, text = 'x'): Asset {
  return { path, bytes: Buffer.from(text) };
}

function withAssets(...assets: Asset[]): Program {
  return { ...HELLO, assets };
}

/** The message with which the payload of an artefact is refused, or null if it is accepted. */
function refusal(bytes: Uint8Array): string | null {
  try {
    decodeProgram(bytes);
    return null;
  } catch (error) {
    if (error instanceof InvalidArtefact) return error.message;
    throw error;
  }
}

t.test('decoded assets are equal to the encoded ones, without copies', async (t) => {
  const program = withAssets(asset('a'), asset('b/c.txt', ''), asset('b/ü 😀', 'two'), asset('b.txt'));
  program.assets = [...(program.assets as Asset[])].sort((p, q) => (p.path < q.path ? -1 : 1));
  const bytes = encodeProgram(program, false);
  const read = decodeProgram(bytes);
  t.strictSame(
    read.assets?.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
    [
      ['a', 'x'],
      ['b.txt', 'x'],
      ['b/c.txt', ''],
      ['b/ü 😀', 'two'],
    ],
  );
  for (const { bytes: view } of read.assets as Asset[]) t.equal(view.buffer, bytes.buffer);
  t.equal(decodeProgram(encodeProgram(HELLO, false)).assets, undefined);
  t.strictSame(
    encodeProgram({ ...HELLO, assets: [] }, false),
    encodeProgram(HELLO, false),
    'an empty list is written like no list',
  );
});

t.test('paths of assets that no compiler writes are refused', async (t) => {
  const bad = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    './a',
    'a/.',
    'a/./b',
    '..',
    '../a',
    'a/..',
    'a/../b',
    'a\0b',
    '\0',
    'a\\b',
    '..\\a',
    'a\ud800',
    `${'a/'.repeat(2048)}b`,
  ];
  for (const path of bad)
    t.match(
      refusal(encodeProgram(withAssets(asset(path)), false)),
      /^the path of an asset (is|contains) .* at byte \d+$/,
      JSON.stringify(path),
    );
  for (const path of ['a', '.a', '..a', 'a.', 'a..', '...', 'a/...', 'a b', 'C:', 'é', `${'a/'.repeat(2047)}bb`])
    t.equal(refusal(encodeProgram(withAssets(asset(path)), false)), null, path);
});

t.test('tables of assets that are unordered, ambiguous or too large are refused', async (t) => {
  t.match(refusal(encodeProgram(withAssets(asset('b'), asset('a')), false)), /not in order/);
  t.match(refusal(encodeProgram(withAssets(asset('a'), asset('a')), false)), /not in order/);
  t.match(refusal(encodeProgram(withAssets(asset('a'), asset('a-b'), asset('a/b')), false)), /lies below another/);
  t.match(refusal(encodeProgram(withAssets(asset('a/b'), asset('a/b/c/d')), false)), /lies below another/);
  const whole = encodeProgram(withAssets(asset('a', 'one'), asset('b', 'two')), false);
  t.equal(refusal(whole), null);
  for (let length = 0; length < whole.length; length++)
    if (refusal(whole.subarray(0, length)) === null) t.fail(`${length} of ${whole.length} bytes are accepted`);
  t.match(refusal(whole.subarray(0, whole.length - 1)), /the assets are larger than the file/);
  t.match(refusal(Buffer.concat([whole, Buffer.from('x')])), /1 bytes too many/);

  const before = encodeProgram(HELLO, false).subarray(0, -1);
  const table = (...numbers: number[]): string | null => refusal(Buffer.concat([before, Buffer.from(numbers)]));
  const huge = [255, 255, 255, 255, 255, 255, 255, 15];
  t.equal(table(0), null);
  t.match(table(...huge), /items do not fit/);
  t.match(table(1, ...huge, 0), /bytes are missing/);
  t.match(table(1, 2, 97, ...huge), /larger than the file/);
  t.match(table(2, 2, 97, ...huge, 2, 98, ...huge), /larger than the file/);
  t.match(table(1, 2, 97, 0x80, 0), /shortest form/);
  t.match(table(1, 2, 0xff, 0), /not UTF-8/);
  t.equal(table(1, 2, 97, 0), null);
});

t.test('random tables of assets are refused or valid', async (t) => {
  const before = encodeProgram(HELLO, false).subarray(0, -1);
  const good = encodeProgram(withAssets(asset('a', 'one'), asset('b/c', 'two'), asset('b/d.txt', '')), false).subarray(
    before.length,
  );
  const edit = fc.tuple(
    fc.nat(good.length - 1),
    fc.nat(3),
    fc.array(fc.oneof(fc.constantFrom(0, 2, 4, 46, 47, 92, 97, 98, 128, 255), fc.nat(255)), { maxLength: 4 }),
  );
  const counts = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const table = [...good];
      for (const [at, removed, inserted] of edits) table.splice(at, removed, ...inserted);
      const bytes = Buffer.concat([before, Buffer.from(table)]);
      if (refusal(bytes) !== null) return void counts.refused++;
      const assets = decodeProgram(bytes).assets ?? [];
      counts.taken++;
      const paths = assets.map(({ path }) => path);
      const areNormal = paths.every(
        (path) => path === posix.normalize(path) && !/^(\.\.?)?(\/|$)|\/$|\0|\\/.test(path),
      );
      const areInOrder = paths.every((path, i) => i === 0 || paths[i - 1] < path);
      if (!areNormal || !areInOrder || paths.some((path) => paths.some((other) => other.startsWith(`${path}/`))))
        throw new Error(JSON.stringify(paths));
      if (assets.some(({ bytes: view }) => view.buffer !== bytes.buffer)) throw new Error('copied');
    }),
    { numRuns: process.env.SVC_LONG === '1' ? 100_000 : 5000 },
  );
  t.ok(counts.taken > 100 && counts.refused > 100, JSON.stringify(counts));
});

t.test('the checksum covers the assets', async (t) => {
  const bytes = writeArtefact(withAssets(asset('a.txt', 'some text')), false);
  t.equal(readArtefact('app.svcb', bytes, libraryNames()).assets?.[0].path, 'a.txt');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    bytes[bit >> 3] ^= 1 << (bit & 7);
    if (artefactProblem(bytes) === null) t.fail(`bit ${bit}`);
    bytes[bit >> 3] ^= 1 << (bit & 7);
  }
  for (const path of ['../a', '/etc/passwd', 'a//b'])
    t.match(
      artefactProblem(writeArtefact(withAssets(asset(path)), false)),
      /^app\.svcb is invalid: the path of an asset is not normalised/,
    );
});

t.test('which paths find an asset', async (t) => {
  const assets = new Assets();
  t.strictSame([assets.find('a'), assets.hasFolder('.'), assets.names('')], [null, false, null], 'none');
  assets.take(['a', 'a-b', 'b.txt', 'b/c', 'b/d/e', 'b/d/f', 'c/g'].map((path) => asset(path)));
  for (const path of ['a', './a', 'b/../a', 'b//../a', './/a']) t.equal(assets.find(path)?.path, 'a', path);
  for (const path of ['b/d/e', 'b/./d//e', 'b/x/../d/e']) t.equal(assets.find(path)?.path, 'b/d/e', path);
  for (const path of [
    '',
    '.',
    '/',
    '/a',
    '../a',
    'a/',
    'a/.',
    'a/x/..',
    'a/b',
    'b',
    'b/',
    'b/d',
    'A',
    'a\0',
    '../../b/c',
    'b/../../a',
  ])
    t.equal(assets.find(path), null, path);
  for (const path of ['.', './', 'b', 'b/', 'b/d', 'b/d/..', 'c', 'b/../c']) t.ok(assets.hasFolder(path), path);
  for (const path of ['', '/', '..', 'a', 'a-', 'b.', 'b/c', 'd', '/b', '../b']) t.notOk(assets.hasFolder(path), path);
  t.strictSame([...(assets.names('.') as Set<string>)].sort(), ['a', 'a-b', 'b', 'b.txt', 'c']);
  t.strictSame([...(assets.names('b') as Set<string>)].sort(), ['c', 'd']);
  t.equal(assets.names('a'), null);
});

t.test('folder, time and locale do not change the bytes of an artefact', async (t) => {
  const names = ['z.txt', 'Z.txt', 'ä.txt', 'a.txt', 'i.txt', 'I.txt', 'ı.txt', '10.txt', '9.txt'];
  const tree = (order: string[]): Record<string, string> => Object.fromEntries(order.map((name) => [name, name]));
  const cwd = t.testdir({
    one: { 'app.svc': 'puts 1\n', public: { ...tree(names), sub: tree(names) }, views: { 'a.tpl': 'a' } },
    two: {
      deep: {
        'app.svc': 'puts 1\n',
        views: { 'a.tpl': 'a' },
        public: { sub: tree(names.toReversed()), ...tree(names.toReversed()) },
      },
    },
  });
  utimesSync(join(cwd, 'two/deep/public/a.txt'), 1, 1);
  chmodSync(join(cwd, 'two/deep/public/9.txt'), 0o600);
  // prettier-ignore
  const made = await Promise.all([
    svcc(['compile', 'app.svc', '--assets', 'public', '--assets', 'views', '-o', '../1.svcb'], { cwd: join(cwd, 'one') }),
    svcc(['compile', 'two/deep/app.svc', '--assets', './two/deep/views/', '--assets', 'two/deep/public', '--assets', 'two/deep/public/sub', '-o', '2.svcb'], { cwd, env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu' } }),
    svcc(['compile', join(cwd, 'one/app.svc'), '--assets', join(cwd, 'one/views'), '--assets', join(cwd, 'one/public'), '-o', join(cwd, '3.svcb')], { cwd: ROOT }),
  ]);
  t.strictSame(
    made.map(({ stderr, exitCode }) => [stderr, exitCode]),
    [
      ['', 0],
      ['', 0],
      ['', 0],
    ],
  );
  const [first, ...others] = ['1.svcb', '2.svcb', '3.svcb'].map((name) => readFileSync(join(cwd, name)));
  for (const other of others) t.ok(other.equals(first));
  t.equal(readArtefact('1.svcb', first, libraryNames()).assets?.length, 2 * names.length + 1);
});

t.test('which files become assets', async (t) => {
  const cwd = t.testdir({
    'app.svc': 'puts dir_list("public"), file_read("public/link.txt"), file_read("public/also/b.txt")\n',
    public: { 'a.txt': 'a', '.env': 'secret', '.hidden': { 'a.txt': 'secret' }, sub: { 'b.txt': 'b' } },
    '.well': { 'c.txt': 'c' },
    other: {},
  });
  symlinkSync('a.txt', join(cwd, 'public/link.txt'));
  symlinkSync('sub', join(cwd, 'public/also'));
  execFileSync('mkfifo', [join(cwd, 'public/pipe')]);
  t.equal(
    (await svcc(['compile', 'app.svc', '--assets', 'public', '--assets', '.well', '-o', 'other/app.svcb'], { cwd }))
      .exitCode,
    0,
  );
  const { assets } = readArtefact('app.svcb', readFileSync(join(cwd, 'other/app.svcb')), libraryNames());
  t.strictSame(
    assets?.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
    [
      ['.well/c.txt', 'c'],
      ['public/a.txt', 'a'],
      ['public/also/b.txt', 'b'],
      ['public/link.txt', 'a'],
      ['public/sub/b.txt', 'b'],
    ],
  );
  t.strictSame(await svcc(['run', 'app.svcb'], { cwd: join(cwd, 'other') }), {
    stdout: '[a.txt, also, link.txt, sub]\na\nb\n',
    stderr: '',
    exitCode: 0,
  });
});

t.test('folders of assets that are refused', async (t) => {
  const cwd = t.testdir({
    'secret.txt': 'secret',
    beside: { 'a.txt': 'a' },
    p: {
      'app.svc': 'puts 1\n',
      'file.txt': 'x',
      out: {},
      back: { in: {} },
      dead: {},
      far: {},
      big: { 'a.bin': '', 'b.bin': '' },
      odd: { 'a\\b.txt': 'x' },
      closed: { 'a.txt': 'x' },
      fine: { 'a.txt': 'x' },
      loop: {},
    },
  });
  const at = (path: string): string => join(cwd, 'p', path);
  symlinkSync('../../secret.txt', at('out/link.txt'));
  symlinkSync('../../beside', at('far/link'));
  symlinkSync('..', at('back/in/up'));
  symlinkSync('nowhere', at('dead/link'));
  symlinkSync('self', at('loop/self'));
  symlinkSync('../beside', at('beside'));
  for (const name of ['a.bin', 'b.bin']) truncateSync(at(`big/${name}`), 129 * 1024 * 1024);
  mkdirSync(at('none'));
  // prettier-ignore
  const rows: [folder: string, message: RegExp][] = [
    ['nowhere', /^--assets: cannot read nowhere: no such file or directory$/m], ['file.txt', /^--assets: file\.txt is not a directory$/m], ['.', /\. is not a folder inside the program's folder/],
    ['..', /\.\. is not a folder inside/], ['../beside', /is not a folder inside/], [join(cwd, 'beside'), /is not a folder inside/], ['beside', /beside is not a folder inside/], ['/', /\/ is not a folder inside/],
    ['out', /out\/link\.txt is a link that leads out of the folder/], ['far', /far\/link is a link that leads out/], ['back', /back\/in\/up is a link to a folder that contains it/],
    ['dead', /cannot read .*dead\/link: no such file/], ['loop', /cannot read .*loop\/self: too many symbolic links/], ['big', /the files take more than 256 MB together/], ['odd', /the path of ".*" contains a NUL or a backslash/],
  ];
  const outcomes = await inPairs(rows, ([folder]) => svcc(['compile', 'app.svc', '--assets', folder], { cwd: at('') }));
  for (const [i, [, message]] of rows.entries()) assertRefused(t, outcomes[i], 2, message);
  assertRefused(t, await svcc(['compile', 'app.svc', '--assets'], { cwd: at('') }), 2, /--assets/, { lines: 3 });
  assertRefused(
    t,
    await svcc(['compile', 'app.svc', '--assets', 'fine', '-o', 'fine/app.svcb'], { cwd: at('') }),
    2,
    /fine\/app\.svcb would be one of the files that it is made from/,
  );
  t.notOk(existsSync(at('fine/app.svcb')));
  t.equal(
    (await svcc(['compile', 'app.svc', '--assets', 'none', '-o', 'empty.svcb'], { cwd: at('') })).exitCode,
    0,
    'an empty folder is no error',
  );
});

t.test('an artefact is not written among its own assets', async (t) => {
  const cwd = t.testdir({
    'app.svc': 'puts 1\n',
    'beside.svcb': '',
    public: { 'a.txt': 'a', sub: { 'b.txt': 'b' }, '.kept': { 'old.svcb': '' } },
    pages: { 'c.txt': 'c' },
  });
  const at = (path: string): string => join(cwd, path);
  symlinkSync('sub', at('public/again'));
  symlinkSync('.kept/old.svcb', at('public/old.svcb'));
  symlinkSync('public/sub', at('link'));
  symlinkSync('public/a.txt', at('replaces.svcb'));
  const collect = (output: string, folders = ['pages', 'public']): string => {
    try {
      return `${collectAssets(at('app.svc'), folders.map(at), output).length} files`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const refused = ['public/x.svcb', 'public/sub/x.svcb', 'public/again/x.svcb', 'pages/x.svcb', 'public/a.txt'];
  const linked = ['link/x.svcb', 'replaces.svcb', 'public/.kept/old.svcb', 'public/sub/../x.svcb'];
  for (const path of [...refused, ...linked])
    for (const output of [at(path), relative('.', at(path))])
      t.match(collect(output), /^--assets: the artefact .+ would be one of the files/, output);
  for (const path of ['x.svcb', 'beside.svcb', 'public/.x.svcb', 'public/.kept/x.svcb', 'missing/x.svcb'])
    t.equal(collect(at(path)), '5 files', path);
  t.equal(collect(at('public/x.svcb'), ['pages']), '1 files', 'a folder that is not included');
});

t.test('an unreadable file or folder is named', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts 1\n', public: { 'a.txt': 'a' }, closed: { in: { 'a.txt': 'a' } } });
  chmodSync(join(cwd, 'public/a.txt'), 0);
  chmodSync(join(cwd, 'closed/in'), 0);
  const collect = (folder: string) => () =>
    collectAssets(join(cwd, 'app.svc'), [join(cwd, folder)], join(cwd, 'app.svcb'));
  // Root may read everything.
  if (process.getuid?.() === 0) process.seteuid?.(65534);
  try {
    t.throws(collect('public'), /^--assets: cannot read .*public\/a\.txt: permission denied$/);
    t.throws(collect('closed'), /^--assets: cannot read .*closed\/in: permission denied$/);
  } finally {
    if (process.getuid?.() === 0) process.seteuid?.(0);
    chmodSync(join(cwd, 'closed/in'), 0o755);
  }
});

t.test('disasm shows source lines where the artefact has them', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'total = 1 + 2\nputs total\n' });
  writeFileSync(join(cwd, 'cr.svc'), 'puts 1\r\nputs 2\r\n');
  for (const [flags, shown] of [
    [['--with-source'], true],
    [[], false],
  ] as const) {
    t.equal((await svcc(['compile', 'app.svc', ...flags], { cwd })).exitCode, 0);
    const { stdout, exitCode } = await svcc(['disasm', 'app.svcb'], { cwd });
    t.equal(exitCode, 0);
    t.equal(/^ {7}; 2 \| puts total$/m.test(stdout), shown);
    t.match(stdout, /NATIVE/);
  }
  t.match((await svcc(['disasm', 'app.svc'], { cwd })).stdout, /^ {7}; 1 \| total = 1 \+ 2\n {4}0 {2}1:/m);
  t.match((await svcc(['disasm', 'cr.svc'], { cwd })).stdout, /^ {7}; 1 \| puts 1$/m);
});
