import type * as Ast from '../ast.js';
import type { CheckCode } from '../diagnostics/codes.js';
import type { CompileEnvironment } from '../modules.js';
import type { ModuleScope, Resolution } from '../symbols.js';

/** A parameter of a native function. */
export interface NativeParameter {
  name: string;
  kind: 'plain' | 'rest' | 'options' | 'block';
  optional: boolean;
  /** As declared: type names joined by `|`, with `?` for "or nil". */
  type: string;
}

/** What is known of a native function without running it. */
export interface NativeSignature {
  params: readonly NativeParameter[];
  result: string;
}

/** What `svcc check` asks of the outside world beyond what compiling needs. */
export interface CheckEnvironment extends CompileEnvironment {
  signatures: ReadonlyMap<string, NativeSignature>;
}

/** Tells of a finding. */
export type Report = (
  severity: 'error' | 'warning',
  code: CheckCode,
  node: Ast.Node,
  message: string,
  hint?: string,
) => void;

/** What the checks of one file read, and where their findings go. */
export interface Checked {
  module: ModuleScope;
  resolution: Resolution;
  env: CheckEnvironment;
  report: Report;
}
