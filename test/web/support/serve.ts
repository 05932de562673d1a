import { join } from 'node:path';
import type { Test } from 'tap';
import { type Options, Svcc } from '../../svcc/svcc.js';
import { Connection } from './connection.js';

/** Starts a program given as text; it is killed when the test ends. */
export async function serve(
  test: Test,
  source: string,
  options: Options & { flags?: string[] } = {},
): Promise<{ server: Svcc; port: number }> {
  const { flags = [], ...rest } = options;
  return started(test, new Svcc(['run', ...flags, 'app.svc'], { cwd: test.testdir({ 'app.svc': source }), ...rest }));
}

/** Starts one of the examples on a free port. */
export function serveExample(test: Test, name: string): Promise<{ server: Svcc; port: number }> {
  return started(test, new Svcc(['run', '--port', '0', join('examples', name)]));
}

async function started(test: Test, server: Svcc): Promise<{ server: Svcc; port: number }> {
  test.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port() };
}

/** Sends a GET request on a new connection; returns status and body. */
export async function get(port: number, path: string): Promise<{ status: number; body: string }> {
  const connection = await Connection.open(port);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: svc.test\r\nConnection: close\r\n\r\n`);
  const { status, body } = await connection.response('GET');
  connection.socket.destroy();
  return { status, body: body.toString() };
}
