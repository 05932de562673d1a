import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folder of the core iterators in Svc. */
export const PRELUDE_FOLDER = resolve(import.meta.dirname, '../compiler/prelude');

/** A function with an alias: the other name, the doc comment, the definition up to the `end` at its margin. */
const ALIAS = /^# alias: (\w+)\n((?:##.*\n)+)def (\w+?)(__\d)?\(((?:.|\n)*?)\nend\n/gm;

/** Follows each function with `# alias: NAME` above it by a copy of that name. */
export function withAliases(text: string): string {
  return text.replace(ALIAS, (_, alias: string, doc: string, name: string, count = '', rest: string) => {
    const copy = rest.replaceAll(`"${name}"`, `"${alias}"`);
    return `${doc}def ${name}${count}(${rest}\nend\n\n${doc}def ${alias}${count}(${copy}\nend\n`;
  });
}

/** The text of all files of the prelude, aliases written out. */
export function preludeText(): string {
  return readdirSync(PRELUDE_FOLDER)
    .filter((name) => name.endsWith('.svc'))
    .sort()
    .map((name) => withAliases(readFileSync(join(PRELUDE_FOLDER, name), 'utf8')))
    .join('\n');
}
