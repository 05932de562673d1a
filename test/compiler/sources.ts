import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');
const FIXTURES = join(import.meta.dirname, 'fixtures');

export interface SourceFile {
  name: string;
  text: string;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.svc'))
    .sort()
    .map((name) => join(folder, name));
}

function load(path: string): SourceFile {
  return { name: path.slice(ROOT.length + 1), text: readFileSync(path, 'utf8') };
}

/** The file that uses every syntactic form. */
export function torture(): SourceFile {
  return load(join(FIXTURES, 'torture.svc'));
}

/** All programs of the repository, with and without errors. */
export function programs(): SourceFile[] {
  return [
    ...filesUnder(join(ROOT, 'examples')),
    ...filesUnder(join(ROOT, 'spec-tests')),
    join(FIXTURES, 'torture.svc'),
  ].map(load);
}

/** Programs with errors, and the files with their messages. */
export function mistakes(): (SourceFile & { golden: string })[] {
  return filesUnder(join(FIXTURES, 'errors')).map((path) => ({
    ...load(path),
    golden: path.replace(/\.svc$/, '.txt'),
  }));
}
