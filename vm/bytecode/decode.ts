import { OPCODE_BY_NUMBER, type OpcodeInfo } from './opcodes.js';

/** Thrown if bytecode is invalid; the message says what is wrong and where. */
export class InvalidBytecode extends Error {
  constructor(what: string, pc: number, where: string) {
    super(`${what} at address ${pc} of ${where}`);
    this.name = 'InvalidBytecode';
  }
}

/** One decoded instruction. */
export interface Instruction {
  pc: number;
  info: OpcodeInfo;
  /** Length in words. */
  length: number;
  a: number;
  b: number;
  c: number;
  /** Value of an `i`, `u`, `I` or `U` operand. */
  immediate: number;
  /** Extra words by their letter in `OpcodeInfo.extras`. */
  extras: Record<string, number>;
  /** Target of a jump, or −1. */
  target: number;
  /** Argument registers. */
  args: number[];
  reads: number[];
  writes: number[];
}

/** Decodes the instruction at `pc`. @throws InvalidBytecode for an unknown opcode or one that is cut off. */
export function decode(code: Int32Array, pc: number, where: string): Instruction {
  const word = code[pc];
  const info = OPCODE_BY_NUMBER[word & 255];
  if (info === undefined) throw new InvalidBytecode(`unknown opcode ${word & 255}`, pc, where);
  const instruction: Instruction = {
    pc,
    info,
    length: 1,
    a: (word >>> 8) & 255,
    b: (word >>> 16) & 255,
    c: word >>> 24,
    immediate: 0,
    extras: {},
    target: -1,
    args: [],
    reads: [],
    writes: [],
  };
  readOperands(instruction, word);
  readExtras(instruction, code);
  if (pc + instruction.length > code.length) throw new InvalidBytecode(`${info.name} is cut off`, pc, where);
  return instruction;
}

function readOperands(instruction: Instruction, word: number): void {
  const { roles } = instruction.info;
  const bytes = [instruction.a, instruction.b, instruction.c];
  for (let i = 0; i < 3; i++) {
    const role = roles[i];
    if (role === 's') instruction.reads.push(bytes[i]);
    else if (role === 'd') instruction.writes.push(bytes[i]);
    else if (role === 'i') instruction.immediate = (bytes[i] << 24) >> 24;
    else if (role === 'u') instruction.immediate = bytes[i];
    else if (role === 'I') instruction.immediate = word >> 16;
    else if (role === 'U') instruction.immediate = word >>> 16;
  }
}

function readExtras(instruction: Instruction, code: Int32Array): void {
  for (const extra of instruction.info.extras) {
    const at = instruction.pc + instruction.length;
    if (extra === '*') {
      for (let i = 0; i < instruction.c; i++) instruction.args.push((code[at + (i >> 2)] >>> ((i & 3) * 8)) & 255);
      instruction.length += (instruction.c + 3) >> 2;
      instruction.reads.push(...instruction.args);
      continue;
    }
    const value = code[at];
    instruction.extras[extra] = value;
    if (extra === 'J') instruction.target = value;
    else if (extra === 'X') {
      instruction.writes.push(value & 0xffff);
      instruction.reads.push(value >>> 16);
    }
    instruction.length++;
  }
}

/** All instructions of a function in order. @throws InvalidBytecode */
export function decodeAll(code: Int32Array, where: string): Instruction[] {
  const list: Instruction[] = [];
  for (let pc = 0; pc < code.length;) {
    const instruction = decode(code, pc, where);
    list.push(instruction);
    pc += instruction.length;
  }
  return list;
}
