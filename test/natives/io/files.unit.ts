import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runFile } from '#embed';
import t, { type Test } from 'tap';
import { happens, until } from '../../patience.js';
import { directory, output, runSource, showing } from './support.js';
import { MAX_STRING } from '../../../vm/values/limits.js';

/** The number of a user without rights. */
const NOBODY = 65534;

/** A program that shows the error of each block. */
const RESCUED = `
dir = argv()[0]
${showing('.replace(argv()[0], "D")')}`;

t.test('reading', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'bad.txt'), Buffer.from([0x61, 0xff, 0x62]));
  writeFileSync(join(dir, 'empty.txt'), '');
  writeFileSync(join(dir, 'lines.txt'), 'a\r\n\nb');
  writeFileSync(join(dir, 'bom.json'), '\ufeff{"a": 1}');
  writeFileSync(join(dir, 'bad.json'), '{\n1}');
  const printed = await output(
    t,
    `${RESCUED}
show(-> { file_read("#{dir}/bad.txt") })
show(-> { file_read("#{dir}/empty.txt") })
show(-> { file_lines("#{dir}/empty.txt") })
show(-> { file_lines("#{dir}/lines.txt") })
show(-> { json_read("#{dir}/bom.json") })
show(-> { json_read("#{dir}/bad.json") })
show(-> { file_read("#{dir}/none") })
show(-> { file_read(dir) })
show(-> { file_read("a\\0b") })
show(-> { file_read("/proc/self/status").length > 100 })
`,
    dir,
  );
  t.equal(
    printed,
    `ValueError: D/bad.txt is not UTF-8: byte ff at offset 1; file_read_bytes reads any file
(String) ""
(Vector) []
(Vector) ["a", "", "b"]
(Hash) {a: 1}
ValueError: D/bad.json: invalid JSON at line 2, column 1: expected a key in double quotes, found '1'
FileNotFoundError: cannot read D/none: no such file or directory
IOError: cannot read D: it is a directory, not a file
ValueError: a path cannot contain a NUL character: "a\\u0000b"
(Boolean) true
`,
  );
});

t.test('a file longer than any text is refused before it is read', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'sparse'), '');
  truncateSync(join(dir, 'sparse'), 10 * 2 ** 30);
  t.equal(
    await output(t, `${RESCUED}show(-> { file_read("#{dir}/sparse") })`, dir),
    `MemoryError: cannot read D/sparse: it is larger than ${MAX_STRING} bytes\n`,
  );
});

t.test('a directory cannot be moved into itself', async (t) => {
  const dir = await directory(t);
  t.equal(
    await output(t, `${RESCUED}\nshow(-> { file_rename(dir, dir + "/x") })\n`, dir),
    'IOError: cannot rename D to D/x: a directory cannot be moved into itself\n',
  );
});

t.test('names in a directory', async (t) => {
  const dir = await directory(t);
  for (const name of ['\u{1f600}', '\uffee', '\ufffd', 'b']) writeFileSync(join(dir, name), '');
  const sorted = 'names = dir_list(dir)\np names.size, names == names.sort\n';
  t.equal(await output(t, `dir = argv()[0]\n${sorted}`, dir), '(Integer) 4\n(Boolean) true\n');
  if (process.platform !== 'linux') return;
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9])]), '');
  t.equal(
    await output(t, `${RESCUED}\nshow(-> { dir_list(dir) })\n`, dir),
    'ValueError: cannot list D: the name "caf\ufffd" is not UTF-8 (byte e9)\n',
  );
});

t.test('file_each_line reads long lines in linear time, and line ends that parts cut', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'long'), `${'x'.repeat(65_534)}\r\n${'y'.repeat(65_535)}\r\r\n\nz\r`);
  writeFileSync(join(dir, 'longest'), `${'x'.repeat(64 << 20)}\nend`);
  const printed = await output(
    t,
    `
dir = argv()[0]
lines = []
file_each_line("#{dir}/long") { |line| lines << line }
p lines.map(&.size), lines[1][-1], lines == file_lines("#{dir}/long")
begun = clock_ms()
sizes = []
file_each_line("#{dir}/longest") { |line| sizes << line.size }
p sizes, clock_ms() - begun < 8000
`,
    dir,
  );
  t.equal(
    printed,
    '(Vector) [65534, 65536, 0, 1]\n(String) "\\r"\n(Boolean) true\n(Vector) [67108864, 3]\n(Boolean) true\n',
  );
});

