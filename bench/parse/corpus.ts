import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Renames the types of an example: a file may declare a type only once, so each copy needs types of its own. */
function withOwnTypes(text: string, copy: number): string {
  const types = [...text.matchAll(/^\s*(?:error|record|enum|interface) ([A-Z]\w*)/gm)].map(([, name]) => name);
  return types.reduce((done, name) => done.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `${name}${copy}`), text);
}

/** Repeats whole examples until there are `lines` lines. */
export function corpus(folder: string, lines: number): string {
  const examples = readdirSync(folder)
    .filter((name) => name.endsWith('.svc'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const parts: string[] = [];
  for (let count = 0; count < lines;) {
    const text = withOwnTypes(examples[parts.length % examples.length], parts.length);
    parts.push(text);
    count += text.split('\n').length;
  }
  return parts.join('\n');
}
