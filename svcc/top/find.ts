import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS, SOCKET_NAME } from '../../natives/web/inspector/announce.js';
import { LoadError } from '../loaderror.js';

/** A process with a socket for `svcc top`. */
export interface Announced {
  /** The process that started it with `--workers`; otherwise its own number. */
  readonly group: number;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
}

const HOW = 'call app.inspect before app.run, and run svcc top as the same user';

/** Lists the processes of this user that have a socket for `svcc top`. Some may have ended. */
export function announced(): Announced[] {
  return FOLDERS.flatMap((folder) => {
    let names: string[];
    try {
      names = readdirSync(folder);
    } catch {
      // No process has made the folder.
      return [];
    }
    return names.flatMap((name) => {
      const match = SOCKET_NAME.exec(name);
      if (match === null) return [];
      const [group, pid, port] = match.slice(1).map(Number);
      return [{ group, pid, port, path: join(folder, name) }];
    });
  });
}

/**
 * Returns the group of processes to show.
 * @param target number of a process, or a port; null: the only group that runs
 * @param all processes that answer
 * @throws LoadError if there is none, or more than one
 */
export function groupFor(target: string | null, all: readonly Announced[]): number {
  const n = Number(target);
  if (target !== null && !/^\d{1,10}$/.test(target))
    throw new LoadError(`svcc top: expected the number of a process or a port, got '${target}'${listed(all)}`);
  const matching =
    target === null
      ? all
      : [all.filter(({ pid, group }) => pid === n || group === n), all.filter(({ port }) => port === n)].find(
          (list) => list.length > 0,
        );
  const groups = new Set(matching?.map(({ group }) => group));
  if (groups.size === 1) return [...groups][0];
  if (groups.size > 1)
    throw missing(
      `svcc top: ${target === null ? 'several services run' : `several services listen on port ${target}`}; name the process${listed(all)}`,
    );
  if (target === null) throw missing(`svcc top: no service with app.inspect runs\n(${HOW})`);
  if (isAlive(n))
    throw missing(`svcc top: process ${n} shows nothing, because it has not called app.inspect\n(${HOW})`);
  throw missing(
    `svcc top: no service with app.inspect has the process number or the port ${target}${listed(all) || `\n(${HOW})`}`,
  );
}

function missing(message: string): LoadError {
  return new LoadError(message, [], 1);
}

/** Lists processes in an error message. */
function listed(all: readonly Announced[]): string {
  return all.map(({ pid, port }) => `\n  process ${pid}, port ${port}`).join('');
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
