import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folder of the core iterators in Svc. */
export const PRELUDE_FOLDER = resolve(import.meta.dirname, '../compiler/prelude');

/** A function with aliases: the other names, the doc comment, the definition up to the `end` at its margin. */
const ALIAS = /^# alias: ([\w ]+)\n((?:##.*\n)+)def (\w+?)(__\d(?:_2)?)?\(((?:.|\n)*?)\nend\n/gm;

/** The name as programs write it. */
function shown(name: string): string {
  return name.replace(/_q$/, '?').replace(/_b$/, '!');
}

/** Follows each function with `# alias: NAME …` above it by a copy for each name. */
export function withAliases(text: string): string {
  return text.replace(ALIAS, (_, aliases: string, doc: string, name: string, count = '', rest: string) => {
    const copies = aliases.split(' ').map((alias) => {
      const body = rest.replaceAll(`"${shown(name)}"`, `"${shown(alias)}"`);
      return `\n${doc}def ${alias}${count}(${body}\nend\n`;
    });
    return `${doc}def ${name}${count}(${rest}\nend\n${copies.join('')}`;
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
