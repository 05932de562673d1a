import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { reasonOf } from '../natives/reasons.js';
import type { Streams } from './host.js';
import { VERSION } from './version.js';

/** Path of a file of the template, from the sources and from a chunk of the bundle. */
const TEMPLATES = ['../templates/project/app.svc', '../../templates/project/app.svc'];

/** Files that npm would leave out of the package or interpret itself; they are stored without the dot. */
const HIDDEN = new Set(['dockerignore', 'env.example', 'gitignore']);

/** A name that is valid as a folder, as a container image and in HTML. */
const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** The reason why a project cannot be created at `path`, or null. */
function problemOf(path: string): string | null {
  const name = basename(path);
  if (!NAME.test(name))
    return `'${name}' is not a valid project name: use at most 64 of a-z, 0-9, _ and -, starting with a letter`;
  if (existsSync(path)) return `${path} already exists; choose another name, or remove it`;
  return isFolder(dirname(path)) ? null : `the folder ${dirname(path)} does not exist; create it first`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function copyTemplate(from: string, to: string, texts: Record<string, string>): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, HIDDEN.has(entry.name) ? `.${entry.name}` : entry.name);
    if (entry.isDirectory()) copyTemplate(source, target, texts);
    else
      writeFileSync(
        target,
        readFileSync(source, 'utf8').replace(/\{\{(\w+)\}\}/g, (mark, key: string) => texts[key] ?? mark),
      );
  }
}

function templateFolder(): string | null {
  const { resolve } = createRequire(import.meta.url);
  for (const path of TEMPLATES) {
    try {
      return dirname(resolve(path));
    } catch {
      // It does not exist.
    }
  }
  return null;
}

/**
 * `svcc new NAME`: creates a project that runs and passes its own test. It appears whole or not at all. @returns the
 * exit code
 */
export function newProject(name: string, { stdout, stderr }: Streams): number {
  const path = resolve(name);
  const problem = problemOf(path);
  if (problem !== null) {
    stderr(`svcc: ${problem}\n`);
    return 2;
  }
  const template = templateFolder();
  if (template === null) {
    stderr('svcc: the files of new projects are missing; install the package again\n');
    return 1;
  }
  const unfinished = `${path}.${process.pid}.new`;
  try {
    copyTemplate(template, unfinished, { name: basename(path), version: VERSION });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    stderr(`svcc: cannot make ${path}: ${reasonOf(error)}\n`);
    return 1;
  }
  stdout(
    `made ${name}; continue with\n\n    cd ${name}\n    svcc run test/routes_test.svc\n    svcc run --dev app.svc\n`,
  );
  return 0;
}
