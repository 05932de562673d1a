import type { Program, SourceFile } from '../../vm/bytecode/program.js';
import type { Expr } from '../ast.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { emitDeclarations, moduleMain } from '../emit/functions.js';
import { type CompileEnvironment, ModuleLoader } from '../modules.js';
import { parse } from '../parse.js';
import { dispatchedNames, LAZY_METHODS } from '../resolve/dispatched.js';
import { Names } from '../resolve/outernames.js';
import { hasErrors, sharedPrelude } from '../resolve/program.js';
import { Resolver } from '../resolve/resolver.js';
import { FunctionScope, ModuleScope, Resolution, type Scope, type Symbol, Variable } from '../symbols.js';
import { isIncomplete } from './incomplete.js';
import { SessionBuilder } from './sessionbuilder.js';

/** An input that has been compiled. */
export interface SessionInput {
  /** Files that the program has gained; null when there are errors. */
  sources: SourceFile[] | null;
  diagnostics: Diagnostic[];
  /** Texts of all files that were read, by path, for rendering diagnostics. */
  texts: Map<string, string>;
  /** Whether more text could complete the input. */
  incomplete: boolean;
  /** The name that the last statement declares; null if it is no declaration. */
  declared: string | null;
}

/**
 * Compiles a program piece by piece: each input sees the names of those before it, and may define them again. The inputs
 * share one top level, whose variables live in slots. The program grows; its entry is the newest input.
 */
export class Session {
  private readonly resolution = new Resolution(sharedPrelude().resolution);
  /** Holds what earlier inputs have declared, and the files that they use. */
  private readonly before: ModuleScope;
  private readonly main: FunctionScope;
  private readonly builder: SessionBuilder;
  /** Files that inputs have required. */
  private files: ModuleScope[] = [];
  private readonly dispatched = new Set(LAZY_METHODS.split(' '));

  constructor(private readonly env: CompileEnvironment) {
    const tree = { start: 0, end: 0, stmts: [] };
    const first = new ModuleScope('', '', tree, 0, false);
    this.main = first.main;
    this.before = new ModuleScope('', '', tree, 0, false, new FunctionScope('main', null, null, first));
    this.builder = new SessionBuilder(this.resolution, this.main);
    // The prelude has no file: backtraces do not show its functions.
    this.builder.program.sources.push({ path: '', text: null });
  }

  get program(): Program {
    return this.builder.program;
  }

  /** Names of the session, newest declarations first. */
  *names(): Iterable<string> {
    yield* this.main.root.names.keys();
    for (const name of this.before.symbols.keys()) if (!name.includes('.') && !name.includes('@')) yield name;
    for (const file of this.before.merged)
      for (const name of [...file.symbols.keys(), ...file.main.root.names.keys()])
        if (file.offers(name) && !name.includes('.')) yield name;
  }

  /** The slot of a variable, function or type of the session; undefined if there is none. */
  slotOf(name: string): number | undefined {
    const isKnown = this.main.root.names.has(name) || this.before.symbols.has(name);
    return isKnown ? this.builder.slotIfAny(name) : undefined;
  }

  /** The slot of a variable that the host assigns. */
  declare(name: string): number {
    this.keep(name);
    return this.builder.slotNamed(name);
  }

  /** Compiles the next input, and adds it to the program if it has no errors. */
  add(path: string, text: string): SessionInput {
    const { module: tree, diagnostics } = parse(path, text);
    if (hasErrors(diagnostics)) {
      const incomplete = isIncomplete(text);
      return { sources: null, diagnostics, texts: new Map([[path, text]]), incomplete, declared: null };
    }
    const undo = this.mark();
    const module = new ModuleScope(path, text, tree, this.program.sources.length, false, this.main);
    const { modules, sources } = this.compile(module, diagnostics);
    const texts = new Map(modules.map((file) => [file.path, file.text]));
    if (hasErrors(diagnostics)) {
      undo();
      return { sources: null, diagnostics, texts, incomplete: false, declared: null };
    }
    this.commit(module, modules);
    return { sources, diagnostics, texts, incomplete: false, declared: declaredBy(tree.stmts.at(-1)) };
  }

