import type * as Ast from '../ast.js';
import { takesOptions } from '../check/calls.js';
import { walkNodes } from '../check/walk.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { ModuleScope } from '../symbols.js';
import type { Facts, Place } from './facts.js';
import type { ArgumentName, Occurrence } from './occurrences.js';
import type { Target } from './targets.js';

/** A change of a file's text. */
export interface Edit {
  path: string;
  start: number;
  end: number;
  text: string;
  /** Where in the text the variable of a short form starts, which is written in full. */
  lead?: number;
}

/** A file and the program that begins with it. */
export interface KnownFile {
  path: string;
  facts: Facts;
}

/** The changes that give something another name; or why that cannot be done. */
export type Renaming = { edits: Edit[]; uncertain: Edit[] } | { problem: string };

const RESERVED = new Set(
  'and begin break case def do else elsif end ensure false for if in next nil not or raise rescue retry return then true unless until when while self it'.split(
    ' ',
  ),
);

/** Methods of records that the language calls itself, beside operators. */
const CALLED = new Set(['to_s', 'inspect', 'to_json', 'each']);
/** Methods of a store of sessions, which the library calls. */
const STORE_METHODS = new Set(['get', 'set', 'delete']);
/** The method of an application that takes such a store. */
const TAKES_STORE = 'sessions';

function calledByLanguage({ kind }: Target, name: string): string | null {
  return kind === 'method' && (CALLED.has(name) || /^[^\p{L}_]/u.test(name))
    ? `the language itself calls the method '${name}' of records`
    : null;
}

/** Words of which the files that a renaming concerns contain at least one. */
export function wordsOf({ kind, name: old }: Target, name: string): string[] {
  return [old, name, ...(kind === 'method' && STORE_METHODS.has(old) ? [TAKES_STORE] : [])];
}

/** Why the name at a place cannot be changed; null if it can. */
export function unchangeable(target: Target, declaration: Place | null): string | null {
  const { kind, name, variable } = target;
  if (kind === 'native') return `'${name}' belongs to the library`;
  if (kind === 'file') return 'files are renamed in the file system';
  if (kind === 'unknown' || declaration === null) return `nothing is known of '${name}' here`;
  if (name === 'self' || (variable !== null && name === 'it')) return `'${name}' is a word of the language`;
  return calledByLanguage(target, name);
}

/** Why something cannot have a name; null if it can. */
function invalidName(target: Target, name: string): string | null {
  const { kind, name: old } = target;
  const isCallable = kind === 'function' || kind === 'method';
  const form = isCallable ? /^[\p{L}_][\p{L}\p{N}_]*[?!]?$/u : /^[\p{L}_][\p{L}\p{N}_]*$/u;
  if (!form.test(name)) return `'${name}' is not a name${isCallable ? '' : ', which has letters, digits and _'}`;
  if (RESERVED.has(name)) return `'${name}' is a word of the language`;
  const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word);
  if (isCapital(old) !== isCapital(name) && kind !== 'field' && kind !== 'member')
    return isCapital(old)
      ? `names such as '${old}' begin with a capital`
      : `only types and constants begin with a capital: '${name}'`;
  return calledByLanguage(target, name);
}

/** What stands in place of a name. A short form is written in full. */
function replacement({ short, target }: Occurrence, name: string): string {
  if (short === 'key') return `${name}: ${target.name}`;
  return short === 'value' ? `${target.name}: ${name}` : name;
}

/** The places of a target in a program; those that depend on a value of unknown type separately. */
function placesIn(facts: Facts, target: Target, name: string): { edits: Edit[]; uncertain: Edit[] } {
  const edits: Edit[] = [];
  const uncertain: Edit[] = [];
  const isMember = target.kind === 'field' || target.kind === 'method';
  for (const { module, argument } of uncertainArguments(facts, target, target.name)) {
    const text = argument.short === null ? name : `${name}: ${argument.name}`;
    uncertain.push(editOf(module, argument, text));
  }
  for (const module of facts.program.modules)
    for (const occurrence of facts.occurrences(module)) {
      const { target: other } = occurrence;
      if (other === target) edits.push(editOf(module, occurrence, replacement(occurrence, name)));
      else if (isMember && other.kind === 'unknown' && other.name === target.name)
        uncertain.push(editOf(module, occurrence, replacement(occurrence, name)));
    }
  return { edits, uncertain };
}

/** Whether `name:` in a call names a parameter. */
function isNamed({ param }: Target): boolean {
  return param !== null && param.kind !== 'rest' && param.kind !== 'options';
}

