/** Time from start to end of a process. Processes of each kind run in turn; prints medians. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withoutCertificates } from '../shared/environment.js';
import { median } from '../shared/stats.js';
import { table } from '../shared/table.js';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const SVCC = resolve(import.meta.dirname, '../../dist/svcc.js');
const folder = mkdtempSync(join(tmpdir(), 'svc-startup-'));
const at = (name: string): string => join(folder, name);
const env = { ...withoutCertificates(), SVC_CACHE_DIR: at('cache') };

writeFileSync(at('empty.mjs'), '');
writeFileSync(at('hello.svc'), 'puts "hello"\n');
writeFileSync(at('web.svc'), 'app = web_app()\napp.get("/") { |req| "hello" }\nexit(0)\n');
for (const name of ['hello', 'web']) spawnSync(process.execPath, [SVCC, 'compile', at(`${name}.svc`)], { env });

const CASES: Record<string, string[]> = {
  '`node -e 0`': [process.execPath, '-e', '0'],
  '`node empty.mjs`': [process.execPath, at('empty.mjs')],
  '`svcc run hello.svc`, compiled each time': [process.execPath, SVCC, 'run', '--no-cache', at('hello.svc')],
  '`svcc run hello.svc`, from the cache': [process.execPath, SVCC, 'run', at('hello.svc')],
  '`svcc run hello.svcb`': [process.execPath, SVCC, 'run', at('hello.svcb')],
  '`svcc run web.svcb`, a web application up to its start': [process.execPath, SVCC, 'run', at('web.svcb')],
  '`python3 -c pass`': ['python3', '-c', 'pass'],
  '`ruby -e 0`': ['ruby', '-e', '0'],
};

const times = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, [command, ...args]] of Object.entries(CASES)) {
    const start = performance.now();
    const { error, status } = spawnSync(command, args, { env, stdio: 'ignore' });
    if (error === undefined && status === 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
  }
}
rmSync(folder, { recursive: true });

const base = median(times.get('`node -e 0`') ?? []);
const rows = [...times].map(([name, list]) => [
  name,
  median(list).toFixed(0),
  Math.min(...list).toFixed(0),
  (median(list) - base).toFixed(0),
]);
console.log(table(['', 'median ms', 'least ms', 'above node'], rows));
