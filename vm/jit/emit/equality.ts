import type { Instruction } from '../../bytecode/decode.js';
import { OTHER } from '../../interpreter/feedback.js';
import { LONG_TEXT_THRESHOLD } from '../../values/limits.js';
import { Range, RecordType, Regex } from '../../values/structured.js';
import { TypeValue } from '../../values/types.js';
import type { Emitter, Generator } from './generator.js';
import { areNumbers, atOnce, ofRecordType, typeTest } from './operands.js';

/** How `===` decides about two operands: the condition under which it may, and its result. */
interface Quick {
  condition: string;
  truth: string;
}

/**
 * Comparison of `x` with a constant. Null for a long text, whose comparison is charged, and for an object. A record
 * without a `==` of its own equals no text, Boolean or nil.
 */
function withConstant(g: Generator, value: unknown, x: string): Quick | null {
  if (typeof value === 'number') return { condition: `typeof ${x}==='number'`, truth: `${x}===${value}` };
  const isShort = typeof value === 'string' && value.length <= LONG_TEXT_THRESHOLD;
  return isShort || value === null || typeof value === 'boolean'
    ? {
        condition: `typeof ${x}!=='object'||${x}===null||${x} instanceof RecordValue&&${x}.type.comparesFields`,
        truth: `${x}===${g.value(value)}`,
      }
    : null;
}

/** Comparison of two registers; `a === b` would be wrong for NaN, and long texts are charged. */
function ofRegisters(g: Generator, pc: number, a: number, b: number): Quick {
  const [x, y] = [`r${a}`, `r${b}`];
  const constant = withConstant(g, g.literals.in(b), x) ?? withConstant(g, g.literals.in(a), y);
  if (constant !== null) return constant;
  const texts =
    (g.feedback(pc) & OTHER) === 0
      ? ''
      : `||typeof ${x}==='string'&&typeof ${y}==='string'&&${x}.length<=${LONG_TEXT_THRESHOLD}`;
  return { condition: `${areNumbers(g, a, b)}${texts}`, truth: `${x}===${y}` };
}

/** Emits `then` with whether two registers are equal. */
export function same(g: Generator, pc: number, a: number, b: number, then: (truth: string) => string): void {
  const { condition, truth } = ofRegisters(g, pc, a, b);
  const otherwise = atOnce(g, pc, 'equal', `r${a}`, `r${b}`);
  if (otherwise !== null) g.out(then(`(${condition}?${truth}:${otherwise})`));
  else g.out(`if(${condition}){${then(truth)}}else{${g.operator(`equal(r${a},r${b})`, '')}${then('u')}}`);
}

export function jumpWhen(isEqual: boolean): Emitter {
  return (g, { pc, a, b, target }) => {
    const jump = g.goTo(target);
    same(g, pc, a, b, (truth) => `if(${isEqual ? truth : `!(${truth})`})${jump}`);
  };
}

/** The test of a pattern that is a type; null for other patterns. */
function ofType(g: Generator, pattern: unknown, x: string): string | null {
  if (pattern instanceof RecordType) return ofRecordType(g, pattern, x);
  return pattern instanceof TypeValue ? typeTest(pattern.name, x) : null;
}

/**
 * Whether `x` is in a range of Integers, or of short texts below the surrogates: these have the same order by UTF-16
 * units as by code points.
 */
function inRange(g: Generator, { lo, hi, exclusive }: Range, x: string): Quick {
  const isWithin = (from: string, to: string): string => `${x}>=${from}&&${x}${exclusive ? '<' : '<='}${to}`;
  return typeof lo === 'number'
    ? { condition: `typeof ${x}==='number'`, truth: isWithin(`(${lo})`, `(${hi as number})`) }
    : {
        condition: `typeof ${x}==='string'&&${x}.length<=${LONG_TEXT_THRESHOLD}`,
        truth: isWithin(g.value(lo), g.value(hi)),
      };
}

/** A short search for an expression that is a literal, in the text `x`. */
function searchOf(g: Generator, regex: Regex, x: string, search: 'occursIn' | 'placeIn'): Quick {
  const pattern = g.value(regex);
  return { condition: `typeof ${x}==='string'&&${x}.length<=${pattern}.atOnce`, truth: `${search}(${pattern},${x})` };
}

/** `A = B =~ C`. */
export function regexMatch(g: Generator, { a, b, c }: Instruction): void {
  const regex = g.literals.in(c);
  const quick = regex instanceof Regex ? searchOf(g, regex, `r${b}`, 'placeIn') : null;
  decide(g, a, quick, `regexMatch(r${b},r${c})`);
}

/** `A = matches(B, C)`, without a call if the pattern is a type, a literal, or a range of literals. */
export function matchesTest(g: Generator, { a, b, c }: Instruction): void {
  const pattern = g.literals.in(b);
  const type = ofType(g, pattern, `r${c}`);
  if (type !== null) {
    g.out(`r${a}=${type};`);
    return;
  }
  const quick =
    pattern instanceof Range
      ? inRange(g, pattern, `r${c}`)
      : pattern instanceof Regex
        ? searchOf(g, pattern, `r${c}`, 'occursIn')
        : withConstant(g, pattern, `r${c}`);
  decide(g, a, quick, `matches(r${b},r${c})`);
}

/** Stores the result of a comparison in a register, by an operator's helper where `quick` may not decide. */
function decide(g: Generator, a: number, quick: Quick | null, otherwise: string): void {
  const call = g.operator(otherwise, `r${a}=u;`);
  g.out(quick === null ? call : `if(${quick.condition})r${a}=${quick.truth};else${call}`);
}
