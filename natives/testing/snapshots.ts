import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Errors, errorOf, fail, type SvcError } from '../../vm/values/error.js';
import { reasonOf } from '../reasons.js';
import type { TestInfo, TestRun } from './run.js';

/** Folder of snapshots, beside the file with the tests. */
const FOLDER = '__snapshots__';
/** Begins the line with the name of a snapshot. */
const HEAD = '=== ';

/** The file with the snapshots of a file of tests. */
function snapshotPath(file: string): string {
  return join(dirname(file), FOLDER, `${basename(file)}.snap`);
}

/** Snapshots as a file holds them: lines of values are indented, so that none is taken for a name. */
function parseSnapshots(text: string): Map<string, string> {
  const snapshots = new Map<string, string>();
  let name: string | null = null;
  let lines: string[] = [];
  const end = (): void => {
    if (name !== null) snapshots.set(name, lines.join('\n'));
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith(HEAD)) {
      end();
      name = nameIn(line.slice(HEAD.length));
    } else if (line.startsWith('  ')) lines.push(line.slice(2));
  }
  end();
  return snapshots;
}

function nameIn(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    // Changed by hand: no test has this name.
    return text;
  }
}

/** The text of a file with snapshots, by name. */
function writtenSnapshots(snapshots: ReadonlyMap<string, string>): string {
  const parts = [...snapshots]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, value]) =>
        `\n${HEAD}${JSON.stringify(name)}\n${value
          .split('\n')
          .map((line) => `  ${line}\n`)
          .join('')}`,
    );
  return `# Values that tests compare with. \`svcc test --update\` writes them again.\n${parts.join('')}`;
}

/** The snapshots of one file of tests. */
class SnapshotFile {
  readonly known: Map<string, string>;
  readonly used = new Set<string>();
  private hasChanged = false;

  constructor(private readonly path: string) {
    this.known = parseSnapshots(readIfAny(path));
  }

  set(name: string, value: string): void {
    this.known.set(name, value);
    this.hasChanged = true;
  }

  remove(name: string): void {
    this.known.delete(name);
    this.hasChanged = true;
  }

  /** Writes the file atomically, if it has changed. @throws SvcError */
  write(): void {
    if (!this.hasChanged) return;
    this.hasChanged = false;
    const temporary = `${this.path}.${process.pid}`;
    try {
      if (this.known.size === 0) {
        rmSync(this.path, { force: true });
        return;
      }
      mkdirSync(dirname(this.path), { recursive: true });
      writeFileSync(temporary, writtenSnapshots(this.known));
      renameSync(temporary, this.path);
    } catch (error) {
      throw cannot('write', this.path, error);
    }
  }
}

function cannot(what: string, path: string, error: unknown): SvcError {
  return errorOf(Errors.IOError, `cannot ${what} ${path}: ${reasonOf(error)}`);
}

function readIfAny(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw cannot('read', path, error);
  }
}

/** The snapshots of all files of a run, by the files with the tests. */
const FILES = new WeakMap<TestRun, Map<string, SnapshotFile>>();

function filesOf(run: TestRun): Map<string, SnapshotFile> {
  let files = FILES.get(run);
  if (files === undefined) FILES.set(run, (files = new Map<string, SnapshotFile>()));
  return files;
}

function fileOf(run: TestRun, file: string): SnapshotFile {
  const files = filesOf(run);
  let snapshots = files.get(file);
  if (snapshots === undefined) files.set(file, (snapshots = new SnapshotFile(snapshotPath(file))));
  return snapshots;
}

/** The snapshots of one test. */
export class SnapshotUse {
  private readonly title: string;
  private count = 0;
  private written = 0;
  private file: SnapshotFile | null = null;

  constructor(
    private readonly run: TestRun,
    private readonly info: TestInfo,
  ) {
    const name = info.names.join(' › ');
    const times = (run.declared.get(name) ?? 0) + 1;
    run.declared.set(name, times);
    this.title = times === 1 ? name : `${name} (${times})`;
  }

  /**
   * The stored text of the next snapshot if it differs from `text`; null if it is the same or has just been stored.
   * @throws AssertionError if a snapshot is missing and must not be stored
   */
  compare(text: string, name: string): string | null {
    const { run, info } = this;
    const file = (this.file ??= fileOf(run, info.place?.file ?? 'test'));
    const key = `${this.title} › ${name === '' ? ++this.count : name}`;
    const known = file.known.get(key);
    file.used.add(key);
    if (known === text) return null;
    if (known !== undefined && !run.updates) return known;
    if (run.isStrict && known === undefined)
      fail(
        Errors.AssertionError,
        `there is no snapshot '${key}', and CI is set: run the test here first, and commit the snapshot`,
      );
    file.set(key, text);
    this.written++;
    return null;
  }

  /** Called when the test has ended. Returns the number of snapshots that it has stored. */
  end(isWhole: boolean): number {
    if (!isWhole) for (const key of this.keysOfTest()) this.file?.used.add(key);
    this.file?.write();
    return this.written;
  }

  /** Names of stored snapshots of the test: one that failed or was skipped may not have come to all of them. */
  private keysOfTest(): string[] {
    const file = this.info.place === null ? null : fileOf(this.run, this.info.place.file);
    this.file ??= file;
    return [...(file?.known.keys() ?? [])].filter((key) => key.startsWith(`${this.title} › `));
  }
}

/**
 * Snapshots of the files that no test has compared with, when all tests have run; removes them if snapshots are stored
 * anew. @param entry the file that was run, whose tests may not use snapshots any more
 */
export function obsoleteSnapshots(run: TestRun, entry: string): string[] {
  if (run.filter !== null || run.bails) return [];
  fileOf(run, entry);
  return [...filesOf(run).values()].flatMap((file) => {
    const obsolete = [...file.known.keys()].filter((key) => !file.used.has(key));
    if (run.updates) {
      for (const key of obsolete) file.remove(key);
      file.write();
    }
    return obsolete;
  });
}
