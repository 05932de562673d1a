import { charge, chargeDigits } from '../cost.js';
import { Bytes } from '../bytes.js';
import { ErrorType, Errors, ErrorValue, fail } from '../error.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from '../structured.js';
import { Closure, NativeFunction } from '../function.js';
import { Handle, HandleType } from '../handle.js';
import { Hash } from '../hash.js';
import { SetValue } from '../set.js';
import { typeName, TypeValue } from '../types.js';
import { joinIntegers } from './textbuilder.js';
import { Float, type Value } from '../value.js';
import { failTextTooLong, LONG_TEXT_THRESHOLD, MAX_STRING } from '../limits.js';

/** Maximum nesting depth for printing and comparing. */
export const MAX_DEPTH = 1000;

/**
 * Text of a double: the shortest that reads back as the same double, with a `.` or an exponent (docs/language.md,
 * numbers).
 */
export function floatText(n: number): string {
  if (Number.isNaN(n)) return 'nan';
  if (!Number.isFinite(n)) return n > 0 ? 'inf' : '-inf';
  const size = Math.abs(n);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return exponentText(n);
  const text = Object.is(n, -0) ? '-0' : String(n);
  return text.includes('.') ? text : `${text}.0`;
}

function exponentText(n: number): string {
  const [mantissa, exponent] = n.toExponential().split('e');
  const digits = exponent.slice(1).padStart(2, '0');
  return `${mantissa}e${exponent[0]}${digits}`;
}

/** Decimal digits of a large Integer. */
function integerText(n: bigint): string {
  chargeDigits(n);
  return String(n);
}

/** Text of a value for `puts`, interpolation and `to_s`. */
export function toText(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
      return integerText(value);
    case 'number':
    case 'boolean':
      return String(value);
    default:
      if (value instanceof Bytes) return value.text();
      return value === null ? '' : new Printer(false).print(value);
  }
}

/** Text of a value for `p`: strings are quoted. */
export function inspect(value: Value): string {
  return new Printer(true).print(value);
}

const PLAIN_KEY = /^[A-Za-z_]\w*[?!]?$/;

/**
 * Characters that JSON leaves as they are but that cannot be seen: control characters, spaces of no width, separators,
 * and those that change the direction of the text. JSON escapes the others.
 */
const UNSEEN = /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text in double quotes, with escapes. */
export function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll('#{', '\\#{')
    .replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Prints values: as `p` does if `quoted`, else as `puts` does. */
export class Printer {
  /** Containers being printed, to detect cycles. */
  protected readonly open = new Set<object>();

  constructor(protected readonly quoted: boolean) {}

  print(value: Value): string {
    switch (typeof value) {
      case 'string':
        if (value.length > LONG_TEXT_THRESHOLD) charge(value.length >>> 4);
        return this.quoted ? quote(value) : value;
      case 'bigint':
        return integerText(value);
      case 'number':
      case 'boolean':
        return String(value);
      default:
        return value === null ? 'nil' : this.object(value);
    }
  }

  private object(value: Value & object): string {
    if (value instanceof Float) return floatText(value.n);
    if (Array.isArray(value)) return this.nested(value, '[...]', () => `[${this.join(value)}]`);
    if (value instanceof Hash) return this.nested(value, '{...}', () => `{${this.pairs(value)}}`);
    if (value instanceof RecordValue && isPlainVariant(value.type)) return value.type.name;
    if (value instanceof RecordValue)
      return this.nested(value, `${value.type.name}(...)`, () => `${value.type.name}(${this.pairs(value.fields)})`);
    if (value instanceof SetValue) return this.nested(value, 'Set(...)', () => `Set(${this.join(value.items())})`);
    if (value instanceof ErrorValue) return this.quoted ? `${value.type.name}(${quote(value.message)})` : value.message;
    return this.simple(value);
  }

  private simple(value: Value & object): string {
    if (value instanceof Range)
      return `${this.border(value.lo)}${value.exclusive ? '...' : '..'}${this.border(value.hi)}`;
    if (value instanceof Closure)
      return value.fn.kind === 'def'
        ? `<function ${value.fn.name}>`
        : `<${value.fn.kind === 'block' ? 'block' : 'lambda'}>`;
    if (value instanceof NativeFunction) return `<function ${value.name}>`;
    if (value instanceof Regex) return `/${value.source}/${value.flags}`;
    if (value instanceof Handle) return value.describe();
    if (
      value instanceof TypeValue ||
      value instanceof RecordType ||
      value instanceof EnumType ||
      value instanceof ErrorType ||
      value instanceof HandleType
    )
      return value.name;
    return `<${typeName(value)}>`;
  }

  private border(value: Value): string {
    return value === null ? '' : this.print(value);
  }

  private nested(value: Value & object, again: string, print: () => string): string {
    if (this.open.has(value)) return again;
    this.enter(value);
    const text = print();
    this.open.delete(value);
    if (text.length > MAX_STRING) failTextTooLong();
    return text;
  }

  protected enter(value: object): void {
    if (this.open.size >= MAX_DEPTH) fail(Errors.ValueError, `value is nested deeper than ${MAX_DEPTH} levels`);
    this.open.add(value);
  }

  protected join(values: Value[]): string {
    charge(values.length * 4 + 10);
    if (values.length > 0 && values.every((value) => typeof value === 'number')) return joinIntegers(values, ', ');
    return values.map((value) => this.print(value)).join(', ');
  }

  private pairs(hash: Hash): string {
    charge(hash.size * 10 + 10);
    const parts: string[] = [];
    hash.each((key, value) => parts.push(`${this.key(key)}: ${this.print(value)}`));
    return parts.join(', ');
  }

  protected key(key: Value): string {
    if (typeof key === 'string') return this.quoted && !PLAIN_KEY.test(key) ? quote(key) : key;
    return this.print(key);
  }
}

/** Whether a type is that of a member of an enum without fields, which is a value and not called. */
export function isPlainVariant({ name, fields }: RecordType): boolean {
  return fields.length === 0 && name.includes('.');
}
