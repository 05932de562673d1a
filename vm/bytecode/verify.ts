import { InvalidBytecode, type Instruction } from './decode.js';
import { verifyFlow, type Flow } from './flow.js';
import { MAX_REGISTERS, type Constant, type FunctionProto, type Program } from './program.js';
import { Op } from './generated/op.js';
import { RegisterCheck } from './registers.js';
import { regexProblem } from './regexsyntax.js';
import { isContinuation } from './tracked.js';

/**
 * Checks a whole program, so that later stages need not:
 * - I1 jump targets, region bounds and handlers are starts of instructions
 * - I2 regions nest
 * - I3 LOOP is the only backward jump; it jumps to a LOOPHEAD from inside its region
 * - I4 all other jumps go forward, never into the middle of a region
 * - I5 a handler is a CATCH after its range, and not reached in any other way
 * - I6 control does not run past the end of the code
 * - I7 nor past the end of a loop region
 * - I8 registers hold kinds that the reading instructions accept: values of the language, except where an instruction
 *   requires a cell, an iterator and so on
 * Registers, constants, functions, natives, slots and types are within their tables.
 * @throws InvalidBytecode
 */
export function verifyProgram(program: Program): void {
  if (verified.has(program)) return;
  verifyAll(program);
  verified.add(program);
}

/** Marks a program as verified, without a check: this build has verified and written it, and nobody else could change it. */
export function trustProgram(program: Program): void {
  verified.add(program);
}

/**
 * Verified programs, which no longer change: an artefact is verified when it is read, and need not be again when it is
 * linked.
 */
const verified = new WeakSet<Program>();

/** The parts of a program that are verified. */
export interface Extent {
  constants: number;
  functions: number;
  types: number;
}

/** Checks what a program has gained since it had the parts of `known`, and its entry. @throws InvalidBytecode */
export function verifyGrowth(program: Program, known: Extent): void {
  verifyAll(program, known);
}

function verifyAll(program: Program, known: Extent = { constants: 0, functions: 0, types: 0 }): void {
  program.constants.slice(known.constants).forEach((constant, index) => {
    const problem = constantProblem(constant);
    if (problem !== '') throw new InvalidBytecode(problem, index, 'the constants');
  });
  const registers = new RegisterCheck(program, known.functions);
  for (const index of registers.order) registers.check(index, verifyFunction(program.functions[index], program));
  program.functions.slice(known.functions).forEach((fn, i) => {
    const index = known.functions + i;
    // Never runs without a closure, but listings need its structure to be valid.
    if (!registers.reaches(index)) verifyFunction(fn, program);
  });
  for (const type of program.types.slice(known.types)) verifyType(type, program);
  verifyEntry(program);
}

function verifyFunction(fn: FunctionProto, program: Program): Flow {
  verifyHeader(fn, program);
  const flow = verifyFlow(fn);
  for (const instruction of flow.instructions) verifyOperands(instruction, fn, program);
  return flow;
}

function verifyEntry(program: Program): void {
  const entry = program.functions[program.entry];
  if (entry === undefined) throw new InvalidBytecode('no such entry function', program.entry, 'the program');
  if (entry.captures !== 0)
    throw new InvalidBytecode('the entry function needs a closure', program.entry, 'the program');
  if (entry.params.length !== 0 && !isContinuation(program))
    throw new InvalidBytecode('the entry function needs arguments', program.entry, 'the program');
}

/** The text of a Decimal, with at most 1,000 digits on either side of the point. */
const DECIMAL = /^-?[0-9]{1,1000}(\.[0-9]{1,1000})?$/;

/**
 * Describes why a constant is invalid; empty if it is valid. Each Integer has one form: a number up to 2^53, a bigint
 * beyond.
 */
function constantProblem(constant: Constant): string {
  if (constant.kind === 'regex') return regexProblem(constant.source, constant.flags) ?? '';
  if (constant.kind === 'decimal')
    return DECIMAL.test(constant.value) ? '' : `Decimal ${JSON.stringify(constant.value.slice(0, 50))}`;
  if (constant.kind !== 'integer') return '';
  const { value } = constant;
  const fits = typeof value === 'number' ? Number.isSafeInteger(value) : !Number.isSafeInteger(Number(value));
  return fits ? '' : `Integer ${value}`;
}

function verifyHeader(fn: FunctionProto, program: Program): void {
  const bad = (what: string): never => {
    throw new InvalidBytecode(what, 0, fn.name);
  };
  if (!Number.isInteger(fn.registers) || fn.registers < fn.params.length || fn.registers > MAX_REGISTERS)
    bad(`${fn.registers} registers`);
  if (fn.captures < 0 || fn.captures > 0xffff) bad(`${fn.captures} captured values`);
  if (program.sources[fn.source] === undefined) bad('no such source file');
  if (fn.handlers.length % 4 !== 0 || fn.lines.length % 3 !== 0) bad('cut off tables');
}

/** Maximum nesting of a field's type: more than the compiler accepts. */
const MAX_TYPE_DEPTH = 30;

