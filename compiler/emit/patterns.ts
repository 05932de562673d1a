import type * as Ast from '../ast.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import type { FunctionBuilder } from './builder.js';

/** Assigns register `value` to the variables of a pattern, destructuring vectors. */
export function bindPattern(b: FunctionBuilder, pattern: Ast.Pattern, value: number): void {
  if (pattern.type === 'GroupPattern')
    takeApart(
      b,
      pattern.items,
      value,
      (item) => item.type === 'RestPattern',
      (item, part) => bindPattern(b, item, part),
    );
  else {
    const symbol = b.program.resolution.symbols.get(pattern);
    if (symbol?.kind === 'variable') b.storeVariable(symbol.variable, value);
  }
}

/**
 * Destructures register `value` into `items`, one of which may be a rest, and passes each part's register to `bind`.
 */
export function takeApart<T>(
  b: FunctionBuilder,
  items: readonly T[],
  value: number,
  isRest: (item: T) => boolean,
  bind: (item: T, part: number) => void,
): void {
  const rest = items.findIndex(isRest);
  const before = rest < 0 ? items.length : rest;
  const behind = rest < 0 ? 0 : items.length - rest - 1;
  items.forEach((item, i) => {
    const mark = b.mark();
    const part = b.temp();
    if (i < before) b.encoder.emit(Op.ITEM, part, value, i);
    else if (i === rest) b.encoder.emit(Op.REST, part, value, before, [behind]);
    else b.encoder.emit(Op.ITEMEND, part, value, i - rest - 1, [before | (behind << 8)]);
    bind(item, part);
    b.release(mark);
  });
}
