import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose files belong to others, and tests, which offer nothing. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'test', 'tests', 'coverage']);

/** The programs below a folder, sorted, without tests. */
export function programsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || (entry.isDirectory() && SKIPPED.has(entry.name))) return [];
      if (entry.isDirectory()) return programsBelow(path);
      return entry.name.endsWith('.svc') && !entry.name.endsWith('_test.svc') ? [path] : [];
    })
    .sort();
}
