/** A compiled program: everything the VM needs, in plain data. */
export interface Program {
  sources: SourceFile[];
  constants: Constant[];
  functions: FunctionProto[];
  /** Names of the native functions, built-in types and constants that the code refers to. */
  natives: string[];
  types: TypeProto[];
  /** Names of the module slots: top-level variables that functions share. */
  slots: string[];
  /** Index of the function that runs first. */
  entry: number;
  /** Files that came with the program, in the order of their paths: only an artefact has any. */
  assets?: readonly Asset[];
}

/** A file that is part of an artefact. */
export interface Asset {
  /** From the program's folder on, with slashes, without `.`, `..` and empty names. */
  path: string;
  bytes: Uint8Array;
}

export interface SourceFile {
  path: string;
  /** Source text for error messages; null where it is not at hand. */
  text: string | null;
}

export type Constant =
  | { kind: 'string'; value: string }
  | { kind: 'integer'; value: number | bigint }
  | { kind: 'float'; value: number }
  | { kind: 'regex'; source: string; flags: string }
  | { kind: 'names'; value: string[] };

/** A record's fields are the parameters of its constructor, function `ctor`, which ends in NEWREC. */
export type TypeProto =
  | { kind: 'record'; name: string; fields: string[]; ctor: number }
  | { kind: 'enum'; name: string; members: string[] }
  /** `parent` is a built-in error type's name or the index of a declared one. */
  | { kind: 'error'; name: string; parent: string | number };

/** `named` parameters are given by name alone; `optional` and `namedOptional` have defaults, evaluated by the callee. */
export type ParamKind = 'required' | 'optional' | 'rest' | 'named' | 'namedOptional';

export interface ParamProto {
  name: string;
  kind: ParamKind;
  /** Source text of the default, for signatures in messages. */
  defaultText: string;
}

/** `block`: lenient about the number of arguments and takes a single vector apart. */
export type FunctionKind = 'main' | 'def' | 'lambda' | 'block';

export interface FunctionProto {
  name: string;
  kind: FunctionKind;
  /** Index into `Program.sources`. */
  source: number;
  /** Parameter i arrives in register i. */
  params: ParamProto[];
  registers: number;
  captures: number;
  code: Int32Array;
  /** Four numbers a row, inner ranges first: start, end, handler, kind (HANDLES_*). */
  handlers: Int32Array;
  /** Three numbers a row, by ascending address: address, line, column. */
  lines: Int32Array;
  /** Documentation comment, or empty. */
  doc: string;
}

/** The handler sees errors alone: `rescue`. */
export const HANDLES_ERRORS = 0;
/** The handler sees everything that unwinds: `ensure`. */
export const HANDLES_ALL = 1;

/** Registers that an operand byte reaches. */
export const LOW_REGISTERS = 256;
/** Most registers of a function. */
export const MAX_REGISTERS = 65_536;
/** Most captured values of a closure and arguments of one call: their count is one byte. */
export const MAX_ARGUMENTS = 255;

/** Line and column of the instruction at `pc`. */
export function positionOf(fn: Pick<FunctionProto, 'lines'>, pc: number): { line: number; column: number } {
  const { lines } = fn;
  let low = 0;
  let high = lines.length / 3 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle * 3] <= pc) low = middle;
    else high = middle - 1;
  }
  return lines.length === 0 ? { line: 0, column: 0 } : { line: lines[low * 3 + 1], column: lines[low * 3 + 2] };
}
