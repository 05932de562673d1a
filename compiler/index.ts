import type * as Ast from './ast.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { assignEmitters } from './emit/assign.js';
import { callEmitters } from './emit/calls.js';
import { flowEmitters } from './emit/flow.js';
import { functionEmitters, moduleMain } from './emit/functions.js';
import { handlerEmitters } from './emit/handlers.js';
import { literalEmitters } from './emit/literals.js';
import { operatorEmitters } from './emit/operators.js';
import type { Builder, Emitters } from './emit/builder.js';
import { ProgramBuilder } from './emit/program.js';
import { declarations, declare, ModuleLoader, type CompileEnvironment } from './modules.js';
import { PRELUDE_TREE } from './generated/prelude.js';
import { PRELUDE } from './prelude.js';
import { Names } from './resolve/names.js';
import { Resolver } from './resolve/resolver.js';
import { ModuleScope, Resolution } from './symbols.js';
import type { Program } from '../vm/bytecode/program.js';

export type { CompileEnvironment } from './modules.js';
export type { Diagnostic } from './diagnostics/diagnostic.js';
export { renderDiagnostic } from './diagnostics/render.js';

export interface CompileResult {
  /** null when there are errors. */
  program: Program | null;
  diagnostics: Diagnostic[];
  /** Texts of all files that were read, by path, for rendering diagnostics. */
  texts: Map<string, string>;
}

const EMITTERS: Emitters = {
  ...literalEmitters, ...operatorEmitters, ...assignEmitters, ...flowEmitters, ...handlerEmitters, ...functionEmitters, ...callEmitters,
};

let preludeTree: Ast.Module | null = null;

function preludeModule(): ModuleScope {
  const tree = (preludeTree ??= JSON.parse(PRELUDE_TREE) as Ast.Module);
  const module = new ModuleScope('prelude', PRELUDE, tree, -1, true);
  for (const node of declarations(tree)) if (node.type !== 'UseModule') declare(module, node, () => {});
  return module;
}

/** Compiles the program that starts in file `path` with all files it uses. Never throws for bad input: it is reported in `diagnostics`. */
export function compile(path: string, text: string, env: CompileEnvironment): CompileResult {
  const diagnostics: Diagnostic[] = [];
  const resolution = new Resolution();
  const loader = new ModuleLoader(env, resolution, diagnostics);
  const entry = loader.load(path, text);
  const texts = new Map(loader.modules.map((module) => [module.path, module.text]));
  if (hasErrors(diagnostics)) return { program: null, diagnostics, texts };
  const prelude = preludeModule();
  const names = new Names(env.natives, prelude);
  for (const module of [prelude, ...loader.modules]) new Resolver(module, resolution, names, diagnostics).run();
  if (hasErrors(diagnostics)) return { program: null, diagnostics, texts };
  const program = emit(entry, [...loader.modules, prelude], new ProgramBuilder(resolution, names, EMITTERS, diagnostics));
  return { program: hasErrors(diagnostics) ? null : program, diagnostics, texts };
}

function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error');
}

function emit(entry: ModuleScope, modules: readonly ModuleScope[], builder: Builder): Program {
  const { program } = builder;
  const files = modules.filter((module) => !module.isPrelude).sort((a, b) => a.index - b.index);
  program.sources = files.map((module) => ({ path: module.path, text: module.text }));
  // The prelude has no file: its functions do not show in backtraces.
  program.sources.push({ path: '', text: null });
  program.entry = moduleMain(builder, entry).fn;
  for (let write = builder.queue.shift(); write !== undefined; write = builder.queue.shift()) write();
  for (const fn of program.functions) if (fn !== undefined && fn.source < 0) fn.source = files.length;
  return program;
}
