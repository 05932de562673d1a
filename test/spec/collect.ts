import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

// Programs of web and websocket have exchanges, which test/web/ plays; check is for `svcc check`; programs load files of `lib`.
const NOT_HERE = /^spec-tests\/(web|websocket|check)\/|\/lib\//;

/**
 * Finds the programs to run, by folder. SVC_SPEC selects those whose path contains its text:
 * `SVC_SPEC=closures npx tap test/spec/language.test.ts`.
 */
export async function collectPrograms(): Promise<Map<string, string[]>> {
  const paths = [
    ...(await programsUnder('spec-tests')),
    ...(await programsUnder('examples')).filter(hasExpectedOutput),
    ...(await programsUnder('bench/programs')),
  ];
  const wanted = paths.filter((path) => !NOT_HERE.test(path) && path.includes(process.env.SVC_SPEC ?? ''));
  const folders = new Map<string, string[]>();
  for (const path of wanted.sort()) {
    const folder = dirname(path);
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return folders;
}

async function programsUnder(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.svc'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

/** Path of the expected output of an example or benchmark; examples without it serve or wait. */
export function expectedOutputOf(path: string): string {
  return join(ROOT, path.replace(/\.svc$/, '.expected'));
}

export function hasExpectedOutput(path: string): boolean {
  return existsSync(expectedOutputOf(path));
}
