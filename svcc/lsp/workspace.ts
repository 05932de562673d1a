import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Facts } from '../../compiler/analysis/facts.js';
import type { Library } from '../../compiler/analysis/library.js';
import { type OutlineItem, outlineOf } from '../../compiler/analysis/outline.js';
import { ParsedFiles } from '../../compiler/analysis/parsedfiles.js';
import { ProgramAnalysis } from '../../compiler/analysis/program.js';
import type { CheckEnvironment } from '../../compiler/index.js';
import { parse } from '../../compiler/parse.js';
import { libraryOf } from '../check.js';
import { createVm, nativeNames } from '../fullvm.js';
import type { Host } from '../../vm/host.js';
import { BUILTIN_MODULES, readSource } from '../load.js';
import { LoadError } from '../loaderror.js';
import { TEMPLATE_END, templateFiles, templateFolder } from '../templatefiles.js';
import { documentedLibrary } from './library.js';
import { uriOf } from './uris.js';

/** Maximum number of files of a workspace that are searched for names. */
const MAX_FILES = 2000;
/** Maximum depth of folders that are searched. */
const MAX_DEPTH = 12;
/** Programs that stay analysed, beside those of open files. */
const MAX_ANALYSES = 24;
/** Files that are closed and stay in memory. */
const MAX_TEXTS = 400;
/** Milliseconds for which a list of files is believed. */
const LIST_MS = 2000;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'target', 'vendor']);

/** A file's text and what identifies this version of it. */
interface Version {
  text: string;
  stamp: string;
}

/** The versions of all that a program was made of. */
interface Parts {
  stamps: Map<string, string>;
  /** Folders of templates and paths where no file was found. */
  absent: Set<string>;
}

interface Analysed extends Parts {
  facts: Facts;
  used: number;
}

/** The library for programs. */
interface Described {
  library: Library;
  env: Omit<CheckEnvironment, 'load' | 'templates'>;
}

/** Texts that stand in place of files, by path. */
type Overlay = ReadonlyMap<string, string>;

/** The files that an editor works on: open ones as it has them, others as they are on the disk. */
export class Workspace {
  readonly open = new Map<string, TextDocument>();
  /** Folders that the editor has open; the first one stands for the working directory. */
  roots: string[] = [];
  private described: Described | null = null;
  private readonly parsed = new ParsedFiles();
  private readonly analyses = new Map<string, Analysed>();
  /** What programs were made of; kept longer than their analyses. */
  private readonly parts = new Map<string, Parts>();
  private readonly texts = new Map<string, Version>();
  private readonly documents = new Map<string, { stamp: string; document: TextDocument }>();
  private readonly outlines = new Map<string, { stamp: string; items: OutlineItem[] }>();
  private listed: { at: number; paths: string[] } | null = null;
  private clock = 0;

  constructor(private readonly host: Host) {}

  get library(): Library {
    return this.prepare().library;
  }

  /** Reads the library, unless that has been done: it takes about 20 ms, for which `initialize` need not wait. */
  prepare(): Described {
    if (this.described === null) {
      const vm = createVm(this.host, { process: { args: [], env: {} } });
      const env = { natives: nativeNames(vm), builtinModules: BUILTIN_MODULES, ...libraryOf(vm) };
      this.described = { library: documentedLibrary(vm), env };
    }
    return this.described;
  }

  // ---- texts

  /** The current text of a file; null if it cannot be read. */
  version(path: string): Version | null {
    const document = this.open.get(path);
    if (document !== undefined) return { text: document.getText(), stamp: `v${document.version}` };
    const stamp = stampOf(path);
    if (stamp === null) {
      this.texts.delete(path);
      return null;
    }
    const known = this.texts.get(path);
    if (known?.stamp === stamp) return known;
    try {
      const version = { text: readSource(path), stamp };
      this.texts.delete(path);
      this.texts.set(path, version);
      for (const old of this.texts.keys()) {
        if (this.texts.size <= MAX_TEXTS) break;
        this.texts.delete(old);
      }
      return version;
    } catch (error) {
      if (error instanceof LoadError) return null;
      throw error;
    }
  }

  /** A file as a document, whose offsets can be converted to positions; null if it cannot be read. */
  document(path: string): TextDocument | null {
    const open = this.open.get(path);
    if (open !== undefined) return open;
    const version = this.version(path);
    if (version === null) return null;
    const known = this.documents.get(path);
    if (known?.stamp === version.stamp) return known.document;
    const document = TextDocument.create(uriOf(path), 'svc', 0, version.text);
    if (this.documents.size > MAX_TEXTS) this.documents.clear();
    this.documents.set(path, { stamp: version.stamp, document });
    return document;
  }