/** The arguments with a name that may be passed to the function of a parameter, or to the record of a field. */
function uncertainArguments(
  facts: Facts,
  target: Target,
  name: string,
): { module: ModuleScope; argument: ArgumentName }[] {
  if (!isNamed(target)) return [];
  const names = new Set(
    target.kind === 'field' ? ['', target.owner, 'with', 'copy'] : ['', facts.functionOf(target)?.name],
  );
  return facts.program.modules.flatMap((module) =>
    facts
      .argumentNames(module)
      .filter((argument) => argument.name === name && argument.unknown !== null && names.has(argument.unknown))
      .map((argument) => ({ module, argument })),
  );
}

/** `a:` is longer than its name if the colon is replaced as well. */
function editOf(
  { path, text }: ModuleScope,
  { start, end, short }: Pick<Occurrence, 'start' | 'end' | 'short'>,
  name: string,
): Edit {
  const hasColon = short !== null && text[end] === ':';
  return {
    path,
    start,
    end: hasColon ? end + 1 : end,
    text: name,
    ...(short !== null ? { lead: name.indexOf(': ') + 2 } : {}),
  };
}

function unique(edits: readonly Edit[]): Edit[] {
  const seen = new Map<string, Edit>();
  for (const edit of edits) seen.set(`${edit.start} ${edit.path}`, edit);
  return [...seen.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start));
}

/** The text of a file after the changes to it. */
function applied(text: string, edits: readonly Edit[]): string {
  let out = '';
  let at = 0;
  for (const { start, end, text: inserted } of edits) {
    out += text.slice(at, start) + inserted;
    at = end;
  }
  return out + text.slice(at);
}

/**
 * Renames what is declared at a place. The changes are tried: afterwards every name in `files` must still stand for the
 * same.
 * @param analyse the program of a file with changed texts
 */
export function rename(
  place: Place,
  target: Target,
  name: string,
  files: readonly KnownFile[],
  analyse: (path: string, texts: ReadonlyMap<string, string>) => Facts,
): Renaming {
  const problem = invalidName(target, name);
  if (problem !== null) return { problem };
  if (name === target.name) return { edits: [], uncertain: [] };
  const all: Edit[] = [];
  const unsure: Edit[] = [];
  for (const { facts } of files) {
    const own = facts.declaredAt(place, target.kind);
    if (own === null) continue;
    const { edits, uncertain } = placesIn(facts, own, name);
    all.push(...edits);
    unsure.push(...uncertain);
  }
  const edits = unique(all);
  const uncertain = unique(unsure).filter(
    ({ path, start }) => !edits.some((edit) => edit.path === path && edit.start === start),
  );
  const conflict =
    conflictOf(edits, files, analyse, name) ??
    capturedBy(place, target, name, files) ??
    hiddenBy(place, target, name, files) ??
    storeWith(place, target, files);
  return conflict === null ? { edits, uncertain } : { problem: conflict };
}

/** Where a name would stand for something else after the changes; null if none does. */
function conflictOf(
  edits: readonly Edit[],
  files: readonly KnownFile[],
  analyse: (path: string, texts: ReadonlyMap<string, string>) => Facts,
  name: string,
): string | null {
  const byPath = new Map<string, Edit[]>();
  for (const edit of edits) byPath.set(edit.path, [...(byPath.get(edit.path) ?? []), edit]);
  const texts = new Map<string, string>();
  for (const { facts } of files)
    for (const { path, text } of facts.program.modules) {
      const changes = byPath.get(path);
      if (changes !== undefined && !texts.has(path)) texts.set(path, applied(text, changes));
    }
  const moved = (path: string, offset: number): number => {
    let shift = 0;
    for (const { start, end, text, lead = 0 } of byPath.get(path) ?? [])
      shift += start < offset ? text.length - (end - start) : start === offset ? lead : 0;
    return offset + shift;
  };
  for (const { path, facts } of files) {
    if (!facts.program.modules.some((module) => byPath.has(module.path))) continue;
    const after = analyse(path, texts);
    for (const module of facts.program.own) {
      const found = difference(facts, module, after, moved) ?? otherArgument(facts, module, after, moved);
      if (found !== null) return `'${name}' has another meaning in ${found}`;
    }
    const errors = errorsIn(after);
    if (errors.length > errorsIn(facts).length)
      return `'${name}' would be an error in ${errors[0].file}: ${errors[0].message}`;
  }
  return null;
}

/** The mistakes in a program's first file and its templates. */
function errorsIn({ program }: Facts): Diagnostic[] {
  return program.own.flatMap((module) => program.diagnostics(module).filter(({ severity }) => severity === 'error'));
}

/** The first place of a file where names stand for other things; null if there is none. */
function difference(
  before: Facts,
  one: ModuleScope,
  after: Facts,
  moved: (path: string, offset: number) => number,
): string | null {
  const { path } = one;
  const other = after.program.module(path);
  if (other === null) return path;
  const names = new Map(after.occurrences(other).map((occurrence) => [occurrence.start, occurrence]));
  for (const occurrence of before.occurrences(one)) {
    // The two names of a short form are written apart afterwards.
    if (occurrence.short !== null) continue;
    const at = moved(path, occurrence.start);
    const now = names.get(at);
    if (now === undefined || !isSame(before, occurrence.target, after, now.target, moved))
      return lineOf(one, occurrence.start);
  }
  return null;
}

