import type * as Ast from './ast.js';

/** Where a variable lives at run time. */
export type Storage = 'register' | 'cell' | 'slot';

/** A variable, parameter or constant. */
export class Variable {
  /** Assignments seen so far; a parameter or loop variable counts as one. */
  assignments = 0;
  /** Read or assigned by a function inside its own. */
  captured = false;
  /**
   * Captured before its first assignment was seen, or assigned by an inner function or in a loop: a copy would become
   * stale.
   */
  shared = false;
  /** Reached from a `def` or another file: lives in a module slot. */
  global = false;
  /** Its first assignment may be skipped, so it must start as nil. */
  conditional = false;
  /** Variable of a `for`, new in each iteration. */
  perIteration = false;
  /** Number of its module slot, once it has one. */
  slot = -1;

  constructor(
    readonly name: string,
    readonly scope: Scope,
    readonly isConstant: boolean,
    /** For a copy made by `spawn`: the original. */
    readonly copyOf: Variable | null = null,
  ) {}

  get storage(): Storage {
    if (!this.captured) return 'register';
    if (this.scope.isModuleRoot && (this.global || !this.perIteration)) return 'slot';
    return this.shared || this.assignments > 1 ? 'cell' : 'register';
  }
}

/** A lexical scope: a function's body or an inlined block's. */
export class Scope {
  readonly names = new Map<string, Variable>();
  readonly variables: Variable[] = [];

  constructor(
    readonly parent: Scope | null,
    readonly fn: FunctionScope,
    readonly loopDepth: number,
    readonly branchDepth: number,
  ) {}

  get isModuleRoot(): boolean {
    return this.fn.kind === 'main' && this.fn.root === this;
  }

  declare(name: string, isConstant = false, copyOf: Variable | null = null): Variable {
    const variable = new Variable(name, this, isConstant, copyOf);
    this.names.set(name, variable);
    this.variables.push(variable);
    return variable;
  }
}

/** `spawn` is a block that receives copies of the variables it uses. */
export type ScopeKind = 'main' | 'def' | 'lambda' | 'block' | 'spawn';

/** One function of the compiled program. */
export class FunctionScope {
  readonly root: Scope;
  /** Variables of enclosing functions that it uses, in the order of its captures. */
  readonly captures: Variable[] = [];
  /** For `def`: the first read of each top-level variable, to explain a later local variable with that name. */
  readonly globalReads = new Map<string, Ast.Node>();
  /** For a block that can be left by `break`: the variable around it that holds the mark of its call. */
  exit: Variable | null = null;

  constructor(
    readonly kind: ScopeKind,
    readonly parent: FunctionScope | null,
    outer: Scope | null,
    /** The inputs of a session share the function of their top level: this is the newest one. */
    public module: ModuleScope,
  ) {
    this.root = new Scope(outer, this, 0, 0);
  }

  /** The function around it that has a scope of its own: a `def` or the file. */
  get owner(): FunctionScope {
    let fn: FunctionScope = this;
    while (fn.kind !== 'main' && fn.kind !== 'def') fn = fn.parent as FunctionScope;
    return fn;
  }
}

/** The name of a record's type in messages. */
export function nameOfRecord({ name, isLiteral }: Ast.RecordDecl): string {
  return isLiteral ? name.name.slice(0, name.name.indexOf('@')) : name.name;
}

/** A function known by name at compile time. */
export interface DefSymbol {
  kind: 'def';
  name: string;
  params: Ast.Param[];
  module: ModuleScope;
  /** The definition, or the record whose constructor this is. */
  node: Ast.Def | Ast.RecordDecl;
}

export interface TypeSymbol {
  kind: 'type';
  name: string;
  module: ModuleScope;
  node: Ast.RecordDecl | Ast.InterfaceDecl | Ast.EnumDecl | Ast.ErrorDecl;
}

/** What a name refers to. */
export type Symbol =
  | { kind: 'variable'; variable: Variable }
  | DefSymbol
  | TypeSymbol
  | { kind: 'native'; name: string }
  | { kind: 'namespace'; module: ModuleScope }
  | { kind: 'unknown'; name: string; near: string | null };

/** One source file. */
export class ModuleScope {
  readonly symbols = new Map<string, DefSymbol | TypeSymbol | { kind: 'namespace'; module: ModuleScope }>();
  readonly main: FunctionScope;
  /** Files whose names are merged into this one. */
  readonly merged: ModuleScope[] = [];
  /** Names of private functions. */
  readonly hidden = new Set<string>();
  /** The only names that other files can use; null if the file has no `export`. */
  exports: Set<string> | null = null;
  /** Whether this is an input of a session: later inputs see its names and may define them again. */
  readonly isInput: boolean;

  constructor(
    readonly path: string,
    readonly text: string,
    readonly tree: Ast.Module,
    /** Index of the file in the program. */
    readonly index: number,
    /** Whether this is the library written in Svc itself: its `__names` are natives. */
    readonly isPrelude: boolean,
    /** The top level of a session, which its inputs share. */
    session: FunctionScope | null = null,
  ) {
    this.isInput = session !== null;
    this.main = session ?? new FunctionScope('main', null, null, this);
    this.main.module = this;
  }

  /** Whether other files can use a name of this one. */
  offers(name: string): boolean {
    if (this.isInput) return true;
    const [first] = name.split('.');
    return !this.hidden.has(first) && !first.startsWith('_') && this.exports?.has(first) !== false;
  }
}

/** A map on top of another one: looks up there what it lacks. Iterates over its own entries only. */
class Overlay<K, V> extends Map<K, V> {
  constructor(private readonly base: ReadonlyMap<K, V> | undefined) {
    super();
  }

  override get(key: K): V | undefined {
    return super.get(key) ?? this.base?.get(key);
  }

  override has(key: K): boolean {
    return super.has(key) || this.base?.has(key) === true;
  }
}

/** Results of the resolver, by node. */
export class Resolution {
  readonly symbols: Map<Ast.Node, Symbol>;
  readonly functions: Map<Ast.Node, FunctionScope>;
  /** Scopes of blocks that are inlined. */
  readonly scopes: Map<Ast.Node, Scope>;
  /** Prelude functions to inline for method calls with a literal block. */
  readonly templates: Map<Ast.Node, DefSymbol>;
  /** Blocks that use `it`; those of the prelude do not. */
  readonly implicit = new Map<Ast.Block, Variable>();
  /** The file that a `require` or `import` loads. */
  readonly modules = new Map<Ast.Node, ModuleScope>();
  /** Later assignments to a constant, which keeps its first value. */
  readonly reassigned = new Set<Ast.Node>();
  /** Constants that are declared in a loop. */
  readonly repeated = new Set<Ast.Node>();
  /** Methods of records, in source order. */
  readonly methods = new Map<Ast.RecordDecl, DefSymbol[]>();
  /** The records of each interface. */
  readonly implementers = new Map<Ast.InterfaceDecl, DefSymbol[]>();

  /** Has the results of `prelude`, too. */
  constructor(prelude: Resolution | null) {
    this.symbols = new Overlay(prelude?.symbols);
    this.functions = new Overlay(prelude?.functions);
    this.scopes = new Overlay(prelude?.scopes);
    this.templates = new Overlay(prelude?.templates);
  }
}
