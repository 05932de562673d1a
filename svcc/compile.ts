import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Program } from '../vm/bytecode/program.js';
import { writeArtefact } from './artefact.js';
import { collectAssets } from './assets.js';
import { nodeHost, processStreams } from './host.js';
import { libraryNames } from './library.js';
import { loadSource } from './load.js';
import { LoadError } from './loaderror.js';

/** Flags of `svcc compile`. */
export interface CompileFlags {
  output?: string;
  withSource?: boolean;
  /** Folders whose files become part of the artefact. */
  assets?: string[];
}

/** The program with its files named relative to the folder of the first: the bytes must not tell where they were made. */
function portable(program: Program, entry: string): Program {
  const folder = dirname(resolve(entry));
  const named = (path: string): string => relative(folder, resolve(path)).split(sep).join('/');
  return { ...program, sources: program.sources.map(({ path, text }) => ({ path: path === '' ? '' : named(path), text })) };
}

/** Writes a file whole or not at all. */
function writeWhole(path: string, bytes: Buffer): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    writeFileSync(temporary, bytes);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new LoadError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`, [], 1);
  }
}

/** `svcc compile`: makes an artefact of a program and all files it uses; the exit code. */
export async function compile(file: string, { output, withSource = false, assets = [] }: CompileFlags): Promise<number> {
  const host = nodeHost(processStreams());
  try {
    const { program } = await loadSource(file, libraryNames(), host.stderr);
    const path = output ?? `${file.replace(/\.svc$/, '')}.svcb`;
    const bytes = writeArtefact({ ...portable(program, file), assets: collectAssets(file, assets, path) }, withSource);
    writeWhole(path, bytes);
    host.stdout(`${path}: ${(bytes.length / 1024).toFixed(1)} KB\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}
