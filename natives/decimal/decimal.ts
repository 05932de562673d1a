import { Decimal as Library } from 'decimal.js';
import { charge, sizeClass } from '../../vm/values/cost.js';
import { Errors, fail } from '../../vm/values/error.js';
import { HandleType } from '../../vm/values/handle.js';
import { normalize } from '../../vm/values/numbers/arithmetic.js';
import { Numeric, type Sign } from '../../vm/values/numbers/numeric.js';
import { fractionOf } from '../../vm/values/numbers/quotient.js';
import { Float, isInteger, type Value } from '../../vm/values/value.js';

export const DECIMAL = new HandleType('Decimal');

/** Maximum digits before the decimal point, and after it. */
export const MAX_DIGITS = 1000;
/** Significant digits of a quotient. */
const QUOTIENT_DIGITS = 28;
/** Numbers with more digits than this charge for their operations. */
const FEW_DIGITS = 100;
/** Maximum exponent of `**`; powers of longer ones have too many digits, except those of 0, 1 and -1. */
const MAX_EXPONENT = 100_000;

const FORMS = { toExpNeg: -9e15, toExpPos: 9e15, modulo: Library.ROUND_FLOOR, rounding: Library.ROUND_HALF_EVEN };
/** Computes exactly: no result within the limits has more digits. */
const Exact = Library.clone({ ...FORMS, precision: 2 * MAX_DIGITS + 10 });
/** Computes to the digits of a quotient. */
const Divided = Library.clone({ ...FORMS, precision: QUOTIENT_DIGITS });

/** Ways to round, by the name that programs use. */
export const ROUNDING: Readonly<Record<string, Library.Rounding>> = {
  'half even': Library.ROUND_HALF_EVEN,
  'half up': Library.ROUND_HALF_UP,
  'half down': Library.ROUND_HALF_DOWN,
  up: Library.ROUND_UP,
  down: Library.ROUND_DOWN,
  ceiling: Library.ROUND_CEIL,
  floor: Library.ROUND_FLOOR,
};

const TEXT = /^[-+]?[0-9]+(?:_[0-9]+)*(?:\.([0-9]+(?:_[0-9]+)*))?(?:[eE]([-+]?[0-9]{1,9}))?$/;

/** A decimal number, exact. `scale` is the number of decimals with which it is printed. */
export class DecimalValue extends Numeric {
  private constructor(
    private readonly number: Library,
    readonly scale: number,
  ) {
    super();
  }

  /** A number whose decimals are printed up to `scale` even if they are zeros. @throws OverflowError */
  private static of(number: Library, scale: number): DecimalValue {
    const decimals = number.decimalPlaces();
    if (number.e >= MAX_DIGITS || decimals > MAX_DIGITS) tooLong(decimals > MAX_DIGITS);
    return new DecimalValue(number.isZero() ? number.abs() : number, Math.min(Math.max(scale, decimals), MAX_DIGITS));
  }

  /** The number written in a text, or null if it is none. @throws OverflowError */
  static parse(text: string): DecimalValue | null {
    if (text.length > 3 * MAX_DIGITS) tooLong(false);
    const match = TEXT.exec(text);
    if (match === null) return null;
    const decimals = (match[1] ?? '').replaceAll('_', '').length - Number(match[2] ?? 0);
    return DecimalValue.of(new Exact(text.replaceAll('_', '')), decimals);
  }

  /** @throws OverflowError */
  static ofInteger(n: number | bigint): DecimalValue {
    return DecimalValue.of(libraryOf(n), 0);
  }

  get type(): HandleType {
    return DECIMAL;
  }

  /** Digits that operations process. */
  private get digits(): number {
    return Math.max(this.number.e, 0) + this.scale;
  }

  get isNegative(): boolean {
    return this.number.isNegative();
  }

  get isZero(): boolean {
    return this.number.isZero();
  }

  override describe(): string {
    if (this.digits > FEW_DIGITS) charge(this.digits);
    return this.number.toFixed(this.scale);
  }

  /** The JSON form: a number with all its digits. */
  toJsonText(): string {
    return this.describe();
  }

  operate(sign: Sign, other: Value, reversed: boolean): Value | null {
    if (!(other instanceof DecimalValue) && !isInteger(other)) return null;
    if (sign === '**') return reversed || !isInteger(other) ? null : this.power(other);
    const operand = other instanceof DecimalValue ? other : DecimalValue.ofInteger(other);
    const [a, b] = reversed ? [operand, this] : [this, operand];
    if (a.digits + b.digits > FEW_DIGITS) charge((a.digits + 1) * (b.digits + 1) * 0.03);
    switch (sign) {
      case '+':
        return DecimalValue.of(a.number.plus(b.number), Math.max(a.scale, b.scale));
      case '-':
        return DecimalValue.of(a.number.minus(b.number), Math.max(a.scale, b.scale));
      case '*':
        return a.product(b);
      default:
        if (b.isZero) fail(Errors.ZeroDivisionError, 'division by zero');
        return sign === '/' ? a.quotient(b) : sign === '//' ? a.floorDivided(b) : a.modulo(b);
    }
  }

  private product(other: DecimalValue): DecimalValue {
    const [a, b] = [this.number, other.number];
    // Only numbers within these limits are multiplied: the product is exact, and takes about a millisecond at most.
    if (a.e + b.e >= MAX_DIGITS) tooLong(false);
    if (a.decimalPlaces() + b.decimalPlaces() > MAX_DIGITS) tooLong(true);
    return DecimalValue.of(a.times(b), this.scale + other.scale);
  }

