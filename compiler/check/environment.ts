import type * as Ast from '../ast.js';
import type { CheckCode } from '../diagnostics/codes.js';
import type { CompileEnvironment } from '../modules.js';
import type { ModuleScope, Resolution } from '../symbols.js';

/** A parameter of a native function. */
export interface NativeParameter {
  name: string;
  kind: 'plain' | 'rest' | 'options' | 'block';
  optional: boolean;
  /** As declared: type names joined by `|`; `?` means "or nil". */
  type: string;
}

/** The declaration of a native function, known without running it. */
export interface NativeSignature {
  /** Those for which programs write arguments. */
  readonly params: readonly NativeParameter[];
  readonly result: string;
  /** For a native whose calls the compiler writes: what programs call it, and arguments that it gets besides theirs. */
  readonly written?: { readonly name: string; readonly before: number; readonly after: number } | null;
}

/** What `svcc check` needs from its host, in addition to what compiling needs. */
export interface CheckEnvironment extends CompileEnvironment {
  signatures: ReadonlyMap<string, NativeSignature>;
  /** Methods by the type of their receiver; `Any` has those of all values. */
  methods: ReadonlyMap<string, ReadonlyMap<string, NativeSignature>>;
  /** The built-in error types, also by their names of other languages: the type itself, then its parents. */
  errors: ReadonlyMap<string, string[]>;
  /** Methods of the built-in types themselves, such as `Date.parse`. */
  statics: ReadonlyMap<string, ReadonlyMap<string, NativeSignature>>;
  /** Names of an application's settings. */
  settings: readonly string[];
  /** Whether the program is meant for several processes, whose memory differs. */
  forWorkers?: boolean;
}

/** Reports a finding. */
export type Report = (
  severity: 'error' | 'warning',
  code: CheckCode,
  node: Ast.Node,
  message: string,
  hint?: string,
) => void;

/** Input of the checks of one file, and where they report findings. */
export interface Checked {
  module: ModuleScope;
  resolution: Resolution;
  env: CheckEnvironment;
  /** Names of methods of the prelude. */
  iterators: ReadonlySet<string>;
  report: Report;
}
