import type * as Ast from '../ast.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { typeOfAlias } from '../annotationtypes.js';
import type { DefSymbol, ModuleScope, Resolution, Scope, Symbol } from '../symbols.js';

/** Method names with `?` or `!` are written differently in the prelude: `any?` is `any_q__0`. */
function methodName(text: string): string {
  return text.replace(/_q$/, '?').replace(/_b$/, '!');
}

/** Replaces the named arguments after a single other one by a hash. */
function namesToHash(node: Ast.Method): void {
  const [first, ...rest] = node.args;
  const named = rest.filter((arg) => arg.type === 'NamedArg');
  if (named.length === 0 || named.length < rest.length || first.type === 'NamedArg') return;
  const entries = named.map(({ name, value, start, end }): Ast.Pair => {
    return { type: 'Pair', key: { type: 'Str', value: name, start, end }, value, start, end };
  });
  const { start } = named[0];
  node.args = [first, { type: 'Hash', entries, start, end: named[named.length - 1].end }];
}

/** Words that begin a statement: a slip in one of them is read as the name of a function. */
const STATEMENT_WORDS = ['return', 'raise', 'break', 'next', 'retry', 'require', 'import', 'record', 'export'];

/** Names from outside the program: natives, and the library written in Svc. */
export class Names {
  /** Prelude functions `method__n`, by method name and number of arguments before the block. */
  private readonly templates = new Map<string, DefSymbol>();
  private readonly functions = new Map<string, DefSymbol>();

  constructor(
    private readonly nativeNames: ReadonlySet<string>,
    prelude: ModuleScope | null,
    /** Iterators that are looked up in the receiver first. */
    readonly dispatched: ReadonlySet<string> = new Set(),
    /** Whether functions of the program may raise StopIteration, which ends a `loop`. */
    readonly mayStop = false,
  ) {
    if (prelude === null) return;
    for (const [name, symbol] of prelude.symbols) {
      if (symbol.kind !== 'def') continue;
      const match = /^(.+)__(\d)(_2)?$/.exec(name);
      if (match === null) this.functions.set(name, symbol);
      else this.templates.set(`${methodName(match[1])}/${match[2]}${match[3] ?? ''}`, symbol);
    }
  }

  /**
   * The prelude function for a call of method `name` with `count` arguments and a block, or null. Some have another one
   * for blocks with two parameters or more.
   */
  template(name: string, count: number, blockParams = 1): DefSymbol | null {
    const form = `${name}/${count}`;
    return (blockParams > 1 ? this.templates.get(`${form}_2`) : undefined) ?? this.templates.get(form) ?? null;
  }

  /**
   * The prelude function for a method call with a literal block, or null. Changes the named arguments of `each`, which
   * are values of a statement (`db.each`), to a hash: functions of the prelude take no names.
   */
  templateOf(node: Ast.Method, block: Ast.Block): DefSymbol | null {
    if (node.name === 'each' && !this.dispatched.has('each')) namesToHash(node);
    if (node.args.some(({ type }) => type === 'Splat' || type === 'NamedArg')) return null;
    return this.template(node.name, node.args.length, block.params?.length);
  }

  /** Names of the methods that are functions of the prelude. */
  iterators(): Set<string> {
    return new Set([...this.templates.keys()].map((form) => form.slice(0, form.lastIndexOf('/'))));
  }

  /** Resolves a name that is not a visible variable of the file. */
  lookup(name: string, module: ModuleScope, scope: Scope): Symbol {
    const own = moduleSymbol(name, module, new Set());
    if (own !== null) return own;
    const fn = this.functions.get(name);
    if (fn !== undefined) return fn;
    if (module.isPrelude) return { kind: 'native', name: name.startsWith('__') ? `%${name.slice(2)}` : name };
    if (this.isNative(name)) return { kind: 'native', name };
    return { kind: 'unknown', name, near: typeOfAlias(name) ?? nearest(name, this.visible(module, scope)) };
  }

  isNative(name: string): boolean {
    return this.nativeNames.has(name);
  }

  /** Library names that a program can use. */
  *natives(): Iterable<string> {
    for (const name of this.nativeNames) if (!name.startsWith('%')) yield name;
  }

  private *visible(module: ModuleScope, scope: Scope): Iterable<string> {
    for (let s: Scope | null = scope; s !== null; s = s.parent) yield* s.names.keys();
    yield* module.symbols.keys();
    for (const other of module.merged)
      for (const name of [...other.symbols.keys(), ...other.main.root.names.keys()]) if (other.offers(name)) yield name;
    yield* this.functions.keys();
    yield* this.natives();
    yield* STATEMENT_WORDS;
  }
}

/** A name that `module` defines itself or merges from another file. */
export function moduleSymbol(name: string, module: ModuleScope, seen: Set<ModuleScope>): Symbol | null {
  if (seen.has(module)) return null;
  seen.add(module);
  const own = module.symbols.get(name);
  if (own !== undefined) return own;
  for (const other of module.merged) {
    if (!other.offers(name)) continue;
    const variable = other.main.root.names.get(name);
    if (variable !== undefined) {
      variable.captured = true;
      variable.global = true;
      return { kind: 'variable', variable };
    }
    const symbol = moduleSymbol(name, other, seen);
    if (symbol !== null) return symbol;
  }
  return null;
}

/** A function or type that a file offers to those that import it. */
export function offered(name: string, module: ModuleScope): Symbol | null {
  return module.offers(name) ? moduleSymbol(name, module, new Set()) : null;
}

/** What a type's name stands for, also one of an imported file: `shop.Money`. */
export function typeSymbol(name: string, module: ModuleScope): Symbol | null {
  const own = moduleSymbol(name, module, new Set());
  const dot = name.indexOf('.');
  if (own !== null || dot < 0) return own;
  const space = moduleSymbol(name.slice(0, dot), module, new Set());
  return space?.kind === 'namespace' ? offered(name.slice(dot + 1), space.module) : null;
}

/** Whether an argument may be a function at run time. */
export function mayBeFunction(arg: Ast.Arg): boolean {
  return (
    arg.type === 'Ident' ||
    arg.type === 'Call' ||
    arg.type === 'Method' ||
    arg.type === 'Member' ||
    arg.type === 'Index' ||
    arg.type === 'If'
  );
}

/** The record type that `Enum.Member` names, also behind the name of a file; null for other expressions. */
export function variantOf(resolution: Resolution, node: Ast.Expr): DefSymbol | null {
  if ((node.type !== 'Member' && node.type !== 'Method') || node.safe) return null;
  const owner = typeNamed(resolution, node.recv);
  if (owner?.kind !== 'type' || owner.node.type !== 'EnumDecl' || owner.node.variants === null) return null;
  const variant = owner.module.symbols.get(`${owner.name}.${node.name}`);
  return variant?.kind === 'def' ? variant : null;
}

/** What `Type` or `file.Type` refers to; null for other expressions. */
export function typeNamed(resolution: Resolution, node: Ast.Expr): Symbol | null {
  if (node.type === 'Ident') return resolution.symbols.get(node) ?? null;
  if (node.type !== 'Member' || node.safe) return null;
  const file = node.recv.type === 'Ident' ? resolution.symbols.get(node.recv) : undefined;
  return file?.kind === 'namespace' ? offered(node.name, file.module) : null;
}