t.test('devices and pipes block no program', async (t) => {
  const dir = await directory(t);
  const printed = await output(
    t,
    `${RESCUED}
shell(["mkfifo", "#{dir}/pipe"])
show(-> { file_read("/dev/zero") })
show(-> { file_read("#{dir}/pipe") })
show(-> { file_append("#{dir}/pipe", "x") })
show(-> { file_write("#{dir}/pipe", "x") })
show(-> { file_copy("#{dir}/pipe", "#{dir}/copy") })
file_write("#{dir}/text", "x")
show(-> { file_copy("#{dir}/text", "#{dir}/pipe") })
show(-> { file_copy("#{dir}/text", "/dev/null") })
show(-> { file_copy("#{dir}/text", dir) })
show(-> { file_write("/dev/null", "x") })
`,
    dir,
  );
  t.equal(
    printed,
    `IOError: cannot read /dev/zero: it is a device or pipe, not a file
IOError: cannot read D/pipe: it is a device or pipe, not a file
IOError: cannot write D/pipe: no process reads from this pipe
IOError: cannot write D/pipe: no process reads from this pipe
IOError: cannot copy D/pipe to D/copy: only files can be copied
IOError: cannot copy D/text to D/pipe: D/pipe is a device or pipe, not a file
IOError: cannot copy D/text to /dev/null: /dev/null is a device or pipe, not a file
IOError: cannot copy D/text to D: D is a directory, not a file
(Nil) nil
`,
  );
  t.ok(statSync('/dev/null').isCharacterDevice());
  t.ok(statSync(join(dir, 'pipe')).isFIFO());
});

t.test('writing to a pipe waits for its reader', async (t) => {
  const path = join(await directory(t), 'pipe');
  execFileSync('mkfifo', [path]);
  // Without another end, a pipe cannot be written to.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.teardown(() => closeSync(fd));
  const written = output(t, 'file_write(argv()[0], "x" * 300000)\nfile_append(argv()[0], "y" * 300000)', path);
  let read = '';
  const buffer = Buffer.alloc(100_000);
  await until('the texts', () => {
    try {
      read += buffer.toString('latin1', 0, readSync(fd, buffer));
    } catch {
      // Nothing is there yet.
    }
    return read.length === 600_000;
  });
  t.equal(await written, '');
  t.equal(read, 'x'.repeat(300_000) + 'y'.repeat(300_000));
  const { stdout } = await runSource(
    t,
    'begin\n  timeout(0.05) { file_write(argv()[0], "x" * 300000) }\nrescue TimeoutError => e\n  puts e\nend',
    [path],
  );
  t.equal(stdout, 'timed out after 0.05s\n');
});

t.test('writing replaces a file atomically', async (t) => {
  const dir = await directory(t);
  const path = join(dir, 'secret.txt');
  writeFileSync(path, 'a long old text');
  chmodSync(path, 0o640);
  symlinkSync(path, join(dir, 'link'));
  await output(t, 'file_write("#{argv()[0]}/link", "né")', dir);
  t.equal(readFileSync(path, 'utf8'), 'né', 'through a link');
  t.equal(statSync(path).mode & 0o777, 0o640, 'with the rights it had');
  t.same(readdirSync(dir), ['link', 'secret.txt'], 'nothing is left beside it');
});

t.test('copying replaces a file atomically', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'from'), 'new');
  chmodSync(join(dir, 'from'), 0o640);
  writeFileSync(join(dir, 'to'), 'a long old text');
  symlinkSync(join(dir, 'to'), join(dir, 'link'));
  const before = openSync(join(dir, 'to'), 'r');
  t.teardown(() => closeSync(before));
  await output(
    t,
    `
dir = argv()[0]
file_copy("#{dir}/from", "#{dir}/link")
file_copy("#{dir}/to", "#{dir}/link")
`,
    dir,
  );
  t.equal(readFileSync(join(dir, 'to'), 'utf8'), 'new', 'through a link; a file copied to itself is unchanged');
  t.equal(statSync(join(dir, 'to')).mode & 0o777, 0o640, 'with the rights of the other');
  t.equal(readFileSync(before, 'utf8'), 'a long old text', 'who reads the old file reads all of it');
  t.same(readdirSync(dir).sort(), ['from', 'link', 'to'], 'nothing is left beside it');
});

/** Runs a program that may not do what only root may, with a folder `D` that others can enter as argument. */
async function outputAsUser(t: Test, source: string, dir: string): Promise<string> {
  const path = join(dir, 'program.svc');
  writeFileSync(path, source);
  const { geteuid, seteuid } = process;
  const isRoot = geteuid?.() === 0;
  if (isRoot) seteuid?.(NOBODY);
  try {
    const { stdout, stderr } = await runFile(path, { args: [dir] });
    t.equal(stderr, '');
    return stdout;
  } finally {
    if (isRoot) seteuid?.(0);
  }
}

