/** Constraints of types: `String(1..200)`, `Int(1..5)`, `String(/\A\w+\z/)`. */
import { compareExact, exactNumber } from '../vm/bytecode/exactnumbers.js';

// Every literal of a number: hexadecimal, binary and octal Integers, Floats with an exponent, Decimals.
const NUMBER =
  '-?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?:\\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+|d)?)';
const RANGE = `(?:${NUMBER}[ \\t]*\\.\\.\\.?(?:[ \\t]*${NUMBER})?|\\.\\.\\.?[ \\t]*${NUMBER})`;
// As in the lexer: no newline, no interpolation; a slash may stand in a class.
const REGEX =
  '\\/(?:[^/\\\\\\n[#]|\\\\[^\\n]|#(?!\\{)|\\[(?:[^\\]\\\\\\n#]|\\\\[^\\n]|#(?!\\{)){0,100}\\]){1,1000}\\/[imsx]*';
const ITEM = `[ \\t]*(?:${RANGE}|${REGEX})[ \\t]*`;
const CONSTRAINTS = new RegExp(`\\(${ITEM}(?:,${ITEM}){0,9}\\)`, 'y');
const EVERY_ITEM = new RegExp(`${RANGE}|${REGEX}`, 'g');

/** End of the constraints whose `(` is at `at`; −1 if these are none. */
export function constraintsEnd(text: string, at: number): number {
  CONSTRAINTS.lastIndex = at;
  return CONSTRAINTS.test(text) ? CONSTRAINTS.lastIndex : -1;
}

/** An annotation without its constraints. */
export function withoutConstraints(annotation: string): string {
  if (!annotation.includes('(')) return annotation;
  let out = '';
  for (let i = 0; i < annotation.length; i++) {
    const end = annotation[i] === '(' ? constraintsEnd(annotation, i) : -1;
    if (end >= 0) i = end - 1;
    else out += annotation[i];
  }
  return out;
}

/** A bound is empty if there is none. */
export type Constraint =
  { kind: 'range'; lo: string; hi: string; exclusive: boolean } | { kind: 'regex'; source: string; flags: string };

/** The constraints at the end of a part of an annotation. */
export function constraintsOf(part: string): Constraint[] {
  const open = part.indexOf('(');
  if (open < 0) return [];
  return [...part.slice(open).matchAll(EVERY_ITEM)].map(([item]): Constraint => {
    if (item.startsWith('/')) {
      const end = item.lastIndexOf('/');
      return { kind: 'regex', source: anchored(item.slice(1, end)), flags: item.slice(end + 1) };
    }
    const [, lo, dots, hi] = /^(.*?)(\.\.\.?)(?=[^.]|$)(.*)$/.exec(item.replace(/[\s_]/g, '')) as RegExpExecArray;
    return { kind: 'range', lo, hi, exclusive: dots.length === 3 };
  });
}

/**
 * The source of an expression in which `^` and `$` stand for the start and the end of the text, not of a line, as in
 * JSON Schema: a line that fits does not make a text valid.
 */
function anchored(source: string): string {
  let out = '';
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (c === '\\') out += c + (source[++i] ?? '');
    else {
      if (c === '[') depth++;
      else if (c === ']' && depth > 0) depth--;
      out += depth === 0 && c === '^' ? '\\A' : depth === 0 && c === '$' ? '\\z' : c;
    }
  }
  return out;
}

/** A bound in the digits that programs hold; `text` is its literal. One with an exponent is a Float, and as exact. */
export function boundText(text: string): string {
  const [, sign, size] = /^(-?)(.*)$/.exec(text) as RegExpExecArray;
  if (/^0[xbo]/i.test(size)) return sign + String(BigInt(size));
  return sign + (/e/i.test(size) ? Number(size).toExponential() : size.replace(/d$/, ''));
}

/** What the range of a constraint limits, by type. */
const LIMITS: Record<string, 'length' | 'integer' | 'number'> = {
  String: 'length',
  Vector: 'length',
  Hash: 'length',
  Set: 'length',
  Integer: 'integer',
  Float: 'number',
  Number: 'number',
  Decimal: 'number',
};

/** Why a type cannot have these constraints; null if it can. */
export function constraintProblem(type: string, constraints: readonly Constraint[]): string | null {
  const limits = LIMITS[type] as (typeof LIMITS)[string] | undefined;
  for (const one of constraints) {
    if (limits === undefined) return `${type} has no constraints`;
    if (one.kind === 'regex') {
      if (type !== 'String') return `a regex limits a String, not ${type}`;
      continue;
    }
    const bounds = [one.lo, one.hi].filter((bound) => bound !== '');
    if (limits !== 'number' && bounds.some((bound) => !/^-?(?:[0-9]+|0[xbo].*)$/i.test(bound)))
      return `${type} is limited by Integers`;
    if (limits === 'length' && bounds.some((bound) => bound.startsWith('-'))) return 'a length is not negative';
    const texts = bounds.map(boundText);
    if (!texts.every((text) => Number.isFinite(Number(text)))) return 'a bound is too large';
    if (texts.length < 2) continue;
    const [lo, hi] = texts.map(exactNumber);
    if (compareExact(lo, hi) > (one.exclusive ? -1 : 0)) return 'the range is empty';
  }
  return null;
}
