import type * as Ast from '../ast.js';
import type { CheckEnvironment, Checked } from '../check/environment.js';
import { checkModule, reporter } from '../check/index.js';
import { Types } from '../check/types.js';
import { walkNodes } from '../check/walk.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { ModuleLoader } from '../modules.js';
import { hasErrors, namesOf, preludeResolution } from '../resolve/program.js';
import type { Names } from '../resolve/outernames.js';
import { Resolver } from '../resolve/resolver.js';
import { Resolution, type ModuleScope, type Variable } from '../symbols.js';
import { type Viewpoint, watchNames } from './scopes.js';

/** What a block receives as its first parameter after the path of a route. */
const HANDLED: Readonly<Record<string, string>> = {
  get: 'SvcRequest',
  post: 'SvcRequest',
  put: 'SvcRequest',
  patch: 'SvcRequest',
  delete: 'SvcRequest',
  group: 'SvcGroup',
  websocket: 'SvcWebSocket',
};

/**
 * A program as tools see it: names and types of all its files, also of those that do not parse. Nothing here is needed to
 * run a program.
 */
export class ProgramAnalysis {
  readonly entry: ModuleScope;
  /** The files of the program, each after those that it uses; templates are files, too. */
  readonly modules: readonly ModuleScope[];
  readonly resolution = new Resolution(preludeResolution());
  readonly names: Names;
  /** What is wrong with the syntax, the names and the files of the program. */
  private readonly problems: Diagnostic[] = [];
  private readonly typesOf = new Map<ModuleScope, Types>();
  private foundIn: { module: ModuleScope; diagnostics: Diagnostic[] } | null = null;

  /** The place where `HERE` stands, if it stands anywhere. */
  readonly here: Viewpoint;

  /** Reads the program that starts in file `path`. Never throws for bad input. */
  constructor(
    path: string,
    text: string,
    readonly env: CheckEnvironment,
  ) {
    const loader = new ModuleLoader(env, this.resolution, this.problems);
    this.entry = loader.load(path, text);
    this.modules = loader.modules;
    this.names = namesOf(env, this.modules);
    this.here = watchNames(this.names);
    for (const module of this.modules) this.resolve(module);
  }

  private resolve(module: ModuleScope): void {
    try {
      new Resolver(module, this.resolution, this.names, this.problems).run();
    } catch (error) {
      // Trees with mistakes may break assumptions of the resolver. What it has found so far remains.
      if (!hasErrors(this.problems)) throw error;
    }
  }

  /** The file with this path, or null. */
  module(path: string): ModuleScope | null {
    return this.modules.find((module) => module.path === path) ?? null;
  }

  /** The first file, and its templates, which are compiled with it alone. */
  get own(): readonly ModuleScope[] {
    return this.modules.slice(this.modules.indexOf(this.entry));
  }

  /** Types of the expressions in a file. */
  types(module: ModuleScope): Types {
    const made = this.typesOf.get(module);
    if (made !== undefined) return made;
    const known = this.selves(module);
    this.handlers(module, known);
    const types = new Types(this.checked(module, []), known);
    this.typesOf.set(module, types);
    return types;
  }

  private checked(module: ModuleScope, diagnostics: Diagnostic[]): Checked {
    const { resolution, env, names } = this;
    return { module, resolution, env, iterators: names.iterators(), report: reporter(module, diagnostics) };
  }

  /** The variables `self` of the methods in a file, with their records. */
  private selves({ symbols }: ModuleScope): Map<Variable, string> {
    const out = new Map<Variable, string>();
    for (const symbol of symbols.values()) {
      if (symbol.kind !== 'def' || symbol.node.type !== 'RecordDecl') continue;
      for (const { node } of this.resolution.methods.get(symbol.node) ?? []) {
        const self = this.resolution.symbols.get((node as Ast.Def).params[0]);
        if (self?.kind === 'variable') out.set(self.variable, symbol.name);
      }
    }
    return out;
  }

  /**
   * Parameters of blocks that are likely handlers of routes, by the form of the call: `group.get("/") { |req| … }`. What
   * is reported as a mistake never depends on this.
   */
  private handlers({ tree }: ModuleScope, out: Map<Variable, string>): void {
    walkNodes(tree, ['Method'], (node) => {
      if (node.args[0]?.type !== 'Str' || !node.args[0].value.startsWith('/')) return;
      const type = HANDLED[node.name.replace(/_async$/, '')];
      const fn = node.block ?? node.args.find((arg): arg is Ast.Lambda => arg.type === 'Lambda');
      const param = fn?.params?.[0];
      const symbol = param === undefined ? undefined : this.resolution.symbols.get(param);
      if (type !== undefined && symbol?.kind === 'variable' && param?.annotation === null)
        out.set(symbol.variable, type);
    });
  }

  /** What is wrong with a file: as `svcc check` reports it, in the order of offsets. */
  diagnostics(module: ModuleScope): Diagnostic[] {
    if (this.foundIn?.module === module) return this.foundIn.diagnostics;
    const diagnostics = this.problems.filter(({ file }) => file === module.path);
    if (!hasErrors(this.problems)) {
      const checked = this.checked(module, diagnostics);
      checkModule(checked, new Types(checked));
    }
    diagnostics.sort((a, b) => a.start - b.start);
    this.foundIn = { module, diagnostics };
    return diagnostics;
  }
}
