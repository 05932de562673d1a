import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

// web and websocket have exchanges beside their programs and a runner of their own, check is for `svcc check`; `lib` holds what programs load.
const NOT_HERE = /^spec-tests\/(web|websocket|check)\/|\/lib\//;

/**
 * The programs to run, by their folder. SVC_SPEC limits them to those whose path contains its text:
 * `SVC_SPEC=closures npx tap test/spec/language.test.ts`.
 */
export async function collectPrograms(): Promise<Map<string, string[]>> {
  const paths = [
    ...(await programsUnder('spec-tests')),
    ...(await programsUnder('examples')).filter(hasExpectedOutput),
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

/** `examples/x.svc` is compared with `examples/x.expected`; an example without it serves or waits. */
export function expectedOutputOf(path: string): string {
  return join(ROOT, path.replace(/\.svc$/, '.expected'));
}

export function hasExpectedOutput(path: string): boolean {
  return existsSync(expectedOutputOf(path));
}
