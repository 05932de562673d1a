import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type { Template } from './projecttemplates.js';

/** Paths of a file that all projects have, from the sources and from a chunk of the bundle. */
const SHARED = ['../templates/shared/Dockerfile', '../../templates/shared/Dockerfile'];

/** Files that npm would leave out of the package or interpret itself; they are stored without the dot. */
const HIDDEN = new Set(['dockerignore', 'env.example', 'gitignore']);

/** A part of a shared file for the templates that have a folder: `{{if db}}…{{end}}`. */
const PART = /\{\{if (\w+)\}\}\n?([^]*?)\{\{end\}\}\n?/g;

/** Place in a shared file for the text of the template's file with the same path. */
const OWN = /\{\{own\}\}\n?/;

/** A setting without a value in `.env.example`: a secret. */
const SECRET = /^[A-Z_]+=$/gm;

/** The folder of all templates, or null if it is missing. */
export function templatesFolder(): string | null {
  const { resolve } = createRequire(import.meta.url);
  for (const path of SHARED) {
    try {
      return dirname(dirname(resolve(path)));
    } catch {
      // It does not exist.
    }
  }
  return null;
}

/** Texts of all files below a folder, by their paths in it. */
function textsBelow(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** Texts of a new project's files, by their paths. A project with secrets gets an `.env` with random ones. */
export function projectFiles(folder: string, template: Template, values: Record<string, string>): Map<string, string> {
  const own = textsBelow(join(folder, template));
  const shared = textsBelow(join(folder, 'shared'));
  const folders = new Set([...own.keys()].map((path) => path.split(sep)[0]));
  const files = new Map<string, string>();
  for (const path of new Set([...shared.keys(), ...own.keys()])) {
    const text = (shared.get(path) ?? '{{own}}')
      .replace(PART, (_, name: string, part: string) => (folders.has(name) ? part : ''))
      .replace(OWN, () => own.get(path) ?? '')
      .replace(/\{\{(\w+)\}\}/g, (mark, key: string) => values[key] ?? mark);
    files.set(HIDDEN.has(path) ? `.${path}` : path, text);
  }
  const example = files.get('.env.example') ?? '';
  const filled = example.replace(SECRET, (setting) => setting + randomBytes(32).toString('hex'));
  return filled === example ? files : files.set('.env', filled);
}
