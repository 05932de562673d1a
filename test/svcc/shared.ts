import { type ChildProcess, fork } from 'node:child_process';
import t, { type Test } from 'tap';
import type { Outcome } from './svcc.js';

let host: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();

function start(): ChildProcess {
  const { PATH, HOME } = process.env;
  const child = fork(new URL('./sharedhost.js', import.meta.url), { execArgv: [], env: { PATH, HOME } });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/**
 * Runs a program by the bundle, in a process that tests share: a process of its own takes longer to start than most
 * programs take to run. For programs that end without `exit` and read no input.
 */
export function runShared(test: Test, source: string | Buffer): Promise<Outcome> {
  const cwd = test.testdir({ 'app.svc': source });
  const outcome = last.then(
    () =>
      new Promise<Outcome>((resolve, reject) => {
        const child = (host ??= start());
        const failed = (code: number | null): void => reject(new Error(`the process of programs ended with ${code}`));
        child.once('exit', failed);
        child.once('message', (message) => {
          child.off('exit', failed);
          resolve(message as Outcome);
        });
        child.send(cwd);
      }),
  );
  last = outcome.catch(() => (host = null));
  return outcome;
}
