import type * as Ast from '../ast.js';
import { isTypeName } from '../annotationtypes.js';
import { type Typed, walkFile } from '../check/walk.js';
import { tokenize } from '../layout/tokenize.js';
import { moduleSymbol } from '../resolve/outernames.js';
import { nameOfRecord, type DefSymbol, type ModuleScope, type Scope, type Symbol } from '../symbols.js';
import { defSignature, ownParams, recordSignature } from './describe.js';
import type { Facts } from './facts.js';
import { type Library, type LibraryEntry, librarySignature } from './library.js';
import { receiverType } from './occurrences.js';
import { lineAround, patches } from './patch.js';
import { HERE, visibleNames } from './scopes.js';
import type { TargetKind } from './targets.js';

export type CompletionKind = TargetKind | 'keyword' | 'key' | 'setting' | 'named';

/** Something that can be written at a place. */
export interface Completion {
  label: string;
  kind: CompletionKind;
  /** In short: a signature or a type. */
  detail: string;
  /** What is inserted if it is not the label. */
  insert?: string;
  /** Order among the others: smaller ones first. */
  rank: number;
  /** Documentation of the program; that of the library is found by `library`. */
  doc?: string;
  library?: { owner: string; name: string };
}

/** What can be written at a place, in place of the text from `start` to `end`. */
export interface Completions {
  start: number;
  end: number;
  items: Completion[];
}

export interface CompletionHost {
  library: Library;
  /** Analyses another text in place of the file's. */
  analyse(text: string): Facts;
  /** Names of files and folders that can follow in `require "prefix`. */
  files(form: string, prefix: string): { name: string; isFolder: boolean }[];
}

const KEYWORDS =
  'and await begin break case const def do else elsif end ensure enum error export false for if import in interface is loop next nil not or private raise record require rescue retry return self spawn stitch then true unless until use when while'.split(
    ' ',
  );
