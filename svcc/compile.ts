import { dirname, relative, resolve, sep } from 'node:path';
import { reasonOf } from '../natives/reasons.js';
import type { Program } from '../vm/bytecode/program.js';
import { writeArtefact } from './artefact.js';
import { collectAssets } from './assets.js';
import { nodeHost, processStreams } from './host.js';
import { libraryNames } from './library.js';
import { loadSource } from './load.js';
import { LoadError } from './loaderror.js';
import { migrationFolders } from './migrationassets.js';
import { replaceFile, statsOf } from './replacefile.js';

/** Flags of `svcc compile`. */
export interface CompileFlags {
  output?: string;
  withSource?: boolean;
  /** Folders whose files are included in the artefact. */
  assets?: string[];
}

/**
 * The program with file names relative to the folder of the first file, so that the bytes do not depend on where they
 * were made.
 */
function portable(program: Program, entry: string): Program {
  const folder = dirname(resolve(entry));
  const named = (path: string): string => relative(folder, resolve(path)).split(sep).join('/');
  return {
    ...program,
    sources: program.sources.map(({ path, text }) => ({ path: path === '' ? '' : named(path), text })),
  };
}

/** @throws LoadError with the reason if the file cannot be written */
function write(path: string, bytes: Buffer): void {
  try {
    replaceFile(path, bytes);
  } catch (error) {
    throw new LoadError(`cannot write ${path}: ${reasonOf(error)}`, [], 1);
  }
}

/** @throws LoadError if the artefact would replace one of its own source files */
function keepSources(program: Program, path: string): void {
  const there = statsOf(path);
  if (there === null) return;
  const replaced = program.sources.find((source) => {
    const stats = source.path === '' ? null : statsOf(source.path);
    return stats !== null && stats.dev === there.dev && stats.ino === there.ino;
  });
  if (replaced !== undefined)
    throw new LoadError(
      `the artefact ${path} would replace ${replaced.path}, from which it is made; write it elsewhere with -o`,
    );
}

/** `svcc compile`: makes an artefact of a program and all files it uses. @returns the exit code */
export async function compile(
  file: string,
  { output, withSource = false, assets = [] }: CompileFlags,
): Promise<number> {
  const host = nodeHost(processStreams());
  try {
    const { program } = await loadSource(file, libraryNames(), host.stderr);
    const path = output ?? `${file.replace(/\.svc$/, '')}.svcb`;
    keepSources(program, path);
    const { folders, warnings } = await migrationFolders(file, program);
    for (const line of warnings) host.stderr(`${line}\n`);
    const included = collectAssets(file, [...assets, ...folders], path);
    const bytes = writeArtefact({ ...portable(program, file), assets: included }, withSource);
    write(path, bytes);
    if (statsOf(path)?.isFile() === true) host.stdout(`${path}: ${(bytes.length / 1024).toFixed(1)} KB\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    host.stderr(`${error.message}\n`);
    return error.exitCode;
  }
}
