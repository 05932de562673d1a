import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** How the files of templates end. */
export const TEMPLATE_END = '.html.erb';

/** A directory of templates, and the names of the files in it when a program was compiled. */
export interface Listing {
  directory: string;
  names: string[];
}

/** Where a file's templates are: a relative directory is beside the file that names it. */
export function templateFolder(directory: string, from: string): string {
  return resolve(dirname(from), directory);
}

/** The files of templates below a directory, as sorted relative paths with `/`. @throws the error of the file system */
export function templateFiles(folder: string, prefix = ''): string[] {
  const names: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) names.push(...templateFiles(join(folder, entry.name), `${prefix}${entry.name}/`));
    else if (entry.name.endsWith(TEMPLATE_END)) names.push(prefix + entry.name);
  }
  return names.sort();
}

/** Whether a directory still has the same templates. */
export function isSameListing({ directory, names }: Listing): boolean {
  const now = templateFiles(directory);
  return now.length === names.length && now.every((name, i) => name === names[i]);
}
