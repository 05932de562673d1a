import type { ParamProto, FunctionKind } from '../bytecode/program.js';
import { NO_SHAPE, type Shape } from './hash.js';
import { Internal, type Value } from './value.js';

/** Names of the last arguments of a call, or the keys of a hash literal. */
export class NameList extends Internal {
  constructor(
    readonly names: readonly string[],
    readonly shape: Shape | null,
  ) {
    super();
  }
}

/** Data shared by the linked functions of one program. */
export interface Linkage {
  constants: Value[];
  functions: Fn[];
  natives: Value[];
  types: Value[];
  slots: Value[];
  sources: readonly { path: string; text: string | null }[];
}

/** The parts of a function prototype that linking uses. */
export interface FnSource {
  name: string;
  kind: FunctionKind;
  params: readonly ParamProto[];
  registers: number;
  code: Int32Array;
  handlers: Int32Array;
  lines: Int32Array;
  source: number;
  doc: string;
}

/** Where the values of a shape have a field. */
export interface ShapeSlot {
  readonly shape: Shape;
  readonly slot: number;
  readonly ofRecord: boolean;
}

/** Inline cache of one instruction: the slot of a key in the last shape seen. */
export class FieldCache {
  shape: Shape = NO_SHAPE;
  slot = 0;
  /** The shape belongs to a record's fields; these may have the same names as methods. */
  ofRecord = false;
  /** The slot held a Float when the shape was recorded. */
  isFloat = false;
  /** The shapes seen, once there have been two: up to MAX_SHAPES. */
  shapes: ShapeSlot[] | null = null;
  /** Number of shapes that compiled code tests, and of values that had another one. */
  tested = 0;
  misses = 0;
  /** The type of the handle whose method was called last, and its methods. */
  handleType: object | null = null;
  methods: ReadonlyMap<string, NativeFunction> | null = null;
  /** The type of the record whose method the interpreter called last, and the method: the call fills its parameters. */
  recordType: object | null = null;
  method: Closure | null = null;
}

/**
 * Runs a function on the JavaScript stack: compiled code, or a stub that starts the interpreter. Returns undefined if
 * the fiber suspended.
 */
export type Jitted = (self: Closure, depth: number, ...args: Value[]) => Value | undefined;

/**
 * Compiled code entered at a loop's head with the registers of an interpreted activation. Returns the activation's
 * result; undefined if it suspended.
 */
export type LoopCode = (
  frame: { readonly self: Closure | null; readonly regs: Value[] },
  depth: number,
) => Value | undefined;

function notLinked(): never {
  throw new Error('a function that is not linked to a VM');
}

/**
 * Indirection for calls from compiled code: replacing the code is one store, calling is as fast as a direct reference.
 * A small object of its own, because V8 calls slowly through a field of a large one.
 */
export class Entry {
  jit: Jitted = notLinked;
  /** The value of `jit` while the function is not compiled. */
  stub: Jitted = notLinked;

  /** @param arity number of arguments of a call that needs no binding; −1 if every call needs binding */
  constructor(readonly arity: number) {}
}

/**
 * A function at run time. The constructor sets every field: calls are two to three times slower when V8 turns the
 * object into a dictionary.
 */
export class Fn {
  readonly name: string;
  readonly kind: FunctionKind;
  readonly code: Int32Array;
  readonly constants: Value[];
  readonly functions: Fn[];
  readonly natives: Value[];
  readonly types: Value[];
  readonly slots: Value[];
  readonly handlers: Int32Array;
  readonly lines: Int32Array;
  readonly file: string;
  /** Text of the file, for messages; null if it is not available. */
  readonly text: string | null;
  readonly params: readonly ParamProto[];
  /** Number of parameters, and of the required positional ones. */
  readonly arity: number;
  readonly required: number;
  /** Number of parameters that can be given by position. */
  readonly positional: number;
  /** Whether all parameters are positional, the optional ones last, and get no more than one argument each. */
  private readonly isPlain: boolean;
  readonly lenient: boolean;
  readonly doc: string;
  /** Template of a frame's registers. */
  readonly blank: Value[];
  readonly caches: (FieldCache | undefined)[];
  /** The closure without captured values, made on first use. */
  self: Closure | null;
  readonly entry: Entry;
  /** Whether `entry` leads to compiled code. */
  compiled: boolean;
  /** Calls and loop iterations run by the interpreter so far. */
  calls: number;
  turns: number;
  /** Operand kinds seen by arithmetic instructions, by address. */
  readonly feedback: Uint8Array;
  /** Registers that compiled code found to hold other values than Floats at a loop's head, as `address:register`. */
  readonly boxedAtLoops: Set<string>;
  /** Number of deoptimizations; `noFloats` is set when there were too many. */
  deopts: number;
  noFloats: boolean;
  /** Compiled code to enter at loop heads, by address; null where compilation failed. */
  readonly loops: Map<number, LoopCode | null>;
  /** Iterations of single loops, by address of the head, since `turns` reached its threshold; null before. */
  turnsByLoop: Map<number, number> | null;

