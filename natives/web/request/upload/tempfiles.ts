import { randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addTemporary, dropTemporary } from '../../../io/temporary.js';

/** The temporary files of one request. */
export class TempFiles {
  private readonly paths: string[] = [];

  /** Creates a file readable only by this user. The caller closes it. */
  async create(): Promise<{ path: string; handle: FileHandle }> {
    const path = join(tmpdir(), `svc-upload-${randomBytes(16).toString('hex')}`);
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
