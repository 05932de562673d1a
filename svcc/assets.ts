import { readdirSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { assetPathProblem } from '../vm/artefact/assets.js';
import { reasonOf } from '../natives/reasons.js';
import type { Asset } from '../vm/bytecode/program.js';
import { LoadError } from './loaderror.js';

/** Maximum bytes of all assets together: they stay in memory while the program runs. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Maximum number of files and folders: links can multiply a few into many. */
const MAX_ENTRIES = 100_000;

function refuse(what: string): never {
  throw new LoadError(`--assets: ${what}`);
}

/** Runs an operation that reads `path`. @throws LoadError that names it */
function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof LoadError || code === undefined) throw error;
    return refuse(`cannot read ${path}: ${reasonOf(error)}`);
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Collects the files below folders inside the program's folder. */
class Collector {
  /** Paths on disk, by asset name. */
  readonly files = new Map<string, string>();
  /** Real paths of all folders that were read, and of all files. */
  private readonly real = new Set<string>();
  private bytes = 0;
  private entries = 0;
  private root = '';

  /** @param base absolute path of the program's folder */
  constructor(private readonly base: string) {}

  /**
   * Adds all regular files below `folder`. Skips names that begin with a dot: static directories do not serve those.
   */
  add(folder: string): void {
    const path = resolve(folder);
    if (!reading(folder, () => statSync(path)).isDirectory()) refuse(`${folder} is not a directory`);
    this.root = realpathSync(path);
    if (!isBelow(path, this.base) || !isBelow(this.root, realpathSync(this.base)))
      refuse(`${folder} is not a folder inside the program's folder ${this.base}`);
    this.folder(path, [this.root]);
  }

  /** @param around real paths of the folders above, to detect a link that leads back to one */
  private folder(path: string, around: readonly string[]): void {
    this.real.add(around[around.length - 1]);
    for (const entry of reading(path, () => readdirSync(path, { withFileTypes: true }))) {
      if (entry.name.startsWith('.')) continue;
      if (++this.entries > MAX_ENTRIES) refuse(`there are more than ${MAX_ENTRIES} files and folders`);
      const inner = join(path, entry.name);
      if (!entry.isSymbolicLink() && !entry.isFile() && !entry.isDirectory()) continue;
      const real = reading(inner, () => realpathSync(inner));
      if (entry.isSymbolicLink() && real !== this.root && !isBelow(real, this.root))
        refuse(`${inner} is a link that leads out of the folder`);
      const stats = reading(inner, () => statSync(real));
      if (stats.isFile()) this.file(inner, real, stats);
      else if (around.includes(real)) refuse(`${inner} is a link to a folder that contains it`);
      else if (stats.isDirectory()) this.folder(inner, [...around, real]);
    }
  }

  /** Whether a file with this real path would be collected if it were there. */
  takes(real: string): boolean {
    return this.real.has(real) || (this.real.has(dirname(real)) && !basename(real).startsWith('.'));
  }

  private file(path: string, real: string, { size }: Stats): void {
    const name = relative(this.base, path).split(sep).join('/');
    const problem = name.includes('\ufffd') ? 'is not UTF-8' : assetPathProblem(name);
    if (problem !== null) refuse(`the path of ${JSON.stringify(path)} ${problem}`);
    if (this.files.has(name)) return;
    this.files.set(name, path);
    this.real.add(real);
    this.bytes += size;
    if (this.bytes > MAX_BYTES) refuse(`the files take more than ${MAX_BYTES / 1024 / 1024} MB together`);
  }
}

/** The real path of the file that a path leads to, or will lead to; null for devices, pipes and missing folders. */
function realFile(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return join(realpathSync(dirname(path)), basename(path));
    return stats.isFile() ? realpathSync(path) : null;
  } catch {
    // The attempt to write to it says why.
    return null;
  }
}

/**
 * Collects the files below folders inside the folder of the program `entry`, sorted by path in UTF-16 units,
 * independent of the locale. `output` is the file being written, which must not become part of itself. @throws
 * LoadError that names the folder or file that is refused
 */
export function collectAssets(entry: string, folders: readonly string[], output: string): Asset[] {
  const collector = new Collector(dirname(resolve(entry)));
  for (const folder of folders) collector.add(folder);
  const written = realFile(resolve(output));
  if (written !== null && collector.takes(written))
    refuse(`the artefact ${output} would be one of the files that it is made from; write it elsewhere with -o`);
  const assets: Asset[] = [];
  for (const name of [...collector.files.keys()].sort()) {
    const path = collector.files.get(name) as string;
    assets.push({ path: name, bytes: reading(path, () => readFileSync(path)) });
  }
  return assets;
}
