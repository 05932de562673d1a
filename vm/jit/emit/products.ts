import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import { INT_INT } from '../../interpreter/feedback.js';
import type { Generator } from './generator.js';
import { loadedBy } from './literals.js';
import { all, areNumbers } from './operands.js';

/** The small Integer that an instruction loads into a register other than `kept`, if it is not negative; else null. */
function loadedInteger(g: Generator, instruction: Instruction, kept: number): number | null {
  const value = loadedBy(g.fn, instruction);
  return typeof value === 'number' && value >= 0 && instruction.a !== kept ? value : null;
}

/** The rest of `(a * b + addend) % modulus` after its MUL: operands, result, and the registers between them. */
interface Reduction {
  addend: number;
  modulus: number;
  result: number;
  between: number[];
  /** Number of instructions. */
  length: number;
}

function reductionOf(g: Generator, { a: product }: Instruction): Reduction | null {
  let sum = product;
  let addend = 0;
  let length = 0;
  const between = [product];
  const [first, second] = [g.following(1), g.following(2)];
  if (first?.info.op === Op.ADDI && first.b === product && first.immediate >= 0) {
    [sum, addend, length] = [first.a, first.immediate, 1];
  } else if (first !== null && second?.info.op === Op.ADD && second.b === product && second.c === first.a) {
    const constant = loadedInteger(g, first, product);
    if (constant === null) return null;
    [sum, addend, length] = [second.a, constant, 2];
    between.push(first.a);
  }
  const [load, mod] = [g.following(length + 1), g.following(length + 2)];
  if (load === null || mod?.info.op !== Op.MOD || mod.b !== sum || mod.c !== load.a) return null;
  const modulus = loadedInteger(g, load, sum);
  between.push(sum, load.a);
  return modulus === null || modulus === 0 ? null : { addend, modulus, result: mod.a, between, length: length + 2 };
}

/**
 * Emits `(a * b + addend) % modulus` as one operation if the constants are Integers, the product has exceeded 32 bits, and
 * nothing else uses the parts: a product beyond 53 bits would otherwise be a BigInt. Returns whether it did.
 */
export function reducedProduct(g: Generator, instruction: Instruction): boolean {
  const { b, c, pc } = instruction;
  if (g.feedback(pc) !== INT_INT) return false;
  const reduction = reductionOf(g, instruction);
  if (reduction === null) return false;
  const { addend, modulus, result, between, length } = reduction;
  if (between.some((r) => r !== result && g.isLiveAfter(length, r))) return false;
  g.guard(all(areNumbers(g, b, c)));
  g.out(`r${result}=productModulo(r${b},r${c},${addend},${modulus});`);
  g.skip(length, result);
  return true;
}
