import { Op } from '../../../vm/bytecode/generated/op.js';
import type { FunctionProto, Program } from '../../../vm/bytecode/program.js';

/** One instruction: opcode and operand bytes, then its extra words. */
export function op(code: Op, a = 0, b = 0, c = 0, ...extra: number[]): number[] {
  return [code | (a << 8) | ((b & 255) << 16) | ((c & 255) << 24) | 0, ...extra];
}

/** Argument registers, four to a word. */
export function args(...registers: number[]): number[] {
  const words: number[] = [];
  registers.forEach((register, i) => {
    if (i % 4 === 0) words.push(0);
    words[words.length - 1] |= register << ((i % 4) * 8);
  });
  return words;
}

export const NIL_RETURN = [...op(Op.LOADNIL), ...op(Op.RETURN)];

export interface Parts extends Partial<Omit<FunctionProto, 'code' | 'handlers' | 'lines' | 'params'>> {
  code?: number[][];
  handlers?: number[][];
  lines?: number[];
  params?: string[];
}

/** A function with 4 registers that returns nil, except for what `parts` says. */
export function fn({
  code = [NIL_RETURN],
  handlers = [],
  lines = [0, 1, 1],
  params = [],
  ...rest
}: Parts = {}): FunctionProto {
  return {
    name: 'f',
    kind: 'def',
    source: 0,
    registers: 4,
    captures: 0,
    doc: '',
    ...rest,
    params: params.map((name) => ({ name, kind: 'required', defaultText: '' })),
    code: Int32Array.from(code.flat()),
    handlers: Int32Array.from(handlers.flat()),
    lines: Int32Array.from(lines),
  };
}

/** A program of these functions; the first one is the entry. */
export function program(functions: FunctionProto[], rest: Partial<Program> = {}): Program {
  return {
    sources: [{ path: 't.svc', text: null }],
    constants: [],
    functions,
    natives: [],
    types: [],
    slots: [],
    entry: 0,
    ...rest,
  };
}
