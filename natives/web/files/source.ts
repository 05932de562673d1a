import { resolve } from 'node:path';
import { Errors, errorOf } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { assetAt } from '../../io/assets.js';
import { assetContent, loadContent, type Announcement, type FileContent } from './content.js';
import { findAnywhere, findInside } from './find.js';

/** Source of the files below a directory. */
export interface FileSource {
  /** Distinguishes this source from others with different files under the same paths. */
  readonly key: string;
  /**
   * The current file at `path`, which begins with a slash and has plain segments only; null when there is none.
   * @param old the previous result; returned again if still current
   */
  load(path: string, announcement: Announcement, old: FileContent | null): Promise<FileContent | null>;
}

/** A directory on disk. */
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

/** A folder of the program's artefact; files missing there are taken from `others`. */
export class AssetSource implements FileSource {
  /** @param directory as named by the program */
  constructor(
    private readonly vm: NativeContext,
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

/** The file at a path named by the program, in its artefact or on disk. @throws FileNotFoundError */
export async function fileAt(vm: NativeContext, path: string, announcement: Announcement): Promise<FileContent> {
  const asset = assetAt(vm, path);
  if (asset !== null) return assetContent(asset, announcement);
  const found = await findAnywhere(resolve(path));
  const file = found === null ? null : await loadContent({ path: found.path, root: null }, announcement);
  if (file === null) throw errorOf(Errors.FileNotFoundError, `there is no readable file at ${JSON.stringify(path)}`);
  return file;
}
