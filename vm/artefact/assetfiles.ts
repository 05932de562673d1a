import { lowerBound } from './assets.js';
import type { Asset } from '../bytecode/program.js';

/**
 * The key of a path as a program names it: without `.`, `..` and doubled slashes, as assets are named; '' is the program's folder itself.
 * Null for a path that can name no asset: an absolute one, or one that leads out of the folder.
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

/** The files that came with an artefact, under their paths from the program's folder. Folders are what these paths tell of. Empty until a program brings some. */
export class Assets {
  /** In the order of their paths by UTF-16 units. */
  private files: readonly Asset[] = [];

  /** Takes the files of a program, in order of their paths and without duplicates; those of one before are gone. */
  take(files: readonly Asset[]): void {
    this.files = files;
  }

  get isEmpty(): boolean {
    return this.files.length === 0;
  }

  /** The file at a path, or null. The same object each time. */
  find(path: string): Asset | null {
    const key = this.isEmpty || /(?:^|\/)\.{0,2}$/.test(path) ? null : keyOf(path);
    if (key === null) return null;
    const file = this.files[lowerBound(this.files, key)];
    return file?.path === key ? file : null;
  }

  /** Where the files of a folder begin in the list, and what their paths begin with; null when there is no such folder. */
  private folder(path: string): { at: number; prefix: string } | null {
    const key = this.isEmpty ? null : keyOf(path);
    if (key === null) return null;
    const prefix = key === '' ? '' : `${key}/`;
    const at = lowerBound(this.files, prefix);
    return this.files[at]?.path.startsWith(prefix) === true ? { at, prefix } : null;
  }

  /** Whether files lie below this path. */
  hasFolder(path: string): boolean {
    return this.folder(path) !== null;
  }

  /** Names of the files and folders in a folder, in no particular order; null when there is no such folder. */
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