async function openDirectory(t: Test): Promise<string> {
  const dir = await directory(t);
  t.teardown(() => chmodSync(dir, 0o755));
  chmodSync(dir, 0o755);
  return dir;
}

t.test('a file that may not be written stays, and one in a folder that may not is changed itself', async (t) => {
  const dir = await openDirectory(t);
  for (const name of ['readonly', 'from', 'one', 'two', 'three', 'four']) writeFileSync(join(dir, name), `old ${name}`);
  const owner = process.geteuid?.() === 0 ? NOBODY : (process.geteuid?.() ?? 0);
  for (const name of ['readonly', 'one', 'two', 'three', 'four']) chownSync(join(dir, name), owner, statSync(dir).gid);
  chmodSync(join(dir, 'readonly'), 0o444);
  writeFileSync(join(dir, 'program.svc'), '');
  chmodSync(dir, 0o555);
  const inodes = (): number[] => ['one', 'two', 'three'].map((name) => statSync(join(dir, name)).ino);
  const before = inodes();
  // Root may write the program there all the same.
  if (process.geteuid?.() !== 0) chmodSync(join(dir, 'program.svc'), 0o644);
  const printed = await outputAsUser(
    t,
    `${RESCUED}
show(-> { file_write("#{dir}/readonly", "new") })
show(-> { file_copy("#{dir}/from", "#{dir}/readonly") })
show(-> { file_append("#{dir}/readonly", "new") })
show(-> { file_write("#{dir}/none", "new") })
file_write("#{dir}/one", "1")
file_write("#{dir}/two", "longer than before")
file_copy("#{dir}/from", "#{dir}/three")
begin
  timeout(0.001) { loop { file_write("#{dir}/four", "y" * 9000000) } }
rescue TimeoutError
  puts "timeout"
end
`,
    dir,
  );
  t.equal(
    printed,
    `IOError: cannot write D/readonly: permission denied
IOError: cannot copy D/from to D/readonly: permission denied
IOError: cannot write D/readonly: permission denied
IOError: cannot write D/none: permission denied
timeout
`,
  );
  const texts = ['readonly', 'one', 'two', 'three'].map((name) => readFileSync(join(dir, name), 'utf8'));
  t.same(texts, ['old readonly', '1', 'longer than before', 'old from']);
  t.same(inodes(), before);
  t.ok(['old four', 'y'.repeat(9_000_000)].includes(readFileSync(join(dir, 'four'), 'utf8')), 'no half of a text');
});

t.test('a file keeps its owner', { skip: process.geteuid?.() !== 0 && 'needs root' }, async (t) => {
  const dir = await directory(t);
  for (const name of ['a', 'b', 'from']) {
    writeFileSync(join(dir, name), 'old');
    chmodSync(join(dir, name), 0o640);
  }
  for (const name of ['a', 'b']) chownSync(join(dir, name), NOBODY, NOBODY);
  await output(t, 'dir = argv()[0]\nfile_write("#{dir}/a", "new")\nfile_copy("#{dir}/from", "#{dir}/b")', dir);
  for (const name of ['a', 'b']) {
    const { uid, gid, mode } = statSync(join(dir, name));
    t.same([uid, gid, mode & 0o7777], [NOBODY, NOBODY, 0o640]);
  }
});

t.test(
  'a file whose owner cannot be kept is changed itself',
  { skip: process.geteuid?.() !== 0 && 'needs root' },
  async (t) => {
    const dir = await openDirectory(t);
    chmodSync(dir, 0o777);
    writeFileSync(join(dir, 'shared'), 'old');
    chmodSync(join(dir, 'shared'), 0o666);
    await outputAsUser(t, 'file_write("#{argv()[0]}/shared", "new")', dir);
    t.equal(readFileSync(join(dir, 'shared'), 'utf8'), 'new');
    t.equal(statSync(join(dir, 'shared')).uid, 0);
    t.same(readdirSync(dir).sort(), ['program.svc', 'shared']);
  },
);

t.test('a link to nothing stays a link', async (t) => {
  const dir = await directory(t);
  mkdirSync(join(dir, 'sub'));
  symlinkSync('sub/second', join(dir, 'first'));
  symlinkSync('../target', join(dir, 'sub/second'));
  symlinkSync('none/x', join(dir, 'nowhere'));
  const printed = await output(
    t,
    `${RESCUED}
file_write("#{dir}/first", "new")
show(-> { file_write("#{dir}/nowhere", "new") })
`,
    dir,
  );
  t.equal(readFileSync(join(dir, 'target'), 'utf8'), 'new');
  t.ok(lstatSync(join(dir, 'first')).isSymbolicLink());
  t.equal(printed, 'FileNotFoundError: cannot write D/nowhere: no such file or directory\n');
});

