import type { CoverageFile } from './coverage.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { EMITTERS } from './emit/emitters.js';
import { emitDeclarations, moduleMain } from './emit/functions.js';
import type { Builder } from './emit/builder.js';
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
export { Session, type SessionInput } from './session/session.js';

export interface CompileResult {
  /** null when there are errors. */
  program: Program | null;
  diagnostics: Diagnostic[];
  /** What the program counts; empty unless coverage is asked for. */
  coverage: readonly CoverageFile[];
  /** Texts of all files that were read, by path, for rendering diagnostics. */
  texts: Map<string, string>;
}

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
  for (const file of files) emitDeclarations(builder, file);
  builder.writeAll();
  for (const fn of program.functions) if (fn !== undefined && fn.source < 0) fn.source = files.length;
  return program;
}
