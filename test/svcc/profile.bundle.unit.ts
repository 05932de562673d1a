import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { browserFor, WITHOUT_BROWSER } from '../browser.js';
import { until } from '../patience.js';
import { hasEnded } from '../processes.js';
import { RUNS_ALL } from '../share.js';
import { Svcc, svcc } from './svcc.js';

interface Speedscope {
  shared: { frames: { name: string; file?: string; line?: number }[] };
  profiles: { name: string; type: string; unit: string; endValue: number; samples: number[][]; weights: number[] }[];
}

/** Times of a view: of functions themselves and with what they call, by name; and the stacks as texts. */
interface View {
  name: string;
  self: Map<string, number>;
  total: Map<string, number>;
  stacks: string[];
  time: number;
}

function folderOf(t: Test, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-profile-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function read(path: string): { file: Speedscope; views: View[] } {
  const file = JSON.parse(readFileSync(path, 'utf8')) as Speedscope;
  const views = file.profiles.map(({ name, samples, weights }) => {
    const view: View = { name, self: new Map(), total: new Map(), stacks: [], time: 0 };
    const add = (times: Map<string, number>, key: string, weight: number): void =>
      void times.set(key, (times.get(key) ?? 0) + weight);
    samples.forEach((stack, i) => {
      const names = stack.map((frame) => file.shared.frames[frame].name);
      view.time += weights[i];
      view.stacks.push(names.join(' > '));
      add(view.self, names.at(-1) ?? '', weights[i]);
      for (const one of new Set(names)) add(view.total, one, weights[i]);
    });
    return view;
  });
  return { file, views };
}

function viewOf(views: readonly View[], name: string): View {
  const view = views.find((one) => one.name === name);
  if (view === undefined) throw new Error(`no view ${name} among ${views.map((one) => one.name).join(', ')}`);
  return view;
}

const LIBRARY = `def heavy(n)
  s = 0
  i = 0
  while i < n * 3
    s = (s + i * 7) % 1000003
    i += 1
  end
  s
end
`;

/** The arguments are the rounds, and the iterations of each. */
const PROGRAM = `require "./hot"
def light(n)
  s = 0
  i = 0
  while i < n
    s = (s + i * 7) % 1000003
    i += 1
  end
  s
end
def fib(n)
  if n < 2 then n else fib(n - 1) + fib(n - 2) end
end
def sort_all(v) = v.sort_by { |x| -x }
rounds = argv()[0].to_i
size = argv()[1].to_i
# Rounds of different lengths, so that they do not keep step with the samples.
work = ->(n) do
  m = size + n * 7919 % size
  heavy(m) + light(m)
end
total = 0
range = (1..rounds).to_a
range.each(&work)
thread = spawn do
  fib(argv()[2].to_i)
end
thread.await
v = (1..200_000).to_a.reverse
12.times { sort_all(v) }
sleep(0.2)
puts "done"
`;

/** Here nearly all time passes between slices, so too few samples are of functions for statements about shares. */
const EVERY_SAFEPOINT = 'both tiers, with suspensions at every safepoint';

/** Environments and arguments of about the same processor time: the recursion alone takes half a second and more. */
// prettier-ignore
const TIERS: Record<string, [env: Record<string, string>, args: string[]]> = {
  'compiled code': [{ SVC_JIT: '0' }, ['10000', '20000', '39']],
  'both tiers': [{}, ['10000', '20000', '39']],
  'the interpreter': [{ SVC_JIT: 'off' }, ['3000', '6000', '34']],
  'both tiers, with a suspension after every 5,000 safepoints': [{ SVC_SLICE: '5000' }, ['10000', '20000', '39']],
  [EVERY_SAFEPOINT]: [{ SVC_SLICE: '1' }, ['100', '6000', '22']],
};

function checkShares(t: Test, file: Speedscope, views: readonly View[]): void {
  const main = viewOf(views, 'main');
  const heavy = main.self.get('heavy') ?? 0;
  const light = main.self.get('light') ?? 0;
  t.ok(heavy / (heavy + light) > 0.6, `heavy takes three parts of four: ${heavy}, ${light}`);
  t.ok(heavy / (heavy + light) < 0.88, `light takes one part of four: ${heavy}, ${light}`);
  t.ok(
    main.stacks.some((stack) => /^main app\.svc:\d+ > each > lambda app\.svc:\d+ > heavy$/.test(stack)),
    'the stack has the iterator of the library and the function',
  );
  t.ok((main.self.get('sleep') ?? 0) < main.time / 20, 'waiting takes no time');
  const thread = views.find(({ name }) => name.startsWith('spawn app.svc:'));
  t.ok(
    thread?.stacks.some((stack) => stack.includes('fib > fib > fib > fib')),
    'recursion is shown',
  );
  const place = file.shared.frames.find(({ name }) => name === 'heavy');
  t.match(place?.file, /hot\.svc$/);
  t.ok(
    main.stacks.some((stack) => / > sort_all > [\w.]+$/.test(stack)),
    'natives that work in pieces are leaves',
  );
}

/** The tiers of a run with a share of the cases: code of both in one profile. */
const SHARE = ['both tiers'];

for (const [tier, [env, args]] of Object.entries(TIERS).filter(([tier]) => RUNS_ALL || SHARE.includes(tier)))
  t.test(`samples of ${tier}`, async (t) => {
    const folder = folderOf(t, { 'app.svc': PROGRAM, 'hot.svc': LIBRARY });
    const { stdout, stderr, exitCode } = await svcc(['run', '--profile', 'out.json', 'app.svc', ...args], {
      cwd: folder,
      env,
    });
    t.strictSame({ stdout, stderr, exitCode }, { stdout: 'done\n', stderr: '', exitCode: 0 });
    t.strictSame(readdirSync(folder).sort(), ['app.svc', 'hot.svc', 'out.json'], 'no temporary file is left');
    const { file, views } = read(join(folder, 'out.json'));
    t.ok(viewOf(views, 'main').time > 0);
    if (tier !== EVERY_SAFEPOINT) checkShares(t, file, views);
    for (const { samples, weights, type, unit, endValue } of file.profiles) {
      t.strictSame([type, unit, samples.length], ['sampled', 'microseconds', weights.length]);
      t.equal(
        endValue,
        weights.reduce((sum, weight) => sum + weight, 0),
      );
    }
  });

t.test('an artefact', async (t) => {
  const folder = folderOf(t, { 'app.svc': PROGRAM, 'hot.svc': LIBRARY });
  t.equal((await svcc(['compile', 'app.svc'], { cwd: folder })).exitCode, 0);
  const args = ['run', '--profile', 'out.cpuprofile', 'app.svcb', '2000', '20000', '20'];
  t.equal((await svcc(args, { cwd: folder })).exitCode, 0);
  const profile = JSON.parse(readFileSync(join(folder, 'out.cpuprofile'), 'utf8')) as {
    nodes: {
      id: number;
      callFrame: { functionName: string; url: string; lineNumber: number };
      hitCount: number;
      children: number[];
      positionTicks: { line: number }[];
    }[];
    samples: number[];
    timeDeltas: number[];
    startTime: number;
    endTime: number;
  };
  const heavy = profile.nodes.filter(({ callFrame }) => callFrame.functionName === 'heavy');
  t.ok(heavy.length > 0);
  for (const { callFrame, positionTicks } of heavy) {
    t.match(callFrame.url, /^file:\/\/.*hot\.svc$/);
    t.equal(callFrame.lineNumber, 1, 'lines count from 0');
    for (const { line } of positionTicks) t.ok(line >= 2 && line <= 8, `line ${line}`);
  }
  const ids = new Set(profile.nodes.map(({ id }) => id));
  t.ok(
    profile.samples.every((id) => ids.has(id)),
    'all samples have nodes',
  );
  t.ok(
    profile.nodes.every(({ children }) => children.every((id) => ids.has(id))),
    'all children are nodes',
  );
  t.equal(profile.timeDeltas.length, profile.samples.length);
});

const SERVER = `def work(n)
  s = 0
  i = 0
  while i < n
    s = (s + i) % 1000003
    i += 1
  end
  s
end
app = web_app()
app.get("/users/:id") { |req| "#{work(3_000_000)}" }
app.get("/quick") { |req| "ok" }
app.websocket("/ws/:room") do |ws|
  while (message = ws.recv()) != nil
    ws.send("#{work(3_000_000)}")
  end
end
app.run(0, "127.0.0.1")
`;

t.test('routes by name, on SIGUSR2 and at the end', async (t) => {
  const folder = folderOf(t, { 'app.svc': SERVER });
  const path = join(folder, 'out.json');
  const server = new Svcc(['run', '--profile', 'out.json', 'app.svc'], { cwd: folder });
  t.teardown(() => server.child.kill('SIGKILL'));
  const port = await server.port();
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/lobby`);
  let answers = 0;
  ws.on('message', () => void answers++);
  await new Promise((done) => ws.once('open', done));
  const ask = async (): Promise<void> => {
    for (const id of [1, 2, 3]) t.equal((await fetch(`http://127.0.0.1:${port}/users/${id}`)).status, 200);
    await (await fetch(`http://127.0.0.1:${port}/nothing`)).text();
    ws.send('x');
  };
  const groups = (): string[] => (existsSync(path) ? read(path).views.map(({ name }) => name) : []);
  await until('samples of both routes', async () => {
    await ask();
    server.child.kill('SIGUSR2');
    return groups().includes('GET /users/:id') && groups().includes('WS /ws/:room');
  });
  rmSync(path);
  t.ok(answers > 0);
  ws.close();
  const { exitCode, stderr } = await server.stop();
  t.strictSame([exitCode, stderr.includes('debugger')], [0, false]);
  const users = viewOf(read(path).views, 'GET /users/:id');
  t.ok((users.total.get('work') ?? 0) > 0.5 * users.time);
  t.ok(users.stacks.some((stack) => /^block app\.svc:\d+ > work$/.test(stack)));
});

