import type * as Ast from '../ast.js';
import { preludeModule } from '../resolve/program.js';

/** A function or method of the library, as its declaration says. */
export interface LibraryNative {
  /** Type of the receiver; empty for functions. */
  owner: string;
  name: string;
  /** `text: String, width: Integer = 2, *rest, &block: Function` */
  signature: string;
  result: string;
  doc: string;
}

/** What is shown of a function or method of the library. */
export interface LibraryEntry {
  owner: string;
  name: string;
  /** As the signature names them, the block excluded. */
  params: string[];
  /** `{ |x| … }`, or empty. */
  block: string;
  result: string;
  doc: string;
  /** Whether the type itself has it, and not its values. */
  isStatic: boolean;
}

/** Types of the values that the iterators' first parameter stands for in the library written in Svc. */
const RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  xs: ['Vector', 'Hash', 'Set', 'Range', 'Record', 'Enum', 'Bytes', 'Sequence', 'Lazy', 'HttpResponse'],
  h: ['Hash', 'Record'],
  text: ['String'],
  n: ['Integer', 'Float'],
  x: ['Any'],
};

/** Splits parameters at commas outside of quotes and brackets. */
function splitParams(signature: string): string[] {
  return (
    signature.match(/(?:"(?:[^"\\]|\\.)*"|\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|[^,"])+/g)?.map((part) => part.trim()) ?? []
  );
}

function entryOf({ owner, name, signature, result, doc }: LibraryNative, isStatic: boolean): LibraryEntry {
  const all = splitParams(signature);
  const params = all.filter((param) => !param.startsWith('&')).map((param) => param.replace(/: Any$/, ''));
  return { owner, name, params, block: all.length > params.length ? '{ … }' : '', result, doc, isStatic };
}

/** Documentation of the library, by name and type. */
export class Library {
  readonly functions = new Map<string, LibraryEntry>();
  private readonly methods = new Map<string, Map<string, LibraryEntry>>();
  private readonly statics = new Map<string, Map<string, LibraryEntry>>();

  constructor(functions: Iterable<LibraryNative>, methods: Iterable<LibraryNative>, statics: Iterable<LibraryNative>) {
    for (const native of functions)
      if (!native.name.startsWith('%')) this.functions.set(native.name, entryOf(native, false));
    for (const native of methods)
      if (!native.name.startsWith('%')) table(this.methods, native.owner).set(native.name, entryOf(native, false));
    for (const native of statics) table(this.statics, native.owner).set(native.name, entryOf(native, true));
    for (const symbol of preludeModule().symbols.values())
      if (symbol.kind === 'def' && symbol.node.type === 'Def') this.addIterator(symbol.node);
  }

  /** The forms with a block come from the library written in Svc; their doc comments begin with `|x| -> Vector: `. */
  private addIterator(node: Ast.Def): void {
    const [, given, result, doc] = /^\|(.*?)\| -> (\S+): (.+)$/s.exec(node.doc) ?? [];
    if (doc === undefined) return;
    const [stem, count] = node.name.name.split('__');
    const name = stem.replace(/_q$/, '?').replace(/_b$/, '!');
    const params = node.params.map((param) => param.name).slice(0, -1);
    const owners = count === undefined ? [''] : (RECEIVERS[params.shift() ?? ''] ?? []);
    const block = given === '' ? '{ … }' : `{ |${given}| … }`;
    for (const owner of owners) {
      const known = owner === '' ? this.functions : table(this.methods, owner);
      if (owners.length > 1 && !known.has(name)) continue;
      // The shortest form is shown first.
      const before = known.get(name);
      if (before?.block.includes('|') === true && before.params.length <= params.length) continue;
      known.set(name, { owner, name, params, block, result, doc, isStatic: false });
    }
  }

  find(owner: string, name: string): LibraryEntry | null {
    if (owner === '') return this.functions.get(name) ?? null;
    return (
      this.methods.get(owner)?.get(name) ??
      this.statics.get(owner)?.get(name) ??
      this.methods.get('Any')?.get(name) ??
      null
    );
  }

  /** The methods that values of a type have, those of all values excluded. */
  methodsOf(owner: string): Iterable<LibraryEntry> {
    return this.methods.get(owner)?.values() ?? [];
  }

  staticsOf(owner: string): Iterable<LibraryEntry> {
    return this.statics.get(owner)?.values() ?? [];
  }

  /** All methods with a name, each form once. */
  named(name: string): LibraryEntry[] {
    const out = new Map<string, LibraryEntry>();
    for (const methods of this.methods.values()) {
      const entry = methods.get(name);
      if (entry !== undefined && !out.has(entry.doc)) out.set(entry.doc, entry);
    }
    return [...out.values()];
  }

  /** Names of all methods, each with its entry of one type. */
  everyMethod(): Map<string, LibraryEntry> {
    const out = new Map<string, LibraryEntry>();
    for (const methods of this.methods.values())
      for (const [name, entry] of methods) if (!out.has(name)) out.set(name, entry);
    return out;
  }
}

function table(tables: Map<string, Map<string, LibraryEntry>>, owner: string): Map<string, LibraryEntry> {
  let found = tables.get(owner);
  if (found === undefined) {
    found = new Map();
    tables.set(owner, found);
  }
  return found;
}

/** `String.center(width: Integer, pad: String = " ") -> String` */
export function librarySignature({ owner, name, params, block, result }: LibraryEntry): string {
  const receiver = owner === '' ? '' : owner === 'Any' ? 'value.' : `${owner}.`;
  const list = params.length > 0 || (block === '' && owner === '') ? `(${params.join(', ')})` : '';
  const shown = result === 'self' ? (owner === '' ? 'Any' : owner) : result;
  if (name === '[]') return `${receiver.slice(0, -1)}[${params.join(', ')}] -> ${shown}`;
  return `${receiver}${name}${list}${block === '' ? '' : ` ${block}`} -> ${shown}`;
}
