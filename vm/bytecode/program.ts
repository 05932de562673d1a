/** A compiled program as plain data, complete for the VM. */
export interface Program {
  sources: SourceFile[];
  constants: Constant[];
  functions: FunctionProto[];
  /** Names of the native functions, built-in types and constants that the code uses. */
  natives: string[];
  types: TypeProto[];
  /** Names of the module slots: top-level variables that functions share. */
  slots: string[];
  /** Index of the function that runs first. */
  entry: number;
  /** Files of an artefact, ordered by path; undefined for programs compiled from source. */
  assets?: readonly Asset[];
}

/** A file that is part of an artefact. */
export interface Asset {
  /** Relative to the program's folder, with slashes, without `.`, `..` and empty names. */
  path: string;
  bytes: Uint8Array;
}

export interface SourceFile {
  path: string;
  /** Source text for error messages; null if not available. */
  text: string | null;
}

export type Constant =
  | { kind: 'string'; value: string }
  | { kind: 'integer'; value: number | bigint }
  | { kind: 'float'; value: number }
  /** `value` has digits, and optionally a sign and decimals: `-12.50`. */
  | { kind: 'decimal'; value: string }
  | { kind: 'regex'; source: string; flags: string }
  | { kind: 'names'; value: string[] };

/** `variants`: the record types of the members, by index; empty if the members are strings. */
export interface EnumProto {
  kind: 'enum';
  name: string;
  members: string[];
  variants: number[];
}

export interface RecordProto {
  kind: 'record';
  name: string;
  fields: string[];
  /**
   * The annotation of each field, empty if it has none: names of built-in types, `#3` for type 3 of the program, `|`,
   * `Vector<…>` and `Hash<…,…>`. Constraints follow a type: `String(1..200,/5)` has 1 to 200 characters, and fits the
   * regex in constant 5; `Float(0...1)` is below 1.
   */
  types: string[];
  ctor: number;
  /** Names and functions, whose first parameter is the record. */
  methods: [string, number][];
}

/**
 * A type declared by a program. A record's fields are the parameters of its constructor, function `ctor`, which ends in
 * NEWREC.
 */
export type TypeProto =
  | RecordProto
  | EnumProto
  /** `records`: the types whose values are of the interface, by index. */
  | { kind: 'interface'; name: string; records: number[] }
  /** `parent` is the name of a built-in error type or the index of a declared one. */
  | { kind: 'error'; name: string; parent: string | number };

/**
 * `named` parameters can be given only by name; `optional` and `namedOptional` ones have defaults, evaluated by the
 * callee; `options` takes the named arguments of no other parameter as a hash.
 */
export type ParamKind = 'required' | 'optional' | 'rest' | 'named' | 'namedOptional' | 'options';

export interface ParamProto {
  name: string;
  kind: ParamKind;
  /** Source text of the default, for signatures in messages. */
  defaultText: string;
}

/** A `block` accepts any number of arguments and spreads a single vector. */
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
  /** Four numbers per row, inner ranges first: start, end, handler, kind (HANDLES_*). */
  handlers: Int32Array;
  /** Three numbers per row, by ascending address: address, line, column. */
  lines: Int32Array;
  /** Documentation comment, or empty. */
  doc: string;
}

/** Handles only errors: `rescue`. */
export const HANDLES_ERRORS = 0;
/** Handles errors and signals: `ensure`. */
export const HANDLES_ALL = 1;

/** Number of registers that an operand byte can address. */
export const LOW_REGISTERS = 256;
/** Maximum registers of a function. */
export const MAX_REGISTERS = 65_536;
/** Maximum captured values of a closure, and arguments of one call: their count is one byte. */
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
