import type * as Ast from '../ast.js';
import { Coverage, type CoverageFile } from '../coverage.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { PRELUDE, PRELUDE_TREES } from '../generated/prelude.js';
import { ModuleLoader, type CompileEnvironment } from '../modules.js';
import { type DefSymbol, ModuleScope, Resolution } from '../symbols.js';
import { dispatchedNames, mayStop } from './dispatched.js';
import { Names } from './outernames.js';
import { Resolver } from './resolver.js';

interface Prelude {
  module: ModuleScope;
  resolution: Resolution;
}

let shared: Prelude | null = null;

/** The library written in Svc. Programs share it: it has no variables in slots, so emitting code changes nothing in it. */
export function sharedPrelude(): Prelude {
  return (shared ??= makePrelude());
}

function makePrelude(): Prelude {
  const module = new ModuleScope('prelude', PRELUDE, { stmts: [], start: 0, end: 0 }, -1, true);
  const resolution = new Resolution(null);
  let names: Names | null = null;
  const resolve = (node: Ast.Def): void => {
    names ??= new Names(new Set(), module);
    new Resolver(module, resolution, names, []).define(node);
  };
  for (const [name, tree] of PRELUDE_TREES) module.symbols.set(name, new PreludeFunction(name, module, tree, resolve));
  return { module, resolution };
}

/** A function of the prelude. Its tree is read and its names are resolved when it is needed: a program uses few of them. */
class PreludeFunction implements DefSymbol {
  readonly kind = 'def';
  private definition: Ast.Def | null = null;

  constructor(
    readonly name: string,
    readonly module: ModuleScope,
    private readonly tree: string,
    private readonly resolve: (node: Ast.Def) => void,
  ) {}

  get node(): Ast.Def {
    return this.definition ?? this.define(JSON.parse(this.tree) as Ast.Def);
  }

  get params(): Ast.Param[] {
    return this.node.params;
  }

  private define(definition: Ast.Def): Ast.Def {
    // Known from now on: it may call itself.
    this.definition = definition;
    try {
      this.resolve(definition);
    } catch (error) {
      // The JavaScript stack is used up by an expression of the program. A later compilation tries again.
      this.definition = null;
      throw error;
    }
    return definition;
  }
}

/** A program with resolved names. */
export interface Resolved {
  entry: ModuleScope;
  /** The program's files, each after those it uses. */
  modules: ModuleScope[];
  prelude: ModuleScope | null;
  names: Names | null;
  /** null when there are errors. */
  resolution: Resolution | null;
  diagnostics: Diagnostic[];
  /** What is counted, by file; empty unless coverage is asked for. */
  coverage: readonly CoverageFile[];
  texts: Map<string, string>;
}

/** Reads the program that starts in file `path`, with all files it uses, and resolves its names. */
export function resolveProgram(path: string, text: string, env: CompileEnvironment): Resolved {
  const diagnostics: Diagnostic[] = [];
  const resolution = new Resolution(sharedPrelude().resolution);
  const loader = new ModuleLoader(env, resolution, diagnostics);
  const entry = loader.load(path, text);
  const { modules } = loader;
  const texts = new Map(modules.map((module) => [module.path, module.text]));
  if (hasErrors(diagnostics))
    return { entry, modules, prelude: null, names: null, resolution: null, diagnostics, coverage: [], texts };
  const coverage = new Coverage();
  if (env.coverage === true) for (const module of modules) coverage.add(module);
  const prelude = sharedPrelude().module;
  const names = namesOf(env, modules);
  for (const module of modules) new Resolver(module, resolution, names, diagnostics).run();
  return {
    entry,
    modules,
    prelude,
    names,
    resolution: hasErrors(diagnostics) ? null : resolution,
    diagnostics,
    coverage: coverage.files,
    texts,
  };
}

/** Names from outside the program. */
export function namesOf(env: CompileEnvironment, modules: readonly ModuleScope[]): Names {
  return new Names(env.natives, sharedPrelude().module, dispatchedNames(modules), mayStop(modules));
}

/** The library written in Svc. */
export function preludeModule(): ModuleScope {
  return sharedPrelude().module;
}

/** The results of the resolver for the library written in Svc, on top of which a program's are stored. */
export function preludeResolution(): Resolution {
  return sharedPrelude().resolution;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error');
}