  /** The URI of a file as the editor names it. */
  uri(path: string): string {
    return this.open.get(path)?.uri ?? uriOf(path);
  }

  close(path: string): void {
    this.open.delete(path);
    this.documents.delete(path);
    this.analyses.delete(path);
    this.forget();
  }

  /** Drops what belongs to no open file. */
  private forget(): void {
    const used = new Set<string>(this.open.keys());
    for (const { facts } of this.analyses.values()) for (const { path } of facts.program.modules) used.add(path);
    this.parsed.retain((path) => used.has(path));
  }

  /** Numbers of things in memory, for tests. */
  sizes(): { analyses: number; parsed: number; texts: number } {
    return { analyses: this.analyses.size, parsed: this.parsed.size, texts: this.texts.size };
  }

  // ---- programs

  /** What is known of the program that begins with a file; null if the file cannot be read. */
  facts(path: string): Facts | null {
    const known = this.analyses.get(path);
    if (known !== undefined && this.isCurrent(known)) {
      known.used = ++this.clock;
      return known.facts;
    }
    const version = this.version(path);
    if (version === null) return null;
    const stamps = new Map([[path, version.stamp]]);
    const absent = new Set<string>();
    const facts = this.analyse(path, version.text, new Map(), stamps, absent);
    this.analyses.set(path, { facts, stamps, absent, used: ++this.clock });
    if (this.parts.size >= MAX_FILES) this.parts.clear();
    this.parts.set(path, { stamps, absent });
    this.limit();
    return facts;
  }

  /** Whether the program that begins with a file has another file, or lacks one at its place. */
  usedBy(entry: string, path: string): boolean {
    const known = this.analyses.get(entry);
    return known !== undefined && (known.stamps.has(path) || known.absent.has(path));
  }

  /** Whether the program that begins with a file can have another one; true if the program is not known. */
  mayUse(entry: string, path: string): boolean {
    const known = this.parts.get(entry);
    return known === undefined || known.stamps.has(path) || !this.isCurrent(known);
  }

  private isCurrent({ stamps, absent }: Parts): boolean {
    for (const [path, stamp] of stamps)
      if ((this.open.has(path) ? `v${this.open.get(path)?.version}` : stampOf(path)) !== stamp) return false;
    for (const path of absent) if (this.open.has(path) || stampOf(path) !== null) return false;
    return true;
  }

  private limit(): void {
    const closed = [...this.analyses].filter(([path]) => !this.open.has(path));
    if (closed.length <= MAX_ANALYSES) return;
    closed.sort(([, a], [, b]) => a.used - b.used);
    for (const [path] of closed.slice(0, closed.length - MAX_ANALYSES)) this.analyses.delete(path);
    this.forget();
  }

  /** The program of a file with other texts in place of some files; it is not kept. */
  analyse(
    path: string,
    text: string,
    overlay: Overlay = new Map(),
    stamps = new Map<string, string>(),
    absent = new Set<string>(),
  ): Facts {
    return new Facts(new ProgramAnalysis(path, text, this.environment(path, overlay, stamps, absent)));
  }

  private environment(
    entry: string,
    overlay: Overlay,
    stamps: Map<string, string>,
    absent: Set<string>,
  ): CheckEnvironment {
    const read = (path: string): string | null => {
      const changed = overlay.get(path);
      if (changed !== undefined) return changed;
      const version = this.version(path);
      if (version === null) {
        absent.add(path);
        return null;
      }
      stamps.set(path, version.stamp);
      return version.text;
    };
    return {
      ...this.prepare().env,
      load: (form, name, from) => {
        for (const path of this.candidates(form, name, from, entry)) {
          const text = read(path);
          if (text !== null) return { path, text };
        }
        return null;
      },
      templates: (directory, from) => {
        const folder = templateFolder(directory, from);
        stamps.set(folder, stampOf(folder) ?? '');
        try {
          return templateFiles(folder).flatMap((name) => {
            const path = join(folder, name);
            const text = read(path);
            return text === null ? [] : [{ name: name.slice(0, -TEMPLATE_END.length), path, text }];
          });
        } catch {
          return { problem: `cannot read the templates in ${this.shown(folder)}` };
        }
      },
      parse: (path, text) => this.parsed.parse(path, text),
    };
  }

