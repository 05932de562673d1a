import { lowerBound } from './assets.js';
import type { Asset } from '../bytecode/program.js';

/**
 * The key of a path in a program: normalised without `.`, `..` and doubled slashes; '' is the program's folder. Null
 * for a path that cannot name an asset: an absolute one, or one outside the folder.
 */
function keyOf(path: string): string | null {
  if (path.startsWith('/') || path === '') return null;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/**
 * The files of an artefact, by their path from the program's folder. Folders follow from the paths. Empty until a
 * program provides files.
 */
export class Assets {
  /** Ordered by path, in UTF-16 units. */
  private files: readonly Asset[] = [];

  /** Replaces all files. They must be ordered by path, without duplicates. */
  take(files: readonly Asset[]): void {
    this.files = files;
  }

  get isEmpty(): boolean {
    return this.files.length === 0;
  }

  /** The file at a path, or null. Returns the same object each time. */
  find(path: string): Asset | null {
    const key = this.isEmpty || /(?:^|\/)\.{0,2}$/.test(path) ? null : keyOf(path);
    if (key === null) return null;
    const file = this.files[lowerBound(this.files, key)];
    return file?.path === key ? file : null;
  }

  /**
   * Index of a folder's first file in the list, and the common prefix of their paths; null if there is no such folder.
   */
  private folder(path: string): { at: number; prefix: string } | null {
    const key = this.isEmpty ? null : keyOf(path);
    if (key === null) return null;
    const prefix = key === '' ? '' : `${key}/`;
    const at = lowerBound(this.files, prefix);
    return this.files[at]?.path.startsWith(prefix) === true ? { at, prefix } : null;
  }

  /** Whether there are files in this folder. */
  hasFolder(path: string): boolean {
    return this.folder(path) !== null;
  }

  /** Names of the files and folders in a folder, in no particular order; null if there is no such folder. */
  names(path: string): Set<string> | null {
    const folder = this.folder(path);
    if (folder === null) return null;
    const names = new Set<string>();
    for (let i = folder.at; i < this.files.length && this.files[i].path.startsWith(folder.prefix); i++) {
      const rest = this.files[i].path.slice(folder.prefix.length);
      const slash = rest.indexOf('/');
      names.add(slash < 0 ? rest : rest.slice(0, slash));
    }
    return names;
  }
}
