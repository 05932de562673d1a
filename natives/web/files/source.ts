import { resolve } from 'node:path';
import { Errors, errorOf } from '../../../vm/values/error.js';
import type { VM } from '../../../vm/vm.js';
import { assetAt } from '../../io/assets.js';
import { assetContent, loadContent, type Announcement, type FileContent } from './content.js';
import { findAnywhere, findInside } from './find.js';

/** Where the files below a directory come from. */
export interface FileSource {
  /** Tells it from sources that may have other files under the same paths. */
  readonly key: string;
  /**
   * The file at `path`, which begins with a slash and has plain segments only, as it is now; null when there is none.
   * @param old what this gave before; given again when it is still right
   */
  load(path: string, announcement: Announcement, old: FileContent | null): Promise<FileContent | null>;
}

/** A directory on the disk. */
export class DiskSource implements FileSource {
  /** @param root absolute path of the directory */
  constructor(private readonly root: string) {}

  get key(): string {
    return this.root;
  }

  async load(path: string, announcement: Announcement, old: FileContent | null): Promise<FileContent | null> {
    const found = await findInside(this.root, path);
    if (found === null) return null;
    if (old !== null && old.isStill(found)) return old;
    return loadContent({ path: found.path, root: this.root }, announcement);
  }
}

/** A folder of the program's artefact; what it has not is looked for elsewhere. */
export class AssetSource implements FileSource {
  /** @param directory as the program names it */
  constructor(
    private readonly vm: VM,
    private readonly directory: string,
    private readonly others: FileSource,
  ) {}

  get key(): string {
    return `${this.directory}\0${this.others.key}`;
  }

  async load(path: string, announcement: Announcement, old: FileContent | null): Promise<FileContent | null> {
    const asset = assetAt(this.vm, this.directory + path);
    if (asset === null) return this.others.load(path, announcement, old);
    return old !== null && old.isPartOfProgram ? old : assetContent(asset, announcement);
  }
}

/** The file at any path that a program names, of its artefact or on the disk. @throws FileNotFoundError */
export async function fileAt(vm: VM, path: string, announcement: Announcement): Promise<FileContent> {
  const asset = assetAt(vm, path);
  if (asset !== null) return assetContent(asset, announcement);
  const found = await findAnywhere(resolve(path));
  const file = found === null ? null : await loadContent({ path: found.path, root: null }, announcement);
  if (file === null)
    throw errorOf(Errors.FileNotFoundError, `there is no file that can be read at ${JSON.stringify(path)}`);
  return file;
}
