import { existsSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { reasonOf } from '../../natives/reasons.js';
import { LoadError } from '../loaderror.js';

/** A `.gitignore` with the folder that its patterns refer to. */
interface Rules {
  folder: string;
  patterns: Ignore;
}

function rulesIn(folder: string): Rules[] {
  const path = join(folder, '.gitignore');
  if (!existsSync(path)) return [];
  return [{ folder, patterns: ignore().add(readFileSync(path, 'utf8')) }];
}

/** The rules of the folders around `folder`, from the repository's root on. */
function rulesAround(folder: string): Rules[] {
  const around: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return around.flatMap(rulesIn);
    if (dirname(at) === at) return [];
    around.unshift(dirname(at));
  }
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  return rules.some(({ folder, patterns }) => {
    const name = relative(folder, path).split(sep).join('/');
    return patterns.ignores(isFolder ? `${name}/` : name);
  });
}

/** Collects the programs below a folder: not in `node_modules`, hidden folders, or what a `.gitignore` names. */
function collect(folder: string, shown: string, outer: readonly Rules[], found: string[]): void {
  const rules = [...outer, ...rulesIn(folder)];
  for (const entry of sorted(folder, shown)) {
    const { name } = entry;
    const path = join(folder, name);
    const isFolder = entry.isDirectory();
    if (name.startsWith('.') || name === 'node_modules') continue;
    if (!isFolder && !(name.endsWith('.svc') && entry.isFile())) continue;
    if (isIgnored(path, isFolder, rules)) continue;
    if (isFolder) collect(path, join(shown, name), rules, found);
    else found.push(join(shown, name));
  }
}

function sorted(folder: string, shown: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new LoadError(`cannot read ${shown}: ${reasonOf(error)}`);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The programs that arguments name: files, and all programs below folders. @throws LoadError for a folder that cannot be read */
export function programsIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!isFolder(path)) return [path];
    const found: string[] = [];
    const folder = resolve(path);
    collect(folder, path === '.' ? '' : path, rulesAround(folder), found);
    return found;
  });
}
