import type * as Ast from './ast.js';

/** Where a variable lives at run time. */
export type Storage = 'register' | 'cell' | 'slot';

/** A variable, parameter or constant. */
export class Variable {
  /** Assignments seen so far; a parameter or loop variable counts as one. */
  assignments = 0;
  /** Read or assigned by a function inside its own. */
  captured = false;
  /** Captured before its first assignment had been seen, or assigned by a function inside, or in a loop: copies would go stale. */
  shared = false;
  /** Reached from a `def` or another file: lives in a module slot. */
  global = false;
  /** Its first assignment may be skipped, so that it has to start as nil. */
  conditional = false;
  /** Variable of a `for`, new in each iteration. */
  perIteration = false;
  /** Number of its module slot, once it has one. */
  slot = -1;

  constructor(
    readonly name: string,
    readonly scope: Scope,
    readonly isConstant: boolean,
    /** For a variable that `spawn` copied: what it was copied from. */
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

/** `spawn`: a block that gets copies of what it names. */
export type ScopeKind = 'main' | 'def' | 'lambda' | 'block' | 'spawn';

/** One function of the program to be. */
export class FunctionScope {
  readonly root: Scope;
  /** Variables of enclosing functions that it needs, in the order of its captures. */
  readonly captures: Variable[] = [];
  /** For `def`: where each top-level variable was read first, to explain a later local of that name. */
  readonly globalReads = new Map<string, Ast.Node>();

  constructor(
    readonly kind: ScopeKind,
    readonly parent: FunctionScope | null,
    outer: Scope | null,
    readonly module: ModuleScope,
  ) {
    this.root = new Scope(outer, this, 0, 0);
  }

  /** The function around it that opened a scope of its own: a `def` or the file. */
  get owner(): FunctionScope {
    let fn: FunctionScope = this;
    while (fn.kind !== 'main' && fn.kind !== 'def') fn = fn.parent as FunctionScope;
    return fn;
  }
}

/** A function that is known by name when the program is compiled. */
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
  node: Ast.RecordDecl | Ast.EnumDecl | Ast.ErrorDecl;
}

/** What a name means. */
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

  constructor(
    readonly path: string,
    readonly text: string,
    readonly tree: Ast.Module,
    /** Index of the file in the program. */
    readonly index: number,
    /** The library written in Svc itself: its `__names` are natives. */
    readonly isPrelude: boolean,
  ) {
    this.main = new FunctionScope('main', null, null, this);
  }
}

/** What the resolver found out, by node. */
export class Resolution {
  readonly symbols = new Map<Ast.Node, Symbol>();
  readonly functions = new Map<Ast.Node, FunctionScope>();
  /** Scopes of blocks that are inlined. */
  readonly scopes = new Map<Ast.Node, Scope>();
  /** Prelude functions to inline for a method call with a literal block. */
  readonly templates = new Map<Ast.Node, DefSymbol>();
  /** Blocks that use `it`. */
  readonly implicit = new Map<Ast.Block, Variable>();
  /** Modules that a `require` or `import` loads. */
  readonly modules = new Map<Ast.Node, ModuleScope>();
  /** Later assignments to a constant: they keep the first value. */
  readonly reassigned = new Set<Ast.Node>();
  /** Constants that are declared in a loop. */
  readonly repeated = new Set<Ast.Node>();
}
