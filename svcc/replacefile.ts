import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Errors that forbid a temporary file in a folder, moving it to the file's place, or giving it the file's owner, but not
 * writing to the file itself.
 */
const IN_PLACE = new Set(['EACCES', 'EPERM', 'EBUSY']);
/** Most links that are followed, as on Linux. */
const MAX_LINKS = 40;

/** Status of what is at a path, following links; null if nothing is there or it cannot be read. */
export function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/**
 * Writes a file: it appears whole or not at all, follows links and keeps owner and mode of the file that it replaces.
 * Writes directly to a device or a pipe, and to a file whose folder permits no other file.
 * @throws the error of the file system, also for a file that this process may not write
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const there = statsOf(path);
  if (there !== null && !there.isFile()) {
    writeFileSync(path, content);
    return;
  }
  const target = there === null ? newPlace(path) : realpathSync(path);
  if (there !== null) closeSync(openSync(target, 'r+'));
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${Date.now().toString(36)}`);
  try {
    writeFileSync(temporary, content, { flag: 'wx' });
    if (there !== null) keepOwnerAndMode(temporary, there);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (there === null || !IN_PLACE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(target, content);
  }
}

function keepOwnerAndMode(path: string, there: Stats): void {
  const { uid, gid } = statSync(path);
  if (uid !== there.uid || gid !== there.gid) chownSync(path, there.uid, there.gid);
  chmodSync(path, there.mode & 0o7777);
}

/** The path at which a file is made for `path`, which may be a link to nothing. */
function newPlace(path: string): string {
  let place = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    let target: string;
    try {
      target = readlinkSync(place);
    } catch {
      return place;
    }
    place = resolve(realpathSync(dirname(place)), target);
  }
  return place;
}
