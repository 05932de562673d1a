import type * as Ast from '../ast.js';
import { regexProblem } from '../../vm/bytecode/regexsyntax.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import type { Emitters, FunctionBuilder } from './builder.js';

/** Maximum number of values evaluated into registers at once; longer literals are built in parts. */
const CHUNK = 24;

export function emitInt(b: FunctionBuilder, value: number | bigint, dest: number): void {
  if (typeof value === 'number' && value >= -32768 && value <= 32767) b.encoder.emit16(Op.LOADI, dest, value);
  else b.encoder.emitWord(Op.LOADK, dest, b.program.constant({ kind: 'integer', value }));
}

/** The program names `Decimal`, so that its part of the library is loaded before the constants are made. */
function emitDecimal(b: FunctionBuilder, value: string, dest: number): void {
  b.program.native('Decimal');
  b.encoder.emitWord(Op.LOADK, dest, b.program.constant({ kind: 'decimal', value }));
}

/** @param convert called with the registers of the parts of a chunk, before they are joined */
function emitInterp(
  b: FunctionBuilder,
  parts: readonly Ast.Expr[],
  dest: number,
  convert = (_chunk: readonly Ast.Expr[], registers: number[]): number[] => registers,
): void {
  const mark = b.mark();
  const text = parts.length > CHUNK ? b.scratch(dest) : dest;
  for (let start = 0; start < parts.length || start === 0; start += CHUNK) {
    const chunk = parts.slice(start, start + CHUNK);
    const registers = convert(chunk, operands(b, chunk));
    if (start > 0) registers.unshift(text);
    b.encoder.emitList(Op.CONCAT, text, registers);
  }
  b.move(dest, text);
  b.release(mark);
}

/** Registers with the values of several expressions, in order. Evaluating one never changes an earlier one. */
function operands(b: FunctionBuilder, nodes: readonly Ast.Expr[]): number[] {
  return nodes.map((node, i) => b.stableOperand(node, nodes.slice(i + 1)));
}

function emitVector(b: FunctionBuilder, items: readonly (Ast.Expr | Ast.Splat)[], dest: number): void {
  const first = items.findIndex((item, i) => item.type === 'Splat' || i === CHUNK);
  const head = (first < 0 ? items : items.slice(0, first)) as Ast.Expr[];
  if (first < 0) {
    const mark = b.mark();
    const registers = operands(b, head);
    b.encoder.emitList(Op.VECTOR, dest, registers);
    b.release(mark);
    return;
  }
  const mark = b.mark();
  const vector = b.scratch(dest);
  const inner = b.mark();
  const registers = operands(b, head);
  b.encoder.emitList(Op.VECTOR, vector, registers);
  b.release(inner);
  for (const item of items.slice(first)) {
    const value = b.operand(item.type === 'Splat' ? item.value : item);
    b.encoder.emit(item.type === 'Splat' ? Op.VEXTEND : Op.VPUSH, vector, value);
    b.release(inner);
  }
  b.move(dest, vector);
  b.release(mark);
}

function emitHash(b: FunctionBuilder, entries: readonly (Ast.Pair | Ast.Splat)[], dest: number): void {
  const first = entries.findIndex((entry, i) => entry.type === 'Splat' || entry.key.type !== 'Str' || i === CHUNK);
  const head = (first < 0 ? entries : entries.slice(0, first)) as Ast.Pair[];
  const mark = b.mark();
  const hash = first < 0 ? dest : b.scratch(dest);
  const inner = b.mark();
  const registers = operands(
    b,
    head.map((pair) => pair.value),
  );
  b.encoder.emitList(Op.HASH, hash, registers, [b.program.nameList(head.map((pair) => (pair.key as Ast.Str).value))]);
  b.release(inner);
  for (const entry of first < 0 ? [] : entries.slice(first)) {
    if (entry.type === 'Splat') b.encoder.emit(Op.HMERGE, hash, b.operand(entry.value));
    else {
      const key = b.stableOperand(entry.key, [entry.value]);
      b.encoder.emit(Op.SETINDEX, hash, key, b.operand(entry.value));
    }
    b.release(inner);
  }
  b.move(dest, hash);
  b.release(mark);
}

function emitRegex(b: FunctionBuilder, node: Ast.Regex, dest: number): void {
  const [only] = node.parts;
  if (node.parts.length === 0 || (node.parts.length === 1 && only.type === 'Str')) {
    const source = only?.type === 'Str' ? only.value : '';
    const problem = regexProblem(source, node.flags);
    if (problem === null)
      b.encoder.emitWord(Op.LOADK, dest, b.program.constant({ kind: 'regex', source, flags: node.flags }));
    else b.program.error('bad-regex', b.scope.module, node, problem);
    return;
  }
  const flags = b.temp();
  b.encoder.emitWord(Op.LOADK, flags, b.program.string(node.flags));
  const source = b.temp();
  emitInterp(b, node.parts, source, (chunk, registers) =>
    registers.map((register, i) => {
      if (chunk[i].type === 'Str') return register;
      const part = b.temp();
      b.encoder.emitList(Op.NATIVE, part, [register, flags], [b.program.native('%regex_part')]);
      return part;
    }),
  );
  b.encoder.emitList(Op.NATIVE, dest, [source, flags], [b.program.native('%regex')]);
}

function emitRange(b: FunctionBuilder, node: Ast.RangeLit, dest: number): void {
  const lo = b.stableOperand(node.lo, node.hi === null ? [] : [node.hi]);
  let hi: number;
  if (node.hi === null) {
    hi = b.temp();
    b.encoder.emit(Op.LOADNIL, hi);
  } else hi = b.operand(node.hi);
  b.at(node.start);
  b.encoder.emit(node.exclusive ? Op.RANGEX : Op.RANGE, dest, lo, hi);
}

/** Literals whose value is not used are still evaluated, because their parts may have effects. */
// prettier-ignore
export const literalEmitters: Pick<Emitters, 'Nil' | 'Bool' | 'Int' | 'Float' | 'Decimal' | 'Str' | 'Interp' | 'Regex' | 'Vector' | 'Hash' | 'Range'> = {
  Nil: (b, _node, dest) => b.encoder.emit(Op.LOADNIL, b.target(dest)),
  Bool: (b, node, dest) => b.encoder.emit(node.value ? Op.LOADTRUE : Op.LOADFALSE, b.target(dest)),
  Int: (b, node, dest) => emitInt(b, node.value, b.target(dest)),
  Float: (b, node, dest) => b.encoder.emitWord(Op.LOADK, b.target(dest), b.program.constant({ kind: 'float', value: node.value })),
  Decimal: (b, node, dest) => emitDecimal(b, node.value, b.target(dest)),
  Str: (b, node, dest) => b.encoder.emitWord(Op.LOADK, b.target(dest), b.program.string(node.value)),
  Interp: (b, node, dest) => emitInterp(b, node.parts, b.target(dest)),
  Regex: (b, node, dest) => emitRegex(b, node, b.target(dest)),
  Vector: (b, node, dest) => emitVector(b, node.items, b.target(dest)),
  Hash: (b, node, dest) => emitHash(b, node.entries, b.target(dest)),
  Range: (b, node, dest) => emitRange(b, node, b.target(dest)),
};
