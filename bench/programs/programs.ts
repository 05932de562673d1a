import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Program {
  /** `sources/NAME` in every language. No suite may have this name. */
  readonly name: string;
  /** Amount of work: Ruby needs 0.3 to 1.5 s, or 0.1 s, beyond its start. Null for the program that reads the access log. */
  readonly size: number | null;
}

export const PROGRAMS: readonly Program[] = [
  { name: 'expressions', size: 550 },
  { name: 'lexer', size: 3000 },
  { name: 'cache', size: 250_000 },
  { name: 'jobs', size: 30_000 },
  { name: 'routes', size: 220 },
  { name: 'json', size: 2500 },
  { name: 'markdown', size: 300 },
  { name: 'accesses', size: null },
  { name: 'report', size: 150 },
  { name: 'matrix', size: 120 },
  { name: 'workshop', size: 4500 },
  { name: 'inventory', size: 50_000 },
];

/** Path of a program, by its extension. */
export function sourceOf(name: string, extension: string): string {
  return join(import.meta.dirname, 'sources', name + extension);
}

/** The argument with which tests run a program, from the comment that they read. */
export function smallSizeOf(name: string): string {
  const argument = /^# args: (.*)$/m.exec(readFileSync(sourceOf(name, '.svc'), 'utf8'))?.[1];
  if (argument === undefined) throw new Error(`${name}.svc has no comment \`# args:\``);
  return argument;
}
