import { InvalidBytecode } from '../bytecode/decode.js';
import type { Constant, EnumProto, Program, TypeProto } from '../bytecode/program.js';
import { verifyGrowth, verifyProgram } from '../bytecode/verify.js';
import { EnumType, RecordType, RecordValue } from '../values/structured.js';
import { builtinErrorType, Errors, ErrorType } from '../values/error.js';
import { Closure, Fn, NameList, type Linkage } from '../values/function.js';
import { HandleType } from '../values/handle.js';
import { Shape } from '../values/hash.js';
import { compileRegex } from '../values/regex/index.js';
import { TypeValue } from '../values/types.js';
import { Float, type Value } from '../values/value.js';

/** A program bound to a VM, ready to run. */
export interface LinkedProgram extends Linkage {
  entry: Fn;
  program: Program;
}

/**
 * Verifies and binds `program`: converts constants to values, names of natives to natives, and functions to runtime
 * functions.
 * @throws InvalidBytecode
 */
export function link(program: Program, lookup: (name: string) => Value | undefined): LinkedProgram {
  verifyProgram(program);
  return bind(program, lookup);
}

/** As `link`, for a program that is a part of the VM: verifying it would take a large part of each start. */
export function bind(program: Program, lookup: (name: string) => Value | undefined): LinkedProgram {
  const linkage: Linkage = {
    constants: program.constants.map((constant) => toValue(constant, lookup)),
    functions: [],
    natives: program.natives.map((name) => lookup(name) ?? missing(name)),
    types: [],
    slots: new Array<Value>(program.slots.length).fill(null),
    sources: program.sources,
  };
  bindDeclared(program, linkage);
  return { ...linkage, entry: linkage.functions[program.entry], program };
}

/** Binds the functions and types that `linkage` does not have. */
function bindDeclared({ functions, types }: Program, linkage: Linkage): void {
  for (const proto of functions.slice(linkage.functions.length)) linkage.functions.push(new Fn(proto, linkage));
  const known = linkage.types.length;
  for (const type of types.slice(known)) linkage.types.push(toType(type, linkage));
  types.slice(known).forEach((type, i) => {
    if (type.kind === 'enum') linkVariants(type, linkage.types[known + i] as EnumType, linkage);
  });
}

/** A program without parts, which `extend` binds as it grows. */
export function linkEmpty(program: Program): LinkedProgram {
  return bind(program, () => undefined);
}

/**
 * Verifies and binds what the program of `linked` has gained since it was last bound. @returns the new functions
 * @throws InvalidBytecode
 */
export function extend(linked: LinkedProgram, lookup: (name: string) => Value | undefined): Fn[] {
  const { program, constants, functions, natives, types, slots } = linked;
  const known = functions.length;
  verifyGrowth(program, { constants: constants.length, functions: known, types: types.length });
  for (const constant of program.constants.slice(constants.length)) constants.push(toValue(constant, lookup));
  for (const name of program.natives.slice(natives.length)) natives.push(lookup(name) ?? missing(name));
  while (slots.length < program.slots.length) slots.push(null);
  bindDeclared(program, linked);
  linked.entry = functions[program.entry];
  return functions.slice(known);
}

function missing(name: string): never {
  throw new InvalidBytecode(`no native function '${name}'`, 0, 'the program');
}

function toValue(constant: Constant, lookup: (name: string) => Value | undefined): Value {
  switch (constant.kind) {
    case 'float':
      return new Float(constant.value);
    case 'decimal':
      return toDecimal(constant.value, lookup('Decimal'));
    case 'regex':
      return compileRegex(constant.source, constant.flags);
    case 'names':
      return new NameList(constant.value, Shape.of(constant.value));
    default:
      return constant.value;
  }
}

function linkVariants({ members, variants }: EnumProto, type: EnumType, { types }: Linkage): void {
  members.forEach((name, i) => {
    const variant = types[variants[i]];
    if (variant instanceof RecordType) type.variants.set(name, variant);
  });
}

/** A Decimal, made by the library. */
function toDecimal(text: string, type: Value | undefined): Value {
  if (!(type instanceof HandleType) || type.make === null) return missing('Decimal');
  return type.make.impl(null, text) as Value;
}

function toType(type: TypeProto, linkage: Linkage): Value {
  // Its variants are linked below, when all types are there.
  if (type.kind === 'enum') return new EnumType(type.name, type.members, new Map());
  if (type.kind === 'interface') {
    let records = new Set<Value>();
    return new TypeValue(type.name, (value) => {
      // Programs of sessions gain records.
      if (records.size < type.records.length) records = new Set(type.records.map((record) => linkage.types[record]));
      return value instanceof RecordValue && records.has(value.type);
    });
  }
  if (type.kind === 'error') {
    const parent = typeof type.parent === 'string' ? builtinErrorType(type.parent) : linkage.types[type.parent];
    return new ErrorType(type.name, parent instanceof ErrorType ? parent : Errors.RuntimeError);
  }
  const record = new RecordType(type.name, type.fields, Shape.ofRecord(type.fields));
  record.annotations = { texts: type.types, types: linkage.types, constants: linkage.constants };
  record.make = new Closure(linkage.functions[type.ctor], []);
  if (type.methods.length > 0) addMethods(record, type.methods, linkage.functions);
  return record;
}

function addMethods(record: RecordType, methods: readonly [string, number][], functions: readonly Fn[]): void {
  const own = new Map(methods.map(([name, fn]) => [name, new Closure(functions[fn], [])]));
  record.form = own.get('to_json') ?? null;
  RecordType.haveForms ||= record.form !== null;
  own.delete('to_json');
  record.comparesFields = !own.has('==');
  RecordType.haveEquality ||= own.has('==');
  RecordType.haveTexts ||= own.has('to_s');
  record.methods = own;
}
