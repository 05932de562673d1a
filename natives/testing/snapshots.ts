import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Errors, errorOf, fail, type SvcError } from '../../vm/values/error.js';
import { reasonOf } from '../reasons.js';
import { parseSnapshots, type Snapshot, withoutCrLf, writtenSnapshots } from './snapshottext.js';
import type { TestInfo, TestRun } from './run.js';

/** Folder of snapshots, beside the file with the tests. */
const FOLDER = '__snapshots__';

/** The file with the snapshots of a file of tests. */
function snapshotPath(file: string): string {
  return join(dirname(file), FOLDER, `${basename(file)}.snap`);
}

/** The snapshots of one file of tests. */
class SnapshotFile {
  readonly known: Map<string, Snapshot>;
  readonly used = new Set<string>();
  private hasChanged: boolean;
  private readonly hasCrLf: boolean;
  /** Where the file is damaged, in a sentence; null if it is whole or written anew. */
  private readonly damage: string | null;
  private hasReported = false;

  /** @param isAnew whether all snapshots are stored anew, so that damaged lines can be dropped */
  constructor(
    private readonly path: string,
    isAnew: boolean,
  ) {
    const { snapshots, problem, hasCrLf } = parseSnapshots(readIfAny(path));
    this.known = snapshots;
    this.hasCrLf = hasCrLf;
    this.hasChanged = problem !== null && isAnew;
    this.damage =
      problem === null || isAnew
        ? null
        : `${path}:${problem.line}: ${problem.text}; repair the file, or store all snapshots anew with \`svcc test --update\``;
  }

  /** @throws ValueError if the file is damaged */
  check(): void {
    if (this.damage === null) return;
    this.hasReported = true;
    fail(Errors.ValueError, this.damage);
  }

  /** As `check`, unless a test has failed for this reason. */
  checkUnreported(): void {
    if (!this.hasReported) this.check();
  }

  get isDamaged(): boolean {
    return this.damage !== null;
  }

  /** Whether a value is the one of a snapshot. One whose kind is unknown is that of any kind of value. */
  isSame(known: Snapshot, { text, isText }: Snapshot): boolean {
    const isSameText = known.text === text || (this.hasCrLf && known.text === withoutCrLf(text));
    return isSameText && (known.isText === null || known.isText === isText);
  }

  /** Notes of what kind the value of a snapshot is. Files with CRLF stay as version control has written them. */
  noteKind(name: string, known: Snapshot, value: Snapshot): void {
    if (known.isText === null && !this.hasCrLf) this.set(name, value);
  }

  set(name: string, value: Snapshot): void {
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
  if (snapshots === undefined) {
    const isAnew = run.updates && run.filter === null && !run.bails;
    files.set(file, (snapshots = new SnapshotFile(snapshotPath(file), isAnew)));
  }
  return snapshots;
}

/** The snapshots of one test. */
export class SnapshotUse {
  private readonly title: string;
  private count = 0;
  private written = 0;
  /** Names of the snapshots that the test has come to. */
  private readonly met = new Set<string>();
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
   * The next snapshot if it differs from `value`; null if it is the same or has just been stored.
   * @throws AssertionError if a snapshot is missing and must not be stored; ValueError if their file is damaged
   */
  compare(value: Snapshot, name: string): Snapshot | null {
    const { run, info } = this;
    const file = (this.file ??= fileOf(run, info.place?.file ?? 'test'));
    file.check();
    const key = `${this.title} › ${name === '' ? ++this.count : name}`;
    const known = file.known.get(key);
    file.used.add(key);
    if (known !== undefined && file.isSame(known, value)) {
      if (!run.isStrict) file.noteKind(key, known, value);
      this.met.add(key);
      return null;
    }
    if (this.met.has(key))
      fail(Errors.AssertionError, `another value of this test has the snapshot '${key}': give them different names`);
    if (known !== undefined && !run.updates) return known;
    if (run.isStrict && known === undefined)
      fail(
        Errors.AssertionError,
        `there is no snapshot '${key}', and CI is set: run the test here first, and commit the snapshot`,
      );
    file.set(key, value);
    this.met.add(key);
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
 * @throws SvcError if a file of snapshots is damaged, unless a test has reported that, or cannot be read or written
 */
export function obsoleteSnapshots(run: TestRun, entry: string): string[] {
  if (run.filter !== null || run.bails) return [];
  fileOf(run, entry);
  return [...filesOf(run).values()].flatMap((file) => {
    file.checkUnreported();
    if (file.isDamaged) return [];
    const obsolete = [...file.known.keys()].filter((key) => !file.used.has(key));
    if (run.updates) {
      for (const key of obsolete) file.remove(key);
      file.write();
    }
    return obsolete;
  });
}