  /** Where a file that `require` names may be, as `svcc run` searches in the folder of the program. */
  private candidates(form: string, name: string, from: string, entry: string): string[] {
    const file = name.endsWith('.svc') ? name : `${name}.svc`;
    if (form !== 'stitch' && form !== 'use')
      return [resolve(dirname(from), file), ...this.roots.map((root) => resolve(root, file))];
    // The program that uses this file may be in a folder around it.
    const out = [join(dirname(entry), 'stitches', file)];
    for (
      let folder = dirname(from), i = 0;
      i < MAX_DEPTH && folder !== dirname(folder);
      i++, folder = dirname(folder)
    ) {
      if (basename(folder) === 'stitches') out.push(join(folder, file));
      out.push(join(folder, 'stitches', file));
    }
    return out;
  }

  /** Files and folders whose paths begin with `prefix`, seen from a file. */
  files(from: string, form: string, prefix: string): { name: string; isFolder: boolean }[] {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const bases =
      form === 'stitch' || form === 'use' ? [join(dirname(from), 'stitches')] : [dirname(from), ...this.roots];
    const out = new Map<string, { name: string; isFolder: boolean }>();
    for (const base of bases) {
      try {
        for (const entry of readdirSync(resolve(base, folder), { withFileTypes: true })) {
          const name = entry.name.replace(/\.svc$/, '');
          if (entry.name.startsWith('.') || SKIPPED.has(entry.name) || join(base, folder, entry.name) === from)
            continue;
          if (entry.isDirectory() || name !== entry.name) out.set(name, { name, isFolder: entry.isDirectory() });
        }
      } catch {
        // No such folder.
      }
    }
    if (form === 'use') for (const name of BUILTIN_MODULES) out.set(name, { name, isFolder: false });
    return [...out.values()];
  }

  /** A path for messages: relative to a folder of the workspace if it is in one. */
  shown(path: string): string {
    for (const root of this.roots) {
      const short = relative(root, path);
      if (short !== '' && !short.startsWith(`..${sep}`) && short !== '..') return short;
    }
    return path;
  }

  /** A message with paths as `shown` names them. */
  readable(message: string): string {
    return this.roots.reduce((text, root) => text.replaceAll(`${root}${sep}`, ''), message);
  }

  // ---- all files

  /** All programs of the workspace, open ones first. */
  paths(): string[] {
    const now = performance.now();
    if (this.listed === null || now - this.listed.at > LIST_MS) {
      const paths: string[] = [];
      for (const root of this.roots) collect(root, paths, 0);
      this.listed = { at: now, paths };
    }
    const open = [...this.open.keys()].filter((path) => !path.endsWith(TEMPLATE_END));
    return [...new Set([...open, ...this.listed.paths])];
  }

  /** Call when files have come or gone. */
  changed(): void {
    this.listed = null;
  }

  /** Files in which one of some words stands, not as a part of a longer name. */
  mentioning(words: readonly string[]): string[] {
    return this.paths().filter((path) => {
      const text = this.version(path)?.text;
      return text !== undefined && hasWord(text, words);
    });
  }

  /** The outline of a file; null if it cannot be read. */
  outline(path: string): OutlineItem[] | null {
    const version = this.version(path);
    if (version === null) return null;
    const known = this.outlines.get(path);
    if (known?.stamp === version.stamp) return known.items;
    const { module } = this.open.has(path) ? this.parsed.parse(path, version.text) : parse(path, version.text);
    const items = outlineOf({ text: version.text, tree: module });
    if (this.outlines.size >= MAX_FILES) this.outlines.clear();
    this.outlines.set(path, { stamp: version.stamp, items });
    return items;
  }
}

const NAME_PART = /[\p{L}\p{N}_]/u;

/** Whether one of some words stands in a text, not as a part of a longer name. */
export function hasWord(text: string, words: readonly string[]): boolean {
  return words.some((word) => standsIn(text, word));
}

function standsIn(text: string, word: string): boolean {
  if (word === '') return false;
  const isPart = (at: number): boolean => NAME_PART.test(text.charAt(at));
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(at - 1) && !isPart(at + word.length)) return true;
  return false;
}

function stampOf(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.mtimeMs} ${stats.size}`;
  } catch {
    // No path at all, as of a text that has never been saved.
    return null;
  }
}

function collect(folder: string, paths: string[], depth: number): void {
  if (depth > MAX_DEPTH || paths.length >= MAX_FILES) return;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) collect(path, paths, depth + 1);
      else if (entry.name.endsWith('.svc') && paths.length < MAX_FILES) paths.push(path);
    }
  } catch {
    // A folder that cannot be read has no files for the editor.
  }
}
