import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { reasonOf } from '../../reasons.js';

/** Sockets of processes for `svcc top`. A socket sends JSON to each connection. Only the user may open their folder. */
export const FOLDERS = runtimeFolders();

/** Name of a socket: group, process number and port. */
export const SOCKET_NAME = /^(\d+)\.(\d+)\.(\d+)\.sock$/;

/** Maximum bytes of the folder's path. The path of a socket has at most 103 on macOS, its name up to 31. */
const MAX_FOLDER = 72;

/** Milliseconds that a client has to read the data. */
const READ_MS = 5000;

/** Folders of sockets, the preferred one first. */
function runtimeFolders(): string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const shared = join(tmpdir(), `svc-${process.getuid?.() ?? 'user'}`);
  return runtime === undefined || runtime === '' ? [shared] : [join(runtime, 'svc'), shared];
}

/** The process that started this one with `--workers`; otherwise its own number. */
export function groupOfProcess(): number {
  return process.env.SVC_WORKER === undefined ? process.pid : process.ppid;
}

/** Makes the folder. Returns why it cannot be used, for example because it belongs to another user; null if it can. */
function problemOf(folder: string): string | null {
  if (Buffer.byteLength(folder) > MAX_FOLDER) return 'the path is too long';
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const info = lstatSync(folder);
    if (!info.isDirectory()) return 'it is no folder';
    if (info.uid !== process.getuid?.()) return 'it belongs to another user';
    if ((info.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Returns the first folder that can be used; if there is none, the last one and its problem. */
function usableFolder(): { folder: string; problem: string | null } {
  let last = { folder: '', problem: null as string | null };
  for (const folder of FOLDERS) {
    last = { folder, problem: problemOf(folder) };
    if (last.problem === null) break;
  }
  return last;
}

/** Opens a socket that sends the result of `data` to each client. Returns a function that removes it. */
export function announce(vm: NativeContext, port: number, data: () => string): () => void {
  const { folder, problem } = usableFolder();
  const path = join(folder, `${groupOfProcess()}.${process.pid}.${port}.sock`);
  const fail = (reason: string): void =>
    vm.host.stderr(`warning: svcc top cannot show this process, because ${path} cannot be made: ${reason}\n`);
  if (problem !== null) {
    fail(problem);
    return () => {};
  }
  // A process with the same number may have left it when it was killed.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.setTimeout(READ_MS, () => socket.destroy());
    socket.end(data());
  });
  server.on('error', (error) => fail(reasonOf(error)));
  // Exclusive: in a worker, node would otherwise share the socket with the other processes.
  server.listen({ path, exclusive: true });
  server.unref();
  const remove = (): void => {
    process.off('exit', remove);
    server.close();
    rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return remove;
}
