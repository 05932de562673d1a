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

/** Divides two numbers; large Integers in pieces. */
function divided(vm: NativeContext, what: string, n: Num, divisor: Num, make: Make): Value | undefined {
  if (typeof n === 'bigint' && isLargeInteger(n) && typeof divisor === 'bigint')
    return vm.inPieces(what, divideSteps(n, divisor, make));
  const quotient = floorDivide(n, divisor);
  return make(quotient instanceof Float ? wholeToInteger(quotient.n) : quotient, modulo(n, divisor));
}

/** The remainder with the sign of the dividend. */
function remainder(vm: NativeContext, n: Num, divisor: Num): Value | undefined {
  return divided(vm, 'remainder', n, divisor, (_, rest) => {
    const size = toDouble(rest as Num);
    return size !== 0 && toDouble(n) < 0 !== size < 0 ? subtract(rest, divisor) : rest;
  });
}

/** Methods of both Integer and Float. */
// prettier-ignore
export const divisionRows: readonly Row[] = [
  ['div', 'divisor: Number', 'Integer', 'Quotient rounded down to an Integer.', (vm: NativeContext, n: Num, divisor: Num) => divided(vm, 'div', n, divisor, (quotient) => quotient)],
  ['modulo', 'divisor: Number', 'Number', 'Remainder with the sign of the divisor, as of the operator `%`.', (vm: NativeContext, n: Num, divisor: Num) => divided(vm, 'modulo', n, divisor, (_, rest) => rest)],
  ['remainder', 'divisor: Number', 'Number', 'Remainder with the sign of the number itself.', remainder],
  ['divmod', 'divisor: Number', 'Vector', 'Quotient rounded down to an Integer, and remainder.', (vm: NativeContext, n: Num, divisor: Num) => divided(vm, 'divmod', n, divisor, (quotient, rest) => [quotient, rest])],
  ['fdiv', 'divisor: Number', 'Float', 'Quotient as a Float.', (_: unknown, n: Num, divisor: Value) => divide(n, divisor)],
];
