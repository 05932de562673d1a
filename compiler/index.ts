import type { CoverageFile } from './coverage.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { assignEmitters } from './emit/assign.js';
import { callEmitters } from './emit/calls.js';
import { flowEmitters } from './emit/flow.js';
import { defIndex, recordIndex, functionEmitters, moduleMain } from './emit/functions.js';
import { handlerEmitters } from './emit/handlers.js';
import { literalEmitters } from './emit/literals.js';
import { matchEmitters } from './emit/matching.js';
import { operatorEmitters } from './emit/operators.js';
import type { Builder, Emitters } from './emit/builder.js';
import { ProgramBuilder } from './emit/program.js';
import type { CompileEnvironment } from './modules.js';
import { hasErrors, resolveProgram } from './resolve/program.js';
import type { ModuleScope } from './symbols.js';
import type { Program } from '../vm/bytecode/program.js';

export { check, type CheckEnvironment, type NativeParameter, type NativeSignature } from './check/index.js';
export type { CoverageFile } from './coverage.js';
export type { CompileEnvironment } from './modules.js';
export type { Diagnostic } from './diagnostics/diagnostic.js';
export { renderDiagnostic } from './diagnostics/render.js';

export interface CompileResult {
  /** null when there are errors. */
  program: Program | null;
  diagnostics: Diagnostic[];
  /** What the program counts; empty unless coverage is asked for. */
  coverage: readonly CoverageFile[];
  /** Texts of all files that were read, by path, for rendering diagnostics. */
  texts: Map<string, string>;
}

const EMITTERS: Emitters = {
  ...literalEmitters,
  ...operatorEmitters,
  ...assignEmitters,
  ...flowEmitters,
  ...matchEmitters,
  ...handlerEmitters,
  ...functionEmitters,
  ...callEmitters,
};

/**
 * Compiles the program that starts in file `path`, with all files it uses. Never throws for bad input: reports it in
 * `diagnostics`.
 */
export function compile(path: string, text: string, env: CompileEnvironment): CompileResult {
  const { entry, modules, prelude, names, resolution, diagnostics, coverage, texts } = resolveProgram(path, text, env);
  if (resolution === null || prelude === null || names === null) return { program: null, diagnostics, coverage, texts };
  const program = emit(entry, [...modules, prelude], new ProgramBuilder(resolution, names, EMITTERS, diagnostics));
  return { program: hasErrors(diagnostics) ? null : program, diagnostics, coverage, texts };
}

function emit(entry: ModuleScope, modules: readonly ModuleScope[], builder: Builder): Program {
  const { program } = builder;
  const files = modules.filter((module) => !module.isPrelude).sort((a, b) => a.index - b.index);
  program.sources = files.map((module) => ({ path: module.path, text: module.text }));
  // The prelude has no file: backtraces do not show its functions.
  program.sources.push({ path: '', text: null });
  program.entry = moduleMain(builder, entry).fn;
  // Emit uncalled functions too, so that their errors are reported.
  for (const { symbols } of files)
    for (const symbol of symbols.values()) {
      if (symbol.kind !== 'def') continue;
      if (symbol.node.type === 'Def') defIndex(builder, symbol);
      else if (symbol.node.methods.length > 0) recordIndex(builder, symbol, symbol.node);
    }
  for (let write = builder.queue.shift(); write !== undefined; write = builder.queue.shift()) write();
  for (const fn of program.functions) if (fn !== undefined && fn.source < 0) fn.source = files.length;
  return program;
}
