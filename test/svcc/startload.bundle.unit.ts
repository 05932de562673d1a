import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bundledSvcc } from '../bundle.js';

/** Writes the modules of node that the process has loaded to stderr, one in each line. */
const LISTED = `process.on('exit', () => process.stderr.write(process.moduleLoadList.filter((line) => line.startsWith('NativeModule ')).join('\\n')))`;
/** Modules of node that take a millisecond or more to load, and that a service may never need. */
const RARE = ['zlib', 'perf_hooks', 'internal/fs/promises', 'https', 'tls', 'worker_threads', 'child_process'];
const WEB_APP = `
app = web_app()
app.get("/users/:id") { |req| {id: req.params.id} }
spawn do
  sleep(0.01)
  exit(0)
end
app.run
`;

/** The modules of RARE that svcc loads for a program. */
function rareModules(test: Test, program: string, args = ['run']): string[] {
  const folder = test.testdir({ 'app.svc': program, 'list.cjs': LISTED });
  const words = ['--require', join(folder, 'list.cjs'), bundledSvcc(), ...args, join(folder, 'app.svc')];
  // By `env`: tap adds options of its own to those of its child processes, which load modules.
  const { stderr, status } = spawnSync('env', ['-u', 'NODE_OPTIONS', process.execPath, ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PORT: '0', SVC_CACHE_DIR: join(folder, 'cache') },
  });
  test.equal(status, 0, stderr);
  const loaded = new Set(stderr.split('\n').map((line) => line.replace('NativeModule ', '')));
  test.ok(loaded.has('vm'), 'modules are listed');
  return RARE.filter((name) => loaded.has(name));
}

t.test('the start of a web app loads no modules of node that it may never need', (t) => {
  rareModules(t, WEB_APP);
  // Node itself loads it when a server begins to listen.
  t.strictSame(rareModules(t, WEB_APP), ['child_process']);
  t.end();
});

t.test('commands load none', (t) => {
  for (const args of [['fmt'], ['run', '--no-cache']]) t.strictSame(rareModules(t, 'puts 1\n', args), [], args[0]);
  t.end();
});

t.test('what needs them loads them', (t) => {
  const metrics = rareModules(t, WEB_APP.replace('app.run', 'app.metrics\napp.run'));
  t.ok(metrics.includes('perf_hooks'), metrics.join(' '));
  t.strictSame(rareModules(t, 'puts file_read("app.svc") rescue puts("none")'), ['internal/fs/promises']);
  t.end();
});
