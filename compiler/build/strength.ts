import { PATTERN, type Token } from '../layout/token.js';

// Binding strengths, loosest first; see docs/language.md. The grammar handles assignments and postfix conditions.
const ASSIGN = 0;
export const PIPE = 1;
export const TERNARY = 2;
const RANGE = 14;
const POWER = 22;
/** `|` between patterns. */
const ALTERNATIVE = 10;
const STRENGTH: Record<string, number> = {
  '|>': PIPE,
  or: 3,
  and: 4,
  '||': 6,
  '&&': 7,
  in: 8,
  // In patterns only, as `^` is before a value.
  '=>': 9,
  '==': 12,
  '!=': 12,
  '=~': 12,
  '!~': 12,
  '<=>': 12,
  '<': 13,
  '<=': 13,
  '>': 13,
  '>=': 13,
  '..': RANGE,
  '...': RANGE,
  '|': 15,
  '^': 15,
  '&': 16,
  '<<': 17,
  '>>': 17,
  '+': 18,
  '-': 18,
  '*': 19,
  '/': 19,
  '//': 19,
  '%': 19,
  '**': POWER,
  // Between texts that stand side by side.
  '': 23,
};
export const PREFIX_STRENGTH: Record<string, number> = {
  not: 5,
  '!': 20,
  '-': 20,
  '+': 20,
  '~': 20,
  '^': 20,
  await: 20,
  return: 0,
  break: 0,
  next: 0,
  raise: 0,
};

/** How tightly an infix operator binds. */
export function bindingOf({ type, text, extra }: Token): number {
  if (extra === PATTERN) return ALTERNATIVE;
  return type === 'BINOP' ? STRENGTH[text] : ASSIGN;
}

/** Whether operators of this strength group from the right. */
export function isRightAssociative(binding: number): boolean {
  return binding === POWER || binding === ASSIGN;
}
