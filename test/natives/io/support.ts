import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFile, type Outcome, type RunOptions } from '#embed';
import type { Test } from 'tap';
import { SvcError } from '../../../vm/values/error.js';

/** A new directory, removed after the test. */
export async function directory(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'svc-test-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs a program; `argv()` holds `args`. */
export async function runSource(
  t: Test,
  source: string,
  args: string[] = [],
  options: RunOptions = {},
): Promise<Outcome> {
  const path = join(await directory(t), 'program.svc');
  await writeFile(path, source);
  return runFile(path, { ...options, args });
}

/** Svc code of a function `show(f)` that prints the result or error of `f`; `change` is applied to the text of an error. */
export function showing(change = ''): string {
  return `
def show(f)
  begin
    p f.call()
  rescue => e
    puts "#{e.type}: #{e.message}"${change}
  end
end
`;
}

/** Output of a program that must end without an error. */
export async function output(t: Test, source: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await runSource(t, source, args);
  t.equal(stderr, '', 'nothing on stderr');
  return stdout;
}

/** Starts a server on loopback for a test. Returns its address without a slash at the end. */
export function serve(t: Test, listener: RequestListener): Promise<string> {
  // A busy machine may leave one of several connections idle for longer than the usual five seconds.
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** `Type: message` of the Svc error that a function throws. */
export function raised(run: () => unknown): string {
  try {
    return `nothing was raised, got ${JSON.stringify(run())}`;
  } catch (error) {
    if (error instanceof SvcError) return `${error.value.type.name}: ${error.value.message}`;
    throw error;
  }
}
