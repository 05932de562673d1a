import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { reasonOf } from '../../natives/reasons.js';
import { LoadError } from '../loaderror.js';

/** Folders that hold no tests of the project. */
const SKIPPED = new Set(['node_modules', '__snapshots__', 'dist']);
/** Maximum levels of folders, which links could make endless. */
const MAX_LEVELS = 40;

/** Whether a folder, or one around it up to the working directory, is named `test`. */
function isTestFolder(path: string): boolean {
  return [...relative('.', path).split(sep), basename(resolve(path))].includes('test');
}

/** Whether a file holds tests rather than what they test. */
export function isTestFile(path: string): boolean {
  return path.endsWith('_test.svc') || isTestFolder(dirname(path));
}

function search(folder: string, isTest: boolean, level: number, found: string[]): void {
  if (level > MAX_LEVELS) return;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && !SKIPPED.has(entry.name))
        search(path, isTest || entry.name === 'test', level + 1, found);
    } else if (entry.name.endsWith('_test.svc') || (isTest && entry.name.endsWith('.svc'))) found.push(path);
  }
}

/**
 * Files of tests: those that are named, and in folders all `*_test.svc` and all programs below a folder `test`.
 * @throws LoadError for a path that cannot be read
 */
export function findTests(paths: readonly string[]): string[] {
  return filesOf(paths, (folder) => {
    const inFolder: string[] = [];
    search(folder, isTestFolder(folder), 0, inFolder);
    return inFolder;
  });
}

/** Files that are named, and those that `inFolder` finds in folders. @throws LoadError for a path that cannot be read */
export function filesOf(paths: readonly string[], inFolder: (folder: string) => string[]): string[] {
  const files = (paths.length === 0 ? ['.'] : paths).flatMap((path) => {
    try {
      if (statSync(path).isDirectory()) return inFolder(normalize(path));
      if (path.endsWith('.svc')) return [normalize(path)];
    } catch (error) {
      throw new LoadError(`cannot read ${path}: ${reasonOf(error)}`);
    }
    throw new LoadError(`${path} is not a .svc file; name files or folders of tests`);
  });
  return [...new Set(files)];
}
