/** Numbers as they are written in decimal digits, without rounding them to doubles. */

/** `digits` / 10 ** `decimals`. */
export interface ExactNumber {
  digits: bigint;
  decimals: number;
}

/** The number in a text such as `-12`, `0.50` or `1.5e+300`. */
export function exactNumber(text: string): ExactNumber {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d*)(?:\.(\d*))?(?:e(.*))?$/.exec(text) as string[];
  const digits = BigInt(sign + (whole === '' ? '0' : whole) + fraction);
  const decimals = fraction.length - Number(exponent);
  return decimals < 0 ? { digits: digits * 10n ** BigInt(-decimals), decimals: 0 } : { digits, decimals };
}

/** Less than, equal to or greater than 0, as `a` is less than, equal to or greater than `b`. */
export function compareExact(a: ExactNumber, b: ExactNumber): number {
  const decimals = Math.max(a.decimals, b.decimals);
  const [x, y] = [a, b].map((one) => one.digits * 10n ** BigInt(decimals - one.decimals));
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The Integer below a number, or the number itself if it is one. */
export function exactFloor({ digits, decimals }: ExactNumber): bigint {
  const unit = 10n ** BigInt(decimals);
  const quotient = digits / unit;
  return digits < 0n && quotient * unit !== digits ? quotient - 1n : quotient;
}

/** All digits of a number, without zeros at the end of its fraction. */
export function exactText({ digits, decimals }: ExactNumber): string {
  const text = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0');
  const at = text.length - decimals;
  const fraction = text.slice(at).replace(/0+$/, '');
  return (digits < 0n ? '-' : '') + text.slice(0, at) + (fraction === '' ? '' : `.${fraction}`);
}
