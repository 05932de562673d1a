import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { bundledSvcc } from '../bundle.js';

const ROUNDS = 3;
/** Writes the processor time of the process to stderr, in microseconds. */
const MEASURED =
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write(`${user + system}`); });";

/** A program that rescues an error in each turn of a loop. */
function rescuing(failing: string): string {
  return `for i in 0...60_000\n  begin\n    ${failing}\n  rescue ValueError\n  end\nend\n`;
}

// Whenever something is thrown, V8 computes its position, in time that is linear in the length of the function with the
// `throw`: in the interpreter's loop that was three quarters of a `raise`. In a process of tap it does not, so the programs
// run in processes of their own.
t.test('an error that an interpreted program raises costs no more than one of a native', (t) => {
  const folder = t.testdir({
    'raised.svc': rescuing('raise ValueError, "no"'),
    'native.svc': rescuing('to_int("no")'),
    'measured.cjs': MEASURED,
  });
  const timeOf = (name: string): number => {
    const args = ['--require', join(folder, 'measured.cjs'), bundledSvcc(), 'run', join(folder, name)];
    const { stderr, status } = spawnSync('env', ['-u', 'NODE_OPTIONS', process.execPath, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, SVC_JIT: 'off', SVC_CACHE_DIR: join(folder, 'cache') },
    });
    t.equal(status, 0, stderr);
    return Number(stderr);
  };
  const raised: number[] = [];
  const native: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    raised.push(timeOf('raised.svc'));
    native.push(timeOf('native.svc'));
  }
  // 1.9 before, 0.8 now.
  const ratio = Math.min(...raised) / Math.min(...native);
  t.ok(ratio < 1.3, `${ratio}`);
  t.end();
});