/** Keywords after which a value follows in the line. */
const REQUIRE = /(?:^|[\s;(])(require|import|stitch|use)[ (]+["']([^"'\n]*)$/;
const SETTING = /\.set\(?\s*["'](\w*)$/;
const KEY = /([A-Za-z_][\w.]*)\[\s*(["':])([\w-]*)$/;
const ANNOTATION =
  /(?:^|\s)(?:def|record)\s.*[(,]\s*\w+:\s*(?:[\w<,|\s]*[<,|]\s*)?(\w*)$|(?:^|\s)def\s.*\)\s*->\s*(?:[\w<,|\s]*[<,|]\s*)?(\w*)$/;
const NONE: Completions = { start: 0, end: 0, items: [] };

/** What can be written at an offset of a text, which need not parse. */
export function completionsAt(text: string, offset: number, host: CompletionHost): Completions {
  const line = lineAround(text, offset);
  const before = text.slice(line.start, offset);
  const ofString = inString(text, offset, before, host);
  if (ofString !== null) return ofString;
  for (const { text: patched, start, word } of patches(text, offset)) {
    const facts = host.analyse(patched);
    const module = facts.program.entry;
    const place = placeOf(module);
    if (place === null) {
      if (ANNOTATION.test(before)) return { start, end: offset, items: typeNames(facts) };
      // In a comment or a text nothing is completed.
      if (!tokenize(patched).tokens.some((token) => token.text === HERE)) return NONE;
      continue;
    }
    const end = offset + (/^[\w\u0080-\uffff]*[?!]?/.exec(text.slice(offset, line.end))?.[0].length ?? 0);
    const found = new Completer(facts, module, host.library, word);
    return { start, end, items: place.recv === null ? found.names(place.call) : found.members(place.recv) };
  }
  return NONE;
}

/** Completions inside of strings: files, settings, keys. */
function inString(text: string, offset: number, before: string, host: CompletionHost): Completions | null {
  const required = REQUIRE.exec(before);
  if (required !== null) {
    const [, form, prefix] = required;
    const own = prefix.slice(prefix.lastIndexOf('/') + 1);
    const items = host.files(form, prefix).map(({ name, isFolder }): Completion => ({
      label: name,
      kind: 'file',
      detail: isFolder ? 'folder' : 'file',
      rank: isFolder ? 1 : 0,
    }));
    return { start: offset - own.length, end: offset, items };
  }
  const setting = SETTING.exec(before);
  if (setting !== null) {
    const { env } = host.analyse(text).program;
    return {
      start: offset - setting[1].length,
      end: offset,
      items: env.settings.map((label): Completion => ({ label, kind: 'setting', detail: 'setting', rank: 0 })),
    };
  }
  const key = KEY.exec(before);
  if (key === null || !/^["':]?/.test(key[2])) return null;
  // `h["na` is read as `h.na`, whose receiver is known.
  const line = lineAround(text, offset);
  const from = line.start + key.index + key[1].length;
  const rest = text.slice(offset, line.end).replace(/^[\w-]*["']?\]?/, '');
  const facts = host.analyse(`${text.slice(0, from)}.${HERE}${rest}${text.slice(line.end)}`);
  const place = placeOf(facts.program.entry);
  const keys = place?.recv == null ? [] : new Completer(facts, facts.program.entry, host.library, '').keys(place.recv);
  return { start: offset - key[3].length, end: offset, items: keys };
}

interface Here {
  /** The value on which a member is called; null for a plain name. */
  recv: Ast.Expr | null;
  /** The call in whose arguments the name stands. */
  call: Ast.Call | Ast.Method | null;
}

/** Where `HERE` stands in a file. */
function placeOf(module: ModuleScope): Here | null {
  let found: Here | null = null;
  let call: Here['call'] = null;
  const isHere = (node: Typed): boolean => node.type === 'Ident' && node.name === HERE;
  walkFile(module.tree, (node) => {
    if ((node.type === 'Member' || node.type === 'Method') && node.name === HERE)
      found = { recv: node.recv, call: null };
    else if (isHere(node) || (node.type === 'NamedArg' && node.name === HERE) || ('name' in node && node.name === HERE))
      found ??= { recv: null, call: null };
    if ((node.type === 'Call' || node.type === 'Method') && node.args.some((arg) => isHere(arg))) call = node;
  });
  const place = found as Here | null;
  return place === null ? null : { ...place, call };
}

function typeNames({ program }: Facts): Completion[] {
  const out: Completion[] = [];
  const own = visibleNames(program.entry, program.entry.main.root);
  for (const { name, symbol } of own)
    if (symbol.kind === 'type' || (symbol.kind === 'def' && symbol.node.type === 'RecordDecl'))
      out.push({ label: name, kind: 'record', detail: 'type', rank: 0 });
  for (const name of program.env.natives)
    if (/^[A-Z]\w*$/.test(name) && !/Error$|^[A-Z]+$/.test(name))
      out.push({ label: name, kind: 'native', detail: 'type', rank: 1, library: { owner: '', name } });
  for (const name of ['Int', 'Bool', 'Any', 'Number'])
    if (isTypeName(name)) out.push({ label: name, kind: 'native', detail: 'type', rank: 1 });
  return out;
}

class Completer {
  private readonly out = new Map<string, Completion>();

  constructor(
    private readonly facts: Facts,
    private readonly module: ModuleScope,
    private readonly library: Library,
    private readonly word: string,
  ) {}

  private add(item: Completion): void {
    const { label } = item;
    if (label === HERE || this.out.has(label)) return;
    this.out.set(label, item);
  }

  private done(): Completion[] {
    return [...this.out.values()];
  }

  private entry(entry: LibraryEntry, rank: number, kind: CompletionKind = 'method'): void {
    const { name, owner } = entry;
    if (/^\W/.test(name)) return;
    const text = librarySignature(entry);
    this.add({
      label: name,
      kind,
      detail: text.slice(Math.max(0, text.indexOf(name))),
      rank,
      library: { owner, name },
    });
  }

  // ---- names

  names(call: Here['call']): Completion[] {
    const { program } = this.facts;
    const scope = program.here.scope ?? this.module.main.root;
    if (call !== null) this.namedArguments(call);
    for (const { name, symbol, distance } of visibleNames(this.module, scope, program.here.known))
      this.visible(name, symbol, distance);
    const record = this.recordAround(scope);
    if (record !== null) this.ofRecord(record, 2);
    for (const keyword of KEYWORDS) this.add({ label: keyword, kind: 'keyword', detail: 'keyword', rank: 30 });
    for (const entry of this.library.functions.values()) this.entry(entry, 40, 'native');
    for (const name of program.env.natives)
      if (/^[A-Za-z_]\w*[?!]?$/.test(name))
        this.add({
          label: name,
          kind: 'native',
          detail: /^[A-Z]/.test(name) ? 'type' : '',
          rank: 41,
          library: { owner: '', name },
        });
    return this.done();
  }

  private visible(name: string, symbol: Symbol, distance: number): void {
    const target = this.facts.targets.ofSymbol(symbol, name);
    if (target === null || target.kind === 'unknown') return;
    const rank = Math.min(20, distance + 1);
    if (symbol.kind === 'variable') {
      const { variable } = symbol;
      const type = variable.assignments === 1 ? this.facts.program.types(this.module).ofVariable(variable) : null;
      this.add({ label: name, kind: target.kind, detail: type ?? '', rank });
    } else if (symbol.kind === 'def') this.def(name, symbol, rank);
    else
      this.add({
        label: name,
        kind: symbol.kind === 'namespace' ? 'namespace' : target.kind,
        detail: target.kind,
        rank,
      });
  }

  private def(label: string, { node, module }: DefSymbol, rank: number): void {
    if (module.isPrelude) return;
    const detail =
      node.type === 'Def' ? defSignature(node, module) : `record ${recordSignature(node, nameOfRecord(node), module)}`;
    this.add({ label, kind: node.type === 'Def' ? 'function' : 'record', detail, rank, doc: node.doc });
  }

  private recordAround(scope: Scope): DefSymbol | null {
    const types = this.facts.program.types(this.module);
    for (let s: Scope | null = scope; s !== null; s = s.parent) {
      const self = s.names.get('self');
      const type = self === undefined ? null : types.ofVariable(self);
      if (type !== null) return types.record(type);
    }
    return null;
  }

  /** `name:` for the parameters of the call, but those that it has. */
  private namedArguments(call: Ast.Call | Ast.Method): void {
    const given = new Set(call.args.flatMap((arg) => (arg.type === 'NamedArg' ? [arg.name] : [])));
    for (const { name, detail } of parametersOf(call, this.facts, this.module, this.library))
      if (!given.has(name))
        this.add({ label: `${name}:`, kind: 'named', detail, insert: `${name}: `, rank: this.word === '' ? 5 : 0 });
  }

  // ---- members

  members(recv: Ast.Expr): Completion[] {
    const { program } = this.facts;
    const symbol = recv.type === 'Ident' ? program.resolution.symbols.get(recv) : undefined;
    if (symbol?.kind === 'namespace') return this.ofFile(symbol.module);
    const statics = this.ofType(symbol);
    if (statics) return this.done();
    for (const key of this.keys(recv)) this.add(key);
    const types = program.types(this.module);
    const type = receiverType(types, recv);
    if (type === null) return this.ofUnknown();
    const record = types.record(type);
    if (record !== null) this.ofRecord(record, 0);
    for (const entry of this.library.methodsOf(record === null ? type : 'Record')) this.entry(entry, 10);
    for (const entry of this.library.methodsOf('Any')) this.entry(entry, 20);
    return this.done();
  }

  private ofFile(module: ModuleScope): Completion[] {
    for (const { name, symbol } of visibleNames(module, module.main.root))
      if (module.offers(name)) this.visible(name, symbol, 0);
    return this.done();
  }

  /** Members of a type itself: of an enum, a record, or a type of the library. */
  private ofType(symbol: Symbol | undefined): boolean {
    if (symbol?.kind === 'type' && symbol.node.type === 'EnumDecl') {
      for (const { name } of symbol.node.members)
        this.add({ label: name, kind: 'member', detail: symbol.name, rank: 0 });
      for (const entry of this.library.methodsOf('Enum')) this.entry(entry, 10);
      return true;
    }
    const isRecord = symbol?.kind === 'def' && symbol.node.type === 'RecordDecl';
    const native = symbol?.kind === 'native' && /^[A-Z]/.test(symbol.name) ? symbol.name : null;
    if (!isRecord && native === null) return false;
    if (isRecord)
      this.add({
        label: 'from_json',
        kind: 'method',
        detail: 'from_json(value)',
        rank: 0,
        library: { owner: 'Record', name: 'from_json' },
      });
    for (const entry of this.library.staticsOf(native ?? 'Record')) this.entry(entry, 0);
    for (const entry of this.library.methodsOf('Type')) this.entry(entry, 10);
    return true;
  }

  private ofRecord({ node, module }: DefSymbol, rank: number): void {
    const record = node as Ast.RecordDecl;
    for (const field of record.fields)
      this.add({ label: field.name, kind: 'field', detail: field.annotation ?? 'field', rank });
    for (const { node: method, module: own } of this.facts.program.resolution.methods.get(record) ?? [])
      if (method.type === 'Def' && /^\w/.test(method.name.name))
        this.add({
          label: method.name.name,
          kind: 'method',
          detail: defSignature(method, own ?? module),
          rank: rank + 1,
          doc: method.doc,
        });
  }

  /** Keys of a hash that is written as a literal. */
  keys(recv: Ast.Expr): Completion[] {
    const types = this.facts.program.types(this.module);
    const variable = types.fixed(recv);
    const value = variable === null ? recv : types.valueOf(variable);
    if (value?.type !== 'Hash') return [];
    return value.entries.flatMap((entry): Completion[] =>
      entry.type === 'Pair' && entry.key.type === 'Str'
        ? [{ label: entry.key.value, kind: 'key', detail: 'key', rank: 0 }]
        : [],
    );
  }

  /** Members of the program's records, then all methods of the library. */
  private ofUnknown(): Completion[] {
    for (const { symbol } of visibleNames(this.module, this.module.main.root))
      if (symbol.kind === 'def' && symbol.node.type === 'RecordDecl') this.ofRecord(symbol, 0);
    for (const entry of this.library.everyMethod().values()) this.entry(entry, 10);
    return this.done();
  }
}

/** A parameter of a call, by what is known of the function. */
export interface CallParameter {
  name: string;
  /** As it was declared. */
  detail: string;
  kind: 'plain' | 'named' | 'rest' | 'options';
}

/** The function or method that a call calls: of the program, or of the library. */
export function calledBy(
  call: Ast.Call | Ast.Method,
  facts: Facts,
  module: ModuleScope,
  library: Library,
): { def: DefSymbol; entry: null } | { def: null; entry: LibraryEntry } | null {
  const { resolution } = facts.program;
  const types = facts.program.types(module);
  if (call.type === 'Call') {
    const symbol = call.callee.type === 'Ident' ? resolution.symbols.get(call.callee) : undefined;
    if (symbol?.kind === 'def' && !symbol.module.isPrelude) return { def: symbol, entry: null };
    const entry = symbol?.kind === 'native' || symbol?.kind === 'def' ? library.find('', symbol.name) : null;
    return entry === null ? null : { def: null, entry };
  }
  const symbol = call.recv.type === 'Ident' ? resolution.symbols.get(call.recv) : undefined;
  if (symbol?.kind === 'namespace') {
    const member = moduleSymbol(call.name, symbol.module, new Set());
    return member?.kind === 'def' ? { def: member, entry: null } : null;
  }
  const type = symbol?.kind === 'native' && /^[A-Z]/.test(symbol.name) ? symbol.name : receiverType(types, call.recv);
  const record = type === null ? null : types.record(type);
  if (record !== null) {
    const own = resolution.methods.get(record.node as Ast.RecordDecl)?.find(({ node }) => node.name.name === call.name);
    if (own !== undefined) return { def: own, entry: null };
    if (call.name === 'with' || call.name === 'copy') return { def: record, entry: null };
  }
  const named = type === null ? library.named(call.name) : [];
  const entry =
    type === null ? (named.length === 1 ? named[0] : null) : library.find(record === null ? type : 'Record', call.name);
  return entry === null ? null : { def: null, entry };
}

/** The parameters that a call can name. */
function parametersOf(
  call: Ast.Call | Ast.Method,
  facts: Facts,
  module: ModuleScope,
  library: Library,
): CallParameter[] {
  const called = calledBy(call, facts, module, library);
  if (called === null) return [];
  if (called.def !== null)
    return ownParams(called.def.params)
      .filter(({ kind, pattern }) => (kind === 'plain' || kind === 'named') && pattern === null)
      .map(({ name, annotation, kind }) => ({ name, detail: annotation ?? 'argument', kind }));
  return called.entry.params
    .filter((param) => /^\w/.test(param))
    .map((param) => ({ name: /^\w+[?!]?/.exec(param)?.[0] ?? param, detail: param, kind: 'plain' }));
}
