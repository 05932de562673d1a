import { definesOperators } from '../../interpreter/ownoperators.js';
import { OTHER } from '../../interpreter/feedback.js';
import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import type { Generator } from './generator.js';

/**
 * An operator's helper call as a plain expression, used if only numbers were seen and no record defines operators: without
 * an exit, the code is small enough for V8 to inline. Null if other operands were seen or the fuel is in a local; then
 * use `Generator.operator`.
 */
export function atOnce(g: Generator, pc: number, helper: string, a: string, b: string | number): string | null {
  return g.fuel.isLocal || (g.feedback(pc) & OTHER) !== 0 || definesOperators(g.fn.types)
    ? null
    : `${helper}(${a},${b},FN,${pc})`;
}

/** The constant, type or native that the instruction before the current one puts into register `r`; undefined if it does not. */
export function constantIn(g: Generator, r: number): unknown {
  return g.previous?.a === r ? loadedBy(g, g.previous) : undefined;
}

/** The constant, type or native that an instruction loads; undefined for other instructions. */
export function loadedBy(g: Generator, { info, extras, immediate }: Instruction): unknown {
  switch (info.op) {
    case Op.LOADK:
      return g.fn.constants[extras.K];
    case Op.LOADI:
      return immediate;
    case Op.LOADNIL:
      return null;
    case Op.LOADTRUE:
    case Op.LOADFALSE:
      return info.op === Op.LOADTRUE;
    case Op.LOADTYPE:
      return g.fn.types[extras.T];
    case Op.LOADNATIVE:
      return g.fn.natives[extras.N];
    default:
      return undefined;
  }
}

/** The tests of common built-in types as JavaScript. */
const TYPE_TESTS: Readonly<Record<string, (x: string) => string>> = {
  Nil: (x) => `${x}===null`,
  Boolean: (x) => `typeof ${x}==='boolean'`,
  Integer: (x) => `(typeof ${x}==='number'||typeof ${x}==='bigint')`,
  Float: (x) => `${x} instanceof Float`,
  String: (x) => `typeof ${x}==='string'`,
  Vector: (x) => `Array.isArray(${x})`,
  Hash: (x) => `${x} instanceof Hash`,
  Record: (x) => `${x} instanceof RecordValue`,
};

/** The condition under which `x` is of the built-in type `name`; null for a type that is tested by a call. */
export function typeTest(name: string, x: string): string | null {
  return Object.hasOwn(TYPE_TESTS, name) ? TYPE_TESTS[name](x) : null;
}
