import { division } from '../../../vm/values/numbers/bigsteps.js';
import { divide, floorDivide, modulo, normalize, subtract, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import type { Steps } from '../../../vm/values/steps.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { isLargeInteger } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Num, Row } from '../declare.js';
import { wholeToInteger } from './rounding.js';

/** Makes the result of a division; `quotient` is rounded down, `rest` has the sign of the divisor. */
type Make = (quotient: Value, rest: Value) => Value;

function* divideSteps(n: bigint, divisor: bigint, make: Make): Steps {
  const { quotient, rest } = yield* division(n, divisor);
  const below = rest !== 0n && rest < 0n !== divisor < 0n;
  return make(normalize(below ? quotient - 1n : quotient), normalize(below ? rest + divisor : rest));
}

/** Whether a division takes several steps. */
function isLong(n: Num, divisor: Num): boolean {
  return typeof n === 'bigint' && isLargeInteger(n) && typeof divisor === 'bigint';
}

/** Divides two numbers; large Integers in pieces. */
function divided(vm: NativeContext, what: string, n: Num, divisor: Num, make: Make): Value | undefined {
  if (isLong(n, divisor)) return vm.inPieces(what, divideSteps(n as bigint, divisor as bigint, make));
  const quotient = floorDivide(n, divisor);
  return make(quotient instanceof Float ? wholeToInteger(quotient.n) : quotient, modulo(n, divisor));
}

/** The remainder alone, for which the quotient may be out of range. */
function rest(vm: NativeContext, what: string, n: Num, divisor: Num, make: (rest: Value) => Value): Value | undefined {
  return isLong(n, divisor)
    ? vm.inPieces(
        what,
        divideSteps(n as bigint, divisor as bigint, (_, rest) => make(rest)),
      )
    : make(modulo(n, divisor));
}

/** The remainder with the sign of the dividend. */
function remainder(vm: NativeContext, n: Num, divisor: Num): Value | undefined {
  return rest(vm, 'remainder', n, divisor, (rest) => {
    const [x, y, size] = [toDouble(n), toDouble(divisor), toDouble(rest as Num)];
    if (size === 0 || x < 0 === size < 0) return rest;
    // Subtracting the divisor would round, and lose the remainder of an infinite divisor.
    return rest instanceof Float && Number.isFinite(x) ? new Float(x % y) : subtract(rest, divisor);
  });
}

/** Methods of both Integer and Float. */
// prettier-ignore
export const divisionRows: readonly Row[] = [
  ['div', 'divisor: Number', 'Integer', 'Quotient rounded down to an Integer.', (vm: NativeContext, n: Num, divisor: Num) => divided(vm, 'div', n, divisor, (quotient) => quotient)],
  ['modulo', 'divisor: Number', 'Number', 'Remainder with the sign of the divisor, as of the operator `%`.', (vm: NativeContext, n: Num, divisor: Num) => rest(vm, 'modulo', n, divisor, (value) => value)],
  ['remainder', 'divisor: Number', 'Number', 'Remainder with the sign of the number itself.', remainder],
  ['divmod', 'divisor: Number', 'Vector', 'Quotient rounded down to an Integer, and remainder.', (vm: NativeContext, n: Num, divisor: Num) => divided(vm, 'divmod', n, divisor, (quotient, rest) => [quotient, rest])],
  ['fdiv', 'divisor: Number', 'Float', 'Quotient as a Float.', (_: unknown, n: Num, divisor: Value) => divide(n, divisor)],
];
