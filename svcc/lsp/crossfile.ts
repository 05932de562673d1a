import type { Facts, Place } from '../../compiler/analysis/facts.js';
import {
  type Edit,
  type KnownFile,
  rename,
  type Renaming,
  unchangeable,
  wordsOf,
} from '../../compiler/analysis/rename.js';
import type { Target } from '../../compiler/analysis/targets.js';
import { type Patience, PORTION } from './patience.js';
import { hasWord, type Workspace } from './workspace.js';

/** The method by which a file compiles templates. */
const COMPILES = 'templates';

/**
 * The programs that may use a file and in whose first file, or one of its templates, one of some words stands; null if
 * the answer is not wanted any more.
 */
async function programsWith(
  workspace: Workspace,
  file: string,
  words: readonly string[],
  patience: Patience,
): Promise<KnownFile[] | null> {
  const files: KnownFile[] = [];
  let count = 0;
  for (const path of workspace.mentioning([...words, COMPILES])) {
    if (!workspace.mayUse(path, file)) continue;
    const facts = workspace.facts(path);
    if (facts?.program.own.some(({ text }) => hasWord(text, words)) === true) files.push({ path, facts });
    if (++count % PORTION === 0 && !(await patience.pause())) return null;
  }
  return files;
}

/**
 * Adds programs that join the file of a declaration with files in which its name may stand for it although they do not
 * use that file: `note.title`, where the program passes the note. Returns whether the answer is still wanted.
 */
async function addJoining(
  workspace: Workspace,
  file: string,
  kind: Target['kind'],
  words: readonly string[],
  files: KnownFile[],
  patience: Patience,
): Promise<boolean> {
  const joined = new Set<string>();
  const join = (facts: Facts): boolean => {
    if (facts.program.module(file) === null) return false;
    for (const { path } of facts.program.modules) joined.add(path);
    return true;
  };
  for (const { facts } of files) join(facts);
  let count = 0;
  const pause = async (): Promise<boolean> => ++count % PORTION !== 0 || (await patience.pause());
  const strays: string[] = [];
  for (const path of workspace.mentioning(words)) {
    if (joined.has(path)) continue;
    const facts = workspace.facts(path);
    if (facts !== null && hasUnknown(facts, kind, words)) strays.push(path);
    if (!(await pause())) return false;
  }
  for (const path of workspace.paths()) {
    const missing = strays.filter((stray) => !joined.has(stray));
    if (missing.length === 0) break;
    if (!workspace.mayUse(path, file) || !missing.some((stray) => workspace.mayUse(path, stray))) continue;
    const facts = workspace.facts(path);
    if (facts !== null && missing.some((stray) => facts.program.module(stray) !== null) && join(facts))
      files.push({ path, facts });
    if (!(await pause())) return false;
  }
  return true;
}

/** Whether the first file of a program may use a member or parameter by one of some words, of an unknown value. */
function hasUnknown(facts: Facts, kind: Target['kind'], words: readonly string[]): boolean {
  const { entry } = facts.program;
  return (
    (kind !== 'parameter' &&
      facts.occurrences(entry).some(({ target }) => target.kind === 'unknown' && words.includes(target.name))) ||
    facts.argumentNames(entry).some(({ name, unknown }) => unknown !== null && words.includes(name))
  );
}

/** Whether only the file that declares a name can use it. */
function isLocal({ kind, variable }: Target): boolean {
  if (variable === null || kind === 'field') return false;
  return !variable.scope.isModuleRoot && kind !== 'parameter';
}

/** The places in all files of the workspace that stand for a target. */
export async function referencesTo(
  workspace: Workspace,
  facts: Facts,
  target: Target,
  withDeclaration: boolean,
  patience: Patience,
): Promise<Place[] | null> {
  const declaration = facts.declaration(target);
  const own = { path: facts.program.entry.path, facts };
  const files =
    declaration === null || isLocal(target)
      ? [own]
      : await programsWith(workspace, declaration.path, [wordOf(target)], patience);
  if (files === null) return null;
  const out = new Map<string, Place>();
  for (const { facts: other } of files) {
    const same = other === facts ? target : declaration === null ? null : other.declaredAt(declaration, target.kind);
    if (same === null) continue;
    for (const module of other.program.modules)
      for (const { start, end, role } of other.references(module, same)) {
        const isDeclaration = module.path === declaration?.path && start === declaration.start;
        if (withDeclaration || !(isDeclaration || role === 'declaration'))
          out.set(`${start} ${module.path}`, { path: module.path, start, end });
      }
  }
  return [...out.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start));
}

/** The text that stands where a target is used. */
function wordOf({ kind, name }: Target): string {
  return kind === 'file' ? (/([^/\\]+?)(?:\.svc)?$/.exec(name)?.[1] ?? name) : name;
}

/** The changes that give the name at a place another one; null if they are not wanted any more. */
export async function renaming(
  workspace: Workspace,
  facts: Facts,
  target: Target,
  name: string,
  patience: Patience,
): Promise<Renaming | null> {
  const declaration = facts.declaration(target);
  const problem = unchangeable(target, declaration);
  if (problem !== null || declaration === null) return { problem: problem ?? '' };
  const files = isLocal(target)
    ? [{ path: facts.program.entry.path, facts }]
    : await programsWith(workspace, declaration.path, wordsOf(target, name), patience);
  if (files === null) return null;
  const { kind } = target;
  if (kind === 'method' || kind === 'field' || kind === 'parameter') {
    const words = [target.name, name];
    if (!(await addJoining(workspace, declaration.path, kind, words, files, patience))) return null;
  }
  return rename(declaration, target, name, files, (path, texts) => {
    const text = texts.get(path) ?? workspace.version(path)?.text ?? '';
    return workspace.analyse(path, text, texts);
  });
}

/** The changes of each file. */
export function byFile(edits: readonly Edit[]): Map<string, Edit[]> {
  const out = new Map<string, Edit[]>();
  for (const edit of edits) out.set(edit.path, [...(out.get(edit.path) ?? []), edit]);
  return out;
}
