import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Program } from '../../../vm/bytecode/program.js';
import { compileText } from './machine.js';

export const ROOT = resolve(import.meta.dirname, '../../..');

export interface CorpusEntry {
  path: string;
  program: Program;
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.svc'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

interface Corpus {
  compiled: CorpusEntry[];
  refused: string[];
}

const made = new Map<number, Corpus>();

/**
 * Every `stride`th of the examples and spec tests, in the order of their names: those that compile on their own, and
 * the others. Compiles them once.
 */
export function corpus(stride: number): Corpus {
  const found = made.get(stride) ?? compileAll(stride);
  made.set(stride, found);
  return found;
}

function compileAll(stride: number): Corpus {
  const compiled: CorpusEntry[] = [];
  const refused: string[] = [];
  for (const path of [...filesUnder('examples'), ...filesUnder('spec-tests')]
    .sort()
    .filter((_, i) => i % stride === 0)) {
    const { program } = compileText(readFileSync(join(ROOT, path), 'utf8'), path);
    if (program === null) refused.push(path);
    else compiled.push({ path, program });
  }
  return { compiled, refused };
}
