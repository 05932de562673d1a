import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bundledSvcc } from '../bundle.js';

/** Names of files with V8's code. */
const V8_CODE = /^[0-9a-f]{8}\.v8$/;
/** An option of V8 for which it rejects the code of the build. */
const OTHER = '--max-old-space-size=600';
/** Runs the bundle as `svcc` does, and tells at the end for which scripts V8 has rejected the code. */
const RUNNER = `
const [, , launcher, out, ...args] = process.argv;
process.argv = [process.argv[0], launcher, ...args];
const { load, scripts } = require(launcher);
process.on('exit', () => {
  const all = [...scripts].map(([path, script]) => [require('node:path').basename(path), script.cachedDataRejected === true]);
  require('node:fs').writeFileSync(out, JSON.stringify(Object.fromEntries(all)));
});
load(require('node:path').join(require('node:path').dirname(launcher), 'main.js'));
`;
const HOT = 'def f(n) n + 1 end\nputs (1..100).map { |i| f(i) }.sum\n';

/** Programs that share a cache. */
class Place {
  readonly folder: string;
  readonly cache: string;

  constructor(test: Test, program = HOT) {
    this.folder = test.testdir({ 'app.svc': program, 'run.cjs': RUNNER });
    this.cache = join(this.folder, 'cache');
  }

  /** Runs the program, or another command, and tells for which scripts V8 rejected the code. */
  start(
    options = OTHER,
    { args = ['run', 'app.svc'], env = {} }: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
  ): { stdout: string; stderr: string; status: number | null; rejected: Record<string, boolean> } {
    const out = join(this.folder, 'out.json');
    const words = [join(this.folder, 'run.cjs'), bundledSvcc(), out, ...args];
    // By `env`: tap adds options of its own to those of its child processes.
    const { status, stdout, stderr } = spawnSync('env', [`NODE_OPTIONS=${options}`, process.execPath, ...words], {
      encoding: 'utf8',
      cwd: this.folder,
      env: { PATH: process.env.PATH, SVC_CACHE_DIR: this.cache, ...env },
    });
    return { status, stdout, stderr, rejected: JSON.parse(readFileSync(out, 'utf8')) as Record<string, boolean> };
  }

  /** Names of files with V8's code. */
  files(): string[] {
    return readdirSync(this.cache)
      .filter((name) => V8_CODE.test(name))
      .sort();
  }

  /** Path of the pack's file, by the key that it begins with. */
  pack(): string {
    const paths = this.files().map((name) => join(this.cache, name));
    const found = paths.find((path) => readFileSync(path).subarray(0, 1000).includes('\0pack.js'));
    if (found === undefined) throw new Error(`no code of the pack in ${this.cache}`);
    return found;
  }
}

const GOOD = { status: 0, stdout: '5150\n', stderr: '' };

function outcome({ status, stdout, stderr }: ReturnType<Place['start']>): object {
  return { status, stdout, stderr };
}

t.test('a run leaves the code that V8 accepts from the next run on', (t) => {
  const place = new Place(t);
  const first = place.start();
  t.strictSame(outcome(first), GOOD);
  t.equal(first.rejected['pack.js'], true, 'the code of the build is for other options');
  t.equal(statSync(place.pack()).mode & 0o777, 0o600, 'only the user may read and write it');
  const second = place.start();
  t.strictSame(outcome(second), GOOD);
  t.equal(second.rejected['pack.js'], false);
  const third = place.start();
  t.strictSame(
    Object.entries(third.rejected).filter(([, isRejected]) => isRejected),
    [],
    'also for modules that only the second run loaded, which took the program from the cache',
  );
  const before = place.files().map((name) => statSync(join(place.cache, name)).ino);
  place.start();
  t.strictSame(
    place.files().map((name) => statSync(join(place.cache, name)).ino),
    before,
    'nothing more is written',
  );
  t.end();
});

t.test('each value of an option has its own code', (t) => {
  const place = new Place(t);
  place.start();
  t.equal(place.start('--max-old-space-size=601').rejected['pack.js'], true);
  t.equal(place.start('"--max-old-space-size=601"').rejected['pack.js'], false, 'the same in quotes');
  t.equal(place.start().rejected['pack.js'], false);
  t.end();
});

t.test('where V8 accepts the code of the build, none is kept', (t) => {
  const place = new Place(t);
  mkdirSync(place.cache);
  for (const options of ['', '--enable-source-maps']) t.equal(place.start(options).rejected['pack.js'], false);
  t.strictSame(place.files(), []);
  t.end();
});

t.test('the functions that ran are in it', (t) => {
  const place = new Place(t);
  place.start();
  const small = statSync(place.pack()).size;
  rmSync(place.cache, { recursive: true });
  writeFileSync(join(place.folder, 'app.svc'), `${HOT}p json_parse("[1]"), "a-b".split("-").map(&:upcase).tally\n`);
  place.start();
  t.ok(statSync(place.pack()).size > small + 4000, `${statSync(place.pack()).size} B, ${small} B`);
  t.end();
});

t.test('damaged code is not given to V8, and is replaced', (t) => {
  const place = new Place(t);
  place.start();
  const path = place.pack();
  const spoil = (name: string, action: () => void): void => {
    action();
    const damaged = place.start();
    t.strictSame(outcome(damaged), GOOD, name);
    t.equal(damaged.rejected['pack.js'], true, `${name}: not used`);
    t.equal(place.start().rejected['pack.js'], false, `${name}: replaced`);
  };
  spoil('a bit', () => {
    const bytes = readFileSync(path);
    bytes[Math.floor(bytes.length * 0.3)] ^= 0x10;
    writeFileSync(path, bytes);
  });
  spoil('half of it', () => truncateSync(path, statSync(path).size / 2));
  t.end();
});

t.test('without a cache programs run as well', (t) => {
  const place = new Place(t);
  writeFileSync(place.cache, '');
  const { rejected, ...rest } = place.start();
  t.strictSame(rest, GOOD, 'a file is where the folder should be');
  t.equal(rejected['pack.js'], true);
  t.end();
});

t.test('--no-cache and runs for coverage keep none', (t) => {
  const place = new Place(t);
  mkdirSync(place.cache);
  t.strictSame(outcome(place.start(OTHER, { args: ['run', '--no-cache', 'app.svc'] })), GOOD);
  t.strictSame(place.files(), []);
  place.start(OTHER, { env: { NODE_V8_COVERAGE: join(place.folder, 'coverage') } });
  t.strictSame(place.files(), []);
  t.end();
});

t.test('svcc cache clear leaves none', (t) => {
  const place = new Place(t);
  place.start();
  t.equal(place.start(OTHER, { args: ['cache', 'clear'] }).status, 0);
  t.strictSame(readdirSync(place.cache), []);
  t.end();
});

t.test('a program that ends itself or fails leaves code, too', (t) => {
  for (const [program, code] of [
    ['exit(3)', 3],
    ['fail("now")', 1],
  ] as const) {
    const place = new Place(t, program);
    t.equal(place.start().status, code);
    const { status, rejected } = place.start();
    t.strictSame([status, rejected['pack.js']], [code, false]);
  }
  t.end();
});