t.test('a program that a signal ends', async (t) => {
  const folder = folderOf(t, { 'app.svc': 'puts "waits"\nsleep(1000)\n' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const running = new Svcc(['run', '--profile', 'out.html', 'app.svc'], { cwd: folder });
    t.teardown(() => running.child.kill('SIGKILL'));
    await running.printed(/waits/);
    await running.stop(signal);
    t.equal(running.child.signalCode, signal);
    const page = readFileSync(join(folder, 'out.html'), 'utf8');
    t.match(page, /"waits":\[\["main","sleep","app\.svc:2",1,/, 'the wait has its place');
    rmSync(join(folder, 'out.html'));
  }
});

t.test('a program that a signal ends while a command runs', async (t) => {
  const folder = folderOf(t, { 'app.svc': 'puts "runs"\nshell("echo $$ > pid; mv pid began; sleep 1000")\n' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const running = new Svcc(['run', '--profile', 'out.json', 'app.svc'], { cwd: folder });
    t.teardown(() => running.child.kill('SIGKILL'));
    await until('the command', () => existsSync(join(folder, 'began')));
    running.child.kill(signal);
    await running.finished();
    t.equal(running.child.signalCode, signal);
    t.equal(read(join(folder, 'out.json')).views[0].name, 'all threads');
    const pid = readFileSync(join(folder, 'began'), 'utf8').trim();
    await until('the end of the command', () => hasEnded(pid));
    for (const name of ['began', 'out.json']) rmSync(join(folder, name));
  }
});

t.test('a program that fails, or calls exit, or is too short for samples', async (t) => {
  const folder = folderOf(t, {
    'app.svc': 'case argv()[0] when "raise" then raise "no" when "exit" then exit(7) end\n',
  });
  for (const [word, code] of [
    ['raise', 1],
    ['exit', 7],
    ['end', 0],
  ] as const) {
    const { exitCode } = await svcc(['run', '--profile', 'out.json', 'app.svc', word], { cwd: folder });
    t.equal(exitCode, code);
    t.equal(read(join(folder, 'out.json')).views[0].name, 'all threads');
    rmSync(join(folder, 'out.json'));
  }
});

t.test('deep recursion', async (t) => {
  const program = `def down(n)
  if n == 0 then heavy(2_000) else 1 + down(n - 1) end
end
def heavy(n)
  s = 0
  n.times { |i| s = (s + i) % 1000003 }
  s
end
1500.times { down(5000) }
`;
  const folder = folderOf(t, { 'app.svc': program });
  const outcome = await svcc(['run', '--profile', 'out.json', 'app.svc'], { cwd: folder });
  t.strictSame(outcome, { stdout: '', stderr: '', exitCode: 0 });
  const { file, views } = read(join(folder, 'out.json'));
  t.ok(
    file.profiles.every(({ samples }) => samples.every((stack) => stack.length < 500)),
    'stacks are limited',
  );
  t.ok(
    views[0].stacks.some(
      (stack) => stack.startsWith('main > main app.svc:9 > down > down > ') && stack.includes('(frames left out)'),
    ),
  );
});

t.test('a link and a pipe stay what they are', async (t) => {
  const folder = folderOf(t, { 'app.svc': 'puts 1\n', 'linked.json': '' });
  symlinkSync('linked.json', join(folder, 'link.json'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const reader = openSync(join(folder, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  t.teardown(() => closeSync(reader));
  for (const name of ['link.json', 'pipe']) {
    const { stdout, stderr, exitCode } = await svcc(['run', '--profile', name, 'app.svc'], { cwd: folder });
    t.strictSame([stdout, stderr, exitCode], ['1\n', '', 0], name);
  }
  t.ok(lstatSync(join(folder, 'link.json')).isSymbolicLink());
  t.ok(statSync(join(folder, 'pipe')).isFIFO());
  t.match(readFileSync(join(folder, 'linked.json'), 'utf8'), /^{"/);
  const head = Buffer.alloc(2);
  readSync(reader, head);
  t.equal(head.toString(), '{"');
  t.same(readdirSync(folder).sort(), ['app.svc', 'link.json', 'linked.json', 'pipe']);
});

t.test('invalid uses', async (t) => {
  const folder = folderOf(t, { 'app.svc': 'puts 1\n' });
  mkdirSync(join(folder, 'sub'));
  // prettier-ignore
  const cases: [args: string[], message: RegExp][] = [
    [['--profile', 'missing/out.json'], /^svcc: cannot write the profile missing\/out\.json: no such file or directory\n$/],
    [['--profile', 'new/'], /^svcc: cannot write the profile new\/: it is a directory\n$/],
    [['--profile', 'sub'], /^svcc: cannot write the profile sub: it is a directory\n$/],
    [['--profile', ''], /--profile must not be empty/],
    [['--profile', 'a.json', '--workers', '2'], /cannot be used with option '--workers/],
    [['--profile', 'a.json', '--dev'], /cannot be used with option '--dev/],
  ];
  for (const [args, message] of cases) {
    const { stdout, stderr, exitCode } = await svcc(['run', ...args, 'app.svc'], { cwd: folder });
    t.strictSame([stdout, exitCode], ['', 2], args.join(' '));
    t.match(stderr, message);
  }
});

/** A path that would be markup, were it not escaped. */
const HOSTILE = '</script><img src=x onerror=alert(1)>.svc';

t.test('the page', async (t) => {
  const folder = folderOf(t, {});
  mkdirSync(join(folder, '<'));
  writeFileSync(join(folder, HOSTILE), LIBRARY + 'puts heavy(60_000_000)\nsleep(0.1)\n');
  t.equal((await svcc(['run', '--profile', 'out.html', HOSTILE], { cwd: folder })).exitCode, 0);
  const page = readFileSync(join(folder, 'out.html'), 'utf8');
  t.notMatch(page, /<img/, 'names are escaped');
  t.notMatch(page, /https?:\/\//, 'nothing is loaded');
  t.match(page, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  if (WITHOUT_BROWSER !== false) return;
  const browser = await browserFor(t);
  const tab = await browser.newPage();
  const complaints: string[] = [];
  tab.on('console', (message) => void complaints.push(message.text()));
  tab.on('pageerror', (error) => void complaints.push((error as Error).message));
  for (const width of [1280, 390]) {
    await tab.setViewport({ width, height: 900 });
    await tab.goto(`file://${join(folder, 'out.html')}`);
    t.equal(await tab.evaluate('document.documentElement.scrollWidth'), width, 'fits the window');
    await tab.focus('#flame');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'] as const) await tab.keyboard.press(key);
    t.match(await tab.evaluate("document.getElementById('details').textContent"), /^heavy .*line \d+/);
    t.equal(await tab.evaluate("document.getElementById('out').disabled"), false);
    for (const key of ['Escape', '/'] as const) await tab.keyboard.press(key);
    t.equal(await tab.evaluate('document.activeElement.id'), 'search');
    await tab.keyboard.type('heavy');
    t.match(await tab.evaluate("document.getElementById('matches').textContent"), /^found in [1-9]/);
    t.match(await tab.evaluate("document.getElementById('waits').textContent"), /sleep/);
  }
  t.strictSame(complaints, []);
});
