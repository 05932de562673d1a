import { randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { addTemporary, dropTemporary } from '../../../io/temporary.js';

let prefix: string | null = null;

/**
 * What the paths of this process's temporary files begin with. Besides the process number it has a random part, because
 * another process, perhaps of another container, may have had the same number.
 */
export function uploadPrefix(): string {
  return (prefix ??= join(tmpdir(), `svc-upload-${process.pid}-${randomBytes(8).toString('hex')}-`));
}

/** Removes the temporary files that a process left when it was killed. @param start its `uploadPrefix` */
export async function removeUploads(start: string): Promise<void> {
  const folder = dirname(start);
  try {
    for await (const { name } of await fs.opendir(folder))
      if (name.startsWith(basename(start))) await fs.rm(join(folder, name), { force: true }).catch(() => {});
  } catch {
    // They stay.
  }
}

/** The temporary files of one request. */
export class TempFiles {
  private readonly paths: string[] = [];

  /** Creates a file readable only by this user. The caller closes it. */
  async create(): Promise<{ path: string; handle: FileHandle }> {
    const path = uploadPrefix() + randomBytes(16).toString('hex');
    // Also clean up when the process ends during a request.
    addTemporary(path);
    this.paths.push(path);
    return { path, handle: await fs.open(path, 'wx', 0o600) };
  }

  /** Deletes the files; those that the program has moved are left alone. */
  async remove(): Promise<void> {
    await Promise.all(
      this.paths.splice(0).map(async (path) => {
        await fs.rm(path, { force: true }).catch(() => {});
        dropTemporary(path);
      }),
    );
  }
}