  private quotient(other: DecimalValue): DecimalValue {
    return DecimalValue.of(inDecimals(new Divided(this.number).div(other.number)), this.scale - other.scale);
  }

  private floorDivided(other: DecimalValue): DecimalValue {
    if (this.number.e - other.number.e > MAX_DIGITS) tooLong(false);
    const rest = this.number.mod(other.number);
    return DecimalValue.of(this.number.minus(rest).divToInt(other.number), 0);
  }

  private modulo(other: DecimalValue): DecimalValue {
    return DecimalValue.of(this.number.mod(other.number), Math.max(this.scale, other.scale));
  }

  /** @throws OverflowError, ZeroDivisionError */
  private power(exponent: number | bigint): DecimalValue {
    const { number } = this;
    if (this.isZero && exponent < 0) fail(Errors.ZeroDivisionError, 'division by zero');
    if (BigInt(exponent) === 0n) return DecimalValue.ofInteger(1);
    if (this.isZero || number.abs().eq(1)) {
      const isOdd = BigInt(exponent) % 2n !== 0n;
      const power = isOdd ? number : number.abs();
      return DecimalValue.of(power, this.scale === 0 ? 0 : this.scale * Math.max(Number(exponent), 0));
    }
    const times = Math.abs(Number(exponent));
    const digits = Math.abs(number.e) > 300 ? number.e : Math.log10(Math.abs(number.toNumber()));
    if (exponent < 0) return this.inversePower(times, digits);
    if (times > MAX_EXPONENT || digits * times > MAX_DIGITS + 1) tooLong(false);
    if (number.decimalPlaces() * times > MAX_DIGITS) tooLong(true);
    charge((this.digits * times) ** 2 * 0.03);
    return DecimalValue.of(number.pow(times), this.scale * times);
  }

  /** 1 / this ** times, to the digits of a quotient. @param digits the logarithm of this number @throws OverflowError */
  private inversePower(times: number, digits: number): DecimalValue {
    if (times > MAX_EXPONENT || Math.abs(digits) * times > MAX_DIGITS + 1) tooLong(digits > 0);
    charge(Math.min(this.digits * times, 2 * MAX_DIGITS) ** 2 * 0.03);
    const inverse = inDecimals(new Divided(1).div(this.number.pow(times)));
    return inverse.isZero() ? tooLong(true) : DecimalValue.of(inverse, 0);
  }

  override negated(): DecimalValue {
    return DecimalValue.of(this.number.neg(), this.scale);
  }

  abs(): DecimalValue {
    return this.isNegative ? this.negated() : this;
  }

  /** Rounds to `decimals` decimals, which may be negative; the result is printed with these. @throws OverflowError */
  rounded(decimals: number, mode: Library.Rounding): DecimalValue {
    if (decimals > MAX_DIGITS) tooLong(true);
    if (decimals >= 0) return DecimalValue.of(this.number.toDecimalPlaces(decimals, mode), decimals);
    const unit = new Exact(10).pow(Math.min(-decimals, MAX_DIGITS));
    return DecimalValue.of(this.number.div(unit).toDecimalPlaces(0, mode).times(unit), 0);
  }

  fixedText(decimals: number): string {
    return this.number.abs().toFixed(decimals, Library.ROUND_HALF_EVEN);
  }

  toInteger(): number | bigint {
    return normalize(BigInt(this.number.trunc().toFixed(0)));
  }

  toDouble(): number {
    return this.number.toNumber();
  }

  plain(): number | bigint | Float | null {
    if (this.number.isInteger()) return this.toInteger();
    const text = this.number.toFixed();
    // Decimals of a binary fraction end in 5, and there are as many as its denominator has bits.
    if (!text.endsWith('5')) return null;
    const n = Number(text);
    const [numerator, denominator] = fractionOf(n);
    const decimals = this.number.decimalPlaces();
    const coefficient = BigInt(text.replace('.', ''));
    return coefficient * denominator === numerator * 10n ** BigInt(decimals) ? new Float(n) : null;
  }

  order(other: Value): number | null {
    if (other instanceof DecimalValue) return this.number.cmp(other.number);
    if (!isInteger(other)) return null;
    // An Integer of many digits is beyond all Decimals.
    if (sizeClass(other) > 1) return other > 0 ? -1 : 1;
    return this.number.cmp(new Exact(String(other)));
  }

  override equals(other: object | number | bigint): boolean {
    if (!(other instanceof Float)) return this.order(other as Value) === 0;
    const { n } = other;
    const plain = this.plain();
    if (plain instanceof Float || plain === null) return plain?.n === n;
    return Number.isInteger(n) && BigInt(n) === BigInt(plain);
  }

  override equalityKey(): string {
    return this.number.toString();
  }
}

/** A quotient. A tiny one has fewer significant digits, rather than more decimals than a number may have. */
function inDecimals(quotient: Library): Library {
  return new Exact(quotient.decimalPlaces() > MAX_DIGITS ? quotient.toDecimalPlaces(MAX_DIGITS) : quotient);
}

function libraryOf(n: number | bigint): Library {
  if (sizeClass(n) > 1) tooLong(false);
  return new Exact(typeof n === 'number' ? n : String(n));
}

function tooLong(behind: boolean): never {
  return fail(
    Errors.OverflowError,
    behind
      ? `Decimal would have more than ${MAX_DIGITS} decimals: round it, with round(2)`
      : `Decimal would have more than ${MAX_DIGITS} digits before the decimal point`,
  );
}
