import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The project's folder. */
export const ROOT = resolve(import.meta.dirname, '..');

/** Folders and files that a build reads. */
// prettier-ignore
const INPUTS: readonly (readonly [folder: string, ending: string])[] = [
  ['compiler', '.ts'], ['compiler/grammar', '.ne'], ['natives', '.ts'], ['svcc', '.ts'], ['vm', '.ts'], ['tools', '.ts'], ['tools', '.svc'], ['docs/library/examples', '.svc'], ['docs/web-reference', '.svc'], ['docs/web-reference/views', '.erb'],
];

/** Hash of all inputs of a build: 16 hexadecimal digits. The cache of compiled programs identifies the bundle by it. */
export function buildId(): string {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(name).update(readFileSync(join(ROOT, name)));
  for (const [folder, ending] of INPUTS) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .sort();
    for (const name of files) hash.update(`${folder}/${name}`).update(readFileSync(join(ROOT, folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** What `dist/package.json` says of the bundle; null if there is none. `node` is missing until the build has ended. */
function built(): { build?: string; node?: string } | null {
  try {
    return JSON.parse(readFileSync(join(ROOT, 'dist/package.json'), 'utf8')) as { build?: string; node?: string };
  } catch {
    return null;
  }
}

/** Build id of the bundle in `dist/`; null if there is none. */
export function builtId(): string | null {
  return built()?.build ?? null;
}

/** Whether `dist/` has a whole bundle of the current sources, with code that this version of Node accepts. */
export function isUpToDate(): boolean {
  return built()?.node === process.version && builtId() === buildId();
}