t.test('a cancelled write leaves the old content and no other file', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'f'), 'old');
  const { stdout } = await runSource(
    t,
    `
text = "x" * 30000000
begin
  timeout(0.01) { loop { file_write("#{argv()[0]}/f", text) } }
rescue TimeoutError => e
  puts e
end
`,
    [dir],
  );
  t.equal(stdout, 'timed out after 0.01s\n');
  // The aborted write ends later.
  await happens(() => readdirSync(dir).length === 1);
  t.same(readdirSync(dir), ['f']);
  t.ok(['old', 'x'.repeat(30_000_000)].includes(readFileSync(join(dir, 'f'), 'utf8')));
});

t.test('writers of one file do not mix their texts', async (t) => {
  const dir = await directory(t);
  await output(
    t,
    `
path = "#{argv()[0]}/f"
tasks = ("a".."h").to_a.map { |c| spawn { 20.times { file_write(path, c * 50000) } } }
tasks.each { |task| await task }
`,
    dir,
  );
  t.match(readFileSync(join(dir, 'f'), 'utf8'), /^([a-h])\1{49999}$/);
  t.same(readdirSync(dir), ['f']);
});

t.test('moving, copying, deleting, directories', async (t) => {
  const dir = await directory(t);
  mkdirSync(join(dir, 'full'));
  writeFileSync(join(dir, 'full/x'), '1');
  const printed = await output(
    t,
    `${RESCUED}
show(-> { file_mkdir("#{dir}/a/b") })
show(-> { file_mkdir("#{dir}/a/b") })
show(-> { file_copy("#{dir}/full/x", "#{dir}/y") })
show(-> { file_rename("#{dir}/y", "#{dir}/a/z") })
show(-> { file_append("#{dir}/a/z", "2") })
show(-> { file_read("#{dir}/a/z") })
show(-> { dir_list(dir) })
show(-> { [file_exists(dir), dir_exists(dir), file_exists("#{dir}/a/z"), dir_exists("#{dir}/a/z"), dir_exists("#{dir}/q")] })
show(-> { file_delete("#{dir}/full") })
show(-> { file_delete("#{dir}/a/b") })
show(-> { file_delete("#{dir}/a/b") })
show(-> { file_rename("#{dir}/q", "#{dir}/r") })
show(-> { dir_list("#{dir}/a/z") })
show(-> { file_write("#{dir}/q/r", "x") })
`,
    dir,
  );
  t.equal(
    printed,
    `(Nil) nil
(Nil) nil
(Nil) nil
(Nil) nil
(Nil) nil
(String) "12"
(Vector) ["a", "full"]
(Vector) [true, true, true, false, false]
IOError: cannot delete D/full: the directory is not empty
(Nil) nil
FileNotFoundError: cannot delete D/a/b: no such file or directory
FileNotFoundError: cannot rename D/q to D/r: no such file or directory
IOError: cannot list D/a/z: it is not a directory, or a part of its path is not one
FileNotFoundError: cannot write D/q/r: no such file or directory
`,
  );
});

t.test(
  'a folder without write permission: the file itself is written',
  { skip: process.getuid?.() === 0 && 'root may write everywhere' },
  async (t) => {
    const dir = await directory(t);
    mkdirSync(join(dir, 'd'));
    writeFileSync(join(dir, 'd/f'), 'old');
    chmodSync(join(dir, 'd'), 0o555);
    t.teardown(() => chmodSync(join(dir, 'd'), 0o755));
    await output(t, 'file_write("#{argv()[0]}/d/f", "new")', dir);
    t.equal(readFileSync(join(dir, 'd/f'), 'utf8'), 'new');
  },
);

t.test('other threads run while one reads', async (t) => {
  const dir = await directory(t);
  writeFileSync(join(dir, 'big'), Buffer.alloc(64 << 20, 'x'));
  const printed = await output(
    t,
    `
count = shared(0)
ticker = spawn { loop { count.update { |n| n + 1 }; sleep 0.001 } }
length = file_read("#{argv()[0]}/big").length
ticker.cancel
puts length, count.get > 1
`,
    dir,
  );
  t.equal(printed, `${64 << 20}\ntrue\n`);
  t.ok(existsSync(join(dir, 'big')));
});