function lineOf({ path, text }: ModuleScope, offset: number): string {
  return `${path}:${text.slice(0, offset).split('\n').length}`;
}

/** The first argument of a file that names another parameter, or names one in place of an entry of the options. */
function otherArgument(
  before: Facts,
  module: ModuleScope,
  after: Facts,
  moved: (path: string, offset: number) => number,
): string | null {
  const other = after.program.module(module.path);
  const now = other === null ? [] : after.argumentNames(other);
  const found = before.argumentNames(module).find(({ target }, i) => {
    const renamed = now.at(i)?.target ?? null;
    if (target === null || renamed === null) return target !== renamed;
    return !isSame(before, target, after, renamed, moved);
  });
  return found === undefined ? null : lineOf(module, found.start);
}

/** Why an entry of the options in a call of unknown type might name a parameter afterwards; null if none does. */
function capturedBy(place: Place, target: Target, name: string, files: readonly KnownFile[]): string | null {
  for (const { facts } of files) {
    const own = facts.declaredAt(place, target.kind);
    const params = own === null ? undefined : facts.functionOf(own)?.params;
    if (own === null || params === undefined || !takesOptions(params)) continue;
    for (const { module, argument } of uncertainArguments(facts, own, name))
      return `'${name}' may have another meaning in ${lineOf(module, argument.start)}, where an argument has this name`;
  }
  return null;
}

function isSame(
  before: Facts,
  a: Target,
  after: Facts,
  b: Target,
  moved: (path: string, offset: number) => number,
): boolean {
  const [from, to] = [before.declaration(a), after.declaration(b)];
  if (from === null || to === null) return from === to && a.owner === b.owner;
  return from.path === to.path && moved(from.path, from.start) === to.start;
}

/** Where a member of the library might be hidden afterwards, in calls of values of unknown type; null if nowhere. */
function hiddenBy(place: Place, target: Target, name: string, files: readonly KnownFile[]): string | null {
  if (target.kind !== 'method' && target.kind !== 'field') return null;
  for (const { facts } of files) {
    const { program } = facts;
    const own = facts.declaredAt(place, target.kind);
    if (own === null || !hasFromLibrary(facts, own, name)) continue;
    for (const module of program.modules)
      for (const { start, target: other } of facts.occurrences(module))
        if (other.kind === 'unknown' && other.name === name && isCalled(module.text, start))
          return `'${name}' may have another meaning in ${lineOf(module, start)}: records have a method of this name from the library`;
  }
  return null;
}

/** Whether the name at an offset is that of a member: `x.name`, `&.name` or `&:name`. */
function isCalled(text: string, start: number): boolean {
  return text[start - 1] === '.' || text.startsWith('&:', start - 2);
}

/** Whether the library gives the records that have a member a method of a name. */
function hasFromLibrary({ program }: Facts, { owner, module }: Target, name: string): boolean {
  const { methods } = program.env;
  if (methods.get('Any')?.has(name) === true || methods.get('Record')?.has(name) === true) return true;
  if (!program.names.iterators().has(name)) return false;
  const symbol = module?.symbols.get(owner);
  const node = symbol?.kind === 'def' || symbol?.kind === 'type' ? symbol.node : null;
  const records =
    node?.type === 'RecordDecl'
      ? [node]
      : node?.type === 'InterfaceDecl'
        ? (program.resolution.implementers.get(node) ?? []).map((record) => record.node as Ast.RecordDecl)
        : [];
  return records.some((record) =>
    program.resolution.methods.get(record)?.some((method) => method.node.name.name === 'each'),
  );
}

/** Why a method must keep its name: its record may be a store of sessions. Null if it is none. */
function storeWith(place: Place, { kind, name, owner }: Target, files: readonly KnownFile[]): string | null {
  if (kind !== 'method' || !STORE_METHODS.has(name)) return null;
  for (const { facts } of files) {
    if (facts.declaredAt(place, kind) === null) continue;
    for (const module of facts.program.modules) {
      let found: Ast.Method | null = null;
      walkNodes(module.tree, ['Method'], (node) => {
        if (node.name !== TAKES_STORE) return;
        const store = node.args.find((arg): arg is Ast.NamedArg => arg.type === 'NamedArg' && arg.name === 'store');
        if (store === undefined) return;
        const type = facts.program.types(module).of(store.value);
        if (type === null || type === owner) found = node;
      });
      const node = found as Ast.Method | null;
      if (node !== null)
        return `the library calls the method '${name}' of the store of sessions in ${lineOf(module, node.nameStart)}`;
    }
  }
  return null;
}
