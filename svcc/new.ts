import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { reasonOf } from '../natives/reasons.js';
import { nearest } from '../vm/bytecode/nearest.js';
import type { Streams } from './host.js';
import { projectFiles, templatesFolder } from './projectfiles.js';
import { type Template, TEMPLATES } from './projecttemplates.js';
import { VERSION } from './version.js';

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

function isTemplate(name: string): name is Template {
  return Object.hasOwn(TEMPLATES, name);
}

/** The message for a template that does not exist. */
function unknownTemplate(name: string): string {
  const names = Object.keys(TEMPLATES);
  const near = nearest(name, names);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  return `there is no template '${name}': choose ${names.slice(0, -1).join(', ')} or ${names.at(-1)}${hint}`;
}

/** Creates a folder with files. A file that holds secrets can be read by its owner alone. */
function writeFiles(folder: string, files: Map<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path === '.env' ? 0o600 : 0o666 });
  }
}

/**
 * `svcc new NAME --template TEMPLATE`: creates a project that runs and passes its own test. It appears whole or not at
 * all. @returns the exit code
 */
export function newProject(name: string, template: string, { stdout, stderr }: Streams): number {
  const path = resolve(name);
  const problem = isTemplate(template) ? problemOf(path) : unknownTemplate(template);
  if (problem !== null || !isTemplate(template)) {
    stderr(`svcc: ${problem}\n`);
    return 2;
  }
  const folder = templatesFolder();
  if (folder === null) {
    stderr('svcc: the files of new projects are missing; install the package again\n');
    return 1;
  }
  const unfinished = `${path}.${process.pid}.new`;
  try {
    writeFiles(unfinished, projectFiles(folder, template, { name: basename(path), version: VERSION }));
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    stderr(`svcc: cannot make ${path}: ${reasonOf(error)}\n`);
    return 1;
  }
  stdout(`made ${name}; continue with\n\n    cd ${name}\n    svcc test\n    svcc run --dev app.svc\n`);
  return 0;
}