  constructor(proto: FnSource, linkage: Linkage) {
    this.name = proto.name;
    this.kind = proto.kind;
    this.code = proto.code;
    this.constants = linkage.constants;
    this.functions = linkage.functions;
    this.natives = linkage.natives;
    this.types = linkage.types;
    this.slots = linkage.slots;
    this.handlers = proto.handlers;
    this.lines = proto.lines;
    this.file = linkage.sources[proto.source].path;
    this.text = linkage.sources[proto.source].text;
    this.params = proto.params;
    this.arity = proto.params.length;
    this.required = proto.params.filter((p) => p.kind === 'required').length;
    this.positional = proto.params.filter((p) => p.kind === 'required' || p.kind === 'optional').length;
    this.lenient = proto.kind === 'block';
    this.isPlain =
      !this.lenient &&
      this.positional === this.arity &&
      proto.params.every(({ kind }, i) => kind === (i < this.required ? 'required' : 'optional'));
    this.doc = proto.doc;
    this.blank = new Array<Value>(proto.registers).fill(null);
    this.caches = new Array<FieldCache | undefined>(proto.code.length).fill(undefined);
    this.self = null;
    this.entry = new Entry(this.required === this.arity ? this.arity : -1);
    this.compiled = false;
    this.calls = 0;
    this.turns = 0;
    this.feedback = new Uint8Array(proto.code.length);
    this.boxedAtLoops = new Set();
    this.deopts = 0;
    this.noFloats = false;
    this.loops = new Map();
    this.turnsByLoop = null;
  }

  /** The signature as messages show it: `name(a, b = 2, *rest)`, for a method without `self`. */
  signature(): string {
    return `${this.name}(${this.params.slice(this.implicit).map(paramText).join(', ')})`;
  }

  /** Whether a call with `count` positional arguments only needs ABSENT for the parameters after them. */
  takes(count: number): boolean {
    return this.isPlain && count >= this.required && count <= this.arity;
  }

  /** Number of arguments that no call writes: 1 for a method of a record, `Record.name`, else 0. */
  get implicit(): number {
    return this.kind === 'def' && this.params[0]?.name === 'self' && this.name.includes('.') ? 1 : 0;
  }
}

function paramText({ name, kind, defaultText }: ParamProto): string {
  switch (kind) {
    case 'optional':
      return `${name} = ${defaultText}`;
    case 'rest':
      return `*${name}`;
    case 'options':
      return `**${name}`;
    case 'named':
      return `${name}:`;
    case 'namedOptional':
      return `${name}: ${defaultText}`;
    default:
      return name;
  }
}

/** A Svc function as a value. */
export class Closure {
  readonly entry: Entry;

  constructor(
    readonly fn: Fn,
    readonly captures: Value[],
  ) {
    this.entry = fn.entry;
  }
}

/** One parameter of a native, parsed from its signature. */
export interface NativeParam {
  name: string;
  typeText: string;
  check: (value: Value) => boolean;
  /** Default value; undefined if the parameter is required. */
  default: Value | undefined;
  kind: 'plain' | 'rest' | 'options' | 'block';
}

/** Methods and setters by name. */
interface Members {
  readonly methods: ReadonlyMap<string, NativeFunction>;
  readonly setters: ReadonlyMap<string, NativeFunction>;
}

/** A call as programs write it: the compiler adds arguments before and after those of the program. */
export interface WrittenCall {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

/** A function of the host as a value. */
export class NativeFunction {
  /** Parsed from `signature` on the first call, so that unused natives cost nothing. */
  params: NativeParam[] | null = null;
  /**
   * For compiled code: the result for one Float, from number to number. On NaN, `impl` is called to decide whether that
   * is an error.
   */
  onDouble: ((n: number) => number) | null = null;
  /** Methods and setters that this native has as a value, such as `log.info`; null: only those of all functions. */
  members: Members | null = null;
  /** What programs call a native whose calls the compiler writes; null if it has its own name. */
  written: WrittenCall | null = null;

  constructor(
    readonly name: string,
    readonly signature: string,
    readonly result: string,
    readonly doc: string,
    // `VM.invokeNative` calls it with the native as `this`, for natives that are made per call.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- natives take the VM and their own parameter types; `bind` has checked them
    readonly impl: (...args: any[]) => Value | undefined | void,
    /** Type of receiver for methods, else empty. */
    readonly owner: string = '',
  ) {}
}