  /** Resolves and emits an input and the files that it uses. */
  private compile(module: ModuleScope, diagnostics: Diagnostic[]): { modules: ModuleScope[]; sources: SourceFile[] } {
    const loader = new ModuleLoader(this.env, this.resolution, diagnostics, module.index);
    loader.loadInput(module, this.before, this.files);
    const { modules } = loader;
    if (hasErrors(diagnostics)) return { modules, sources: [] };
    for (const name of dispatchedNames(modules)) this.dispatched.add(name);
    const names = new Names(this.env.natives, sharedPrelude().module, this.dispatched, true);
    // What an input declares replaces a variable of that name.
    for (const name of module.symbols.keys()) this.main.root.names.delete(name);
    for (const file of modules) new Resolver(file, this.resolution, names, diagnostics).run();
    if (hasErrors(diagnostics)) return { modules, sources: [] };
    for (const file of modules) keepInSlots(file.main.root);
    return { modules, sources: this.emit(module, modules, names, diagnostics) };
  }

  private emit(
    module: ModuleScope,
    modules: readonly ModuleScope[],
    names: Names,
    diagnostics: Diagnostic[],
  ): SourceFile[] {
    const { builder, program } = this;
    const first = program.functions.length;
    builder.begin(names, diagnostics);
    const files = [...modules].sort((a, b) => a.index - b.index);
    const sources = files.map(({ path, text }) => ({ path, text }));
    program.sources.push(...sources);
    program.entry = moduleMain(builder, module).fn;
    for (const file of files) emitDeclarations(builder, file);
    builder.writeAll();
    builder.extendInterfaces();
    for (const fn of program.functions.slice(first)) if (fn !== undefined && fn.source < 0) fn.source = 0;
    return sources;
  }

  /** Returns a function that forgets what has been added since. */
  private mark(): () => void {
    const { names } = this.main.root;
    const before = [...names];
    const undo = this.builder.mark();
    return () => {
      names.clear();
      for (const [name, variable] of before) names.set(name, variable);
      this.main.root.variables.length = 0;
      undo();
    };
  }

  /** Makes the names of an input those of the session. */
  private commit(module: ModuleScope, modules: readonly ModuleScope[]): void {
    const { before, main } = this;
    for (const [name, symbol] of module.symbols) before.symbols.set(name, symbol);
    for (const file of module.merged) if (file !== before && !before.merged.includes(file)) before.merged.push(file);
    this.files.push(...modules.filter((file) => file !== module));
    for (const variable of main.root.variables)
      if (variable.isConstant && main.root.names.get(variable.name) === variable) this.keep(variable.name);
    main.root.variables.length = 0;
  }

  /** Makes a name a variable that later inputs may assign. */
  private keep(name: string): void {
    const { root } = this.main;
    const variable = new Variable(name, root, false);
    variable.captured = variable.global = true;
    variable.assignments = 1;
    root.names.set(name, variable);
  }

  /** What a name means at the top level; null if it is unknown. */
  symbolOf(name: string): Symbol | null {
    return this.before.symbols.get(name) ?? null;
  }
}

function declaredBy(statement: Expr | undefined): string | null {
  switch (statement?.type) {
    case 'Def':
    case 'RecordDecl':
    case 'EnumDecl':
    case 'InterfaceDecl':
    case 'ErrorDecl':
      return statement.name.name;
    default:
      return null;
  }
}

/** Moves the top-level variables of a file into slots, where later inputs find them. */
function keepInSlots(root: Scope): void {
  for (const variable of root.variables) {
    // Closures hold a variable of each iteration.
    if (variable.perIteration && variable.captured && !variable.global) root.names.delete(variable.name);
    else variable.captured = variable.global = true;
  }
}