function verifyType(type: Program['types'][number], program: Program): void {
  const bad = (what: string): never => {
    throw new InvalidBytecode(what, 0, `type ${type.name}`);
  };
  if (type.kind === 'record' && program.functions[type.ctor]?.params.length !== type.fields.length)
    bad('constructor does not fit');
  if (type.kind === 'record' && program.functions[type.ctor].captures !== 0) bad('constructor needs a closure');
  if (type.kind === 'record') {
    if (type.types.length !== type.fields.length) bad('fields and their types differ');
    for (const text of type.types) if (!isFieldType(text, program)) bad(`'${text.slice(0, 20)}' is no type of a field`);
  }
  if (type.kind === 'record')
    for (const [name, index] of type.methods) {
      const fn = program.functions[index] as FunctionProto | undefined;
      if (fn?.params[0]?.kind !== 'required' || fn.captures !== 0) bad(`method '${name}' takes no record`);
    }
  if (type.kind === 'enum' && type.variants.length > 0) {
    if (type.variants.length !== type.members.length) bad('members and variants differ');
    if (type.variants.some((variant) => program.types[variant]?.kind !== 'record')) bad('a variant is no record');
  }
  if (type.kind === 'interface' && type.records.some((record) => program.types[record]?.kind !== 'record'))
    bad('holds a type that is no record');
  if (type.kind === 'error' && typeof type.parent === 'number') {
    const index = program.types.indexOf(type);
    if (type.parent >= index || program.types[type.parent]?.kind !== 'error')
      bad('parent is not an earlier error type');
  }
}

const BOUND = '-?\\d+(?:\\.\\d+)?(?:e[+-]\\d{1,3})?';
/** The constraints of a type: at most ten. */
const CONSTRAINTS = new RegExp(`\\((?:(?:,|(?<=\\())(?:/\\d+|(?:${BOUND})?\\.{2,3}(?:${BOUND})?)){1,10}\\)`, 'g');

/** Names of types that do not exist. */
const UNKNOWN = /(^|[<,|])\?\w[\w.]*/g;

/** Whether a text is a type of a field: see RecordProto. Bounds its nesting, since it is read recursively. */
function isFieldType(text: string, { types, constants }: Program): boolean {
  let depth = 0;
  for (const c of text) {
    if (c === '<' && ++depth > MAX_TYPE_DEPTH) return false;
    if (c === '>' && --depth < 0) return false;
  }
  const rest = text.replace(CONSTRAINTS, '').replace(UNKNOWN, '$1');
  if (depth !== 0 || !/^[\w#<>,|]*$/.test(rest)) return false;
  const regexes = [...text.matchAll(/\/(\d+)/g)];
  if (regexes.some(([, index]) => constants[Number(index)]?.kind !== 'regex')) return false;
  return [...rest.matchAll(/#(\w*)/g)].every(([, index]) => /^\d+$/.test(index) && types[Number(index)] !== undefined);
}

function verifyOperands(instruction: Instruction, fn: FunctionProto, program: Program): void {
  const { info, reads, writes, extras } = instruction;
  for (const register of reads)
    if (register >= fn.registers) bad(instruction, fn, `register ${register} of ${fn.registers}`);
  for (const register of writes)
    if (register >= fn.registers) bad(instruction, fn, `register ${register} of ${fn.registers}`);
  for (const letter of info.extras)
    if (!extraIsValid(letter, extras[letter], program)) bad(instruction, fn, `operand ${letter} ${extras[letter]}`);
  const problem = countProblem(instruction, fn, program);
  if (problem !== '') bad(instruction, fn, problem);
}

function bad({ info, pc }: Instruction, fn: FunctionProto, what: string): never {
  throw new InvalidBytecode(`${info.name}: ${what}`, pc, fn.name);
}

function extraIsValid(letter: string, value: number, program: Program): boolean {
  switch (letter) {
    case 'K':
      return program.constants[value] !== undefined && program.constants[value].kind !== 'names';
    case 'S':
      return program.constants[value]?.kind === 'names';
    case 'F':
      return program.functions[value] !== undefined;
    case 'N':
      return program.natives[value] !== undefined;
    case 'G':
      return program.slots[value] !== undefined;
    case 'T':
      return program.types[value] !== undefined;
    default:
      return true;
  }
}

/** Checks counts that must match another table, because the interpreter trusts them. Empty if they match. */
function countProblem(instruction: Instruction, fn: FunctionProto, program: Program): string {
  const { extras, args, info } = instruction;
  switch (info.op) {
    case Op.CALL:
      if (args.length !== program.functions[extras.F].params.length) return 'argument count';
      if (program.functions[extras.F].captures !== 0) return 'function needs a closure';
      break;
    case Op.CLOSURE:
      if (args.length !== program.functions[extras.F].captures) return 'capture count';
      break;
    case Op.CAPTURE:
      if (instruction.immediate >= fn.captures) return 'capture index';
      break;
    case Op.HASH:
      if (args.length !== namesOf(program, extras.S).length) return 'key count';
      break;
    case Op.NEWREC:
      if (!fitsRecord(program, extras.T, args.length)) return 'record fields';
      break;
    case Op.CALLN:
    case Op.CALLMN:
      if (args.length < namesOf(program, extras.S).length) return 'name count';
      break;
    case Op.APPLY:
    case Op.APPLYM:
      if (args.length !== 3) return 'argument count';
      break;
    default:
      break;
  }
  const isName = info.op !== Op.LOADK && info.extras.includes('K');
  return isName && program.constants[extras.K].kind !== 'string' ? 'name is not a string' : '';
}

function namesOf(program: Program, index: number): string[] {
  const constant = program.constants[index];
  return constant.kind === 'names' ? constant.value : [];
}

function fitsRecord(program: Program, index: number, count: number): boolean {
  const type = program.types[index];
  return type.kind === 'record' && type.fields.length === count;
}
