/**
 * Decimal text of doubles with a given number of digits, rounded from the exact value, ties to even, as in C's printf.
 */

/** Maximum decimals supported by JavaScript's own methods. */
const NATIVE_PLACES = 99;

const view = new DataView(new ArrayBuffer(8));

/** Decomposes the absolute value of a finite double into mantissa × 2 ** exponent. */
export function binaryParts(n: number): { mantissa: bigint; exponent: number } {
  view.setFloat64(0, n);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  return { mantissa: biased === 0 ? fraction : fraction | (1n << 52n), exponent: Math.max(1, biased) - 1075 };
}

/** All digits of a positive double, which is 0.digits × 10 ** point. */
function exactDigits(n: number): { digits: string; point: number } {
  const { mantissa, exponent } = binaryParts(n);
  const digits = (exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits, point: digits.length + Math.min(0, exponent) };
}

/** The first `keep` digits, rounded half to even; one digit more if the rounding carries. */
function roundDigits(digits: string, keep: number): string {
  if (keep >= digits.length) return digits.padEnd(keep, '0');
  if (keep < 0) return '';
  const kept = digits.slice(0, keep);
  const rest = digits.slice(keep);
  const half = rest[0] === '5' && /^50*$/.test(rest);
  const odd = kept !== '' && (kept.charCodeAt(keep - 1) & 1) === 1;
  if (half ? !odd : rest[0] < '5') return kept;
  return (BigInt(`0${kept}`) + 1n).toString().padStart(keep, '0');
}

/** `n` with `places` decimals, for finite n ≥ 0. */
export function fixedText(n: number, places: number): string {
  if (places > NATIVE_PLACES || n >= 1e21) return exactFixed(n, places);
  const text = n.toFixed(places);
  // In a tie the next digit is a final 5: the fraction has at most places + 1 binary digits.
  if (!Number.isInteger(n * 2 ** (places + 1))) return text;
  const longer = n.toFixed(places + 1);
  if (!longer.endsWith('5')) return text;
  const below = longer.slice(0, places === 0 ? -2 : -1);
  return (below.charCodeAt(below.length - 1) & 1) === 0 ? below : text;
}

function exactFixed(n: number, places: number): string {
  const { digits, point } = n === 0 ? { digits: '0', point: 1 } : exactDigits(n);
  const rounded = roundDigits(digits, point + places).padStart(places + 1, '0');
  const split = rounded.length - places;
  return places === 0 ? rounded : `${rounded.slice(0, split)}.${rounded.slice(split)}`;
}

/** `n` as `d.ddde+XX` with `places` decimals, for finite n ≥ 0. */
export function exponentialText(n: number, places: number): string {
  const native = places < NATIVE_PLACES && (n === 0 || !/5e/.test(n.toExponential(places + 1)));
  const [mantissa, exponent] = native ? n.toExponential(places).split('e') : exactExponential(n, places);
  const power = Number(exponent);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function exactExponential(n: number, places: number): [string, string] {
  const { digits, point } = n === 0 ? { digits: '0', point: 1 } : exactDigits(n);
  const rounded = roundDigits(digits, places + 1);
  const carried = rounded.length > places + 1 ? 1 : 0;
  const fraction = rounded.slice(1, places + 1);
  return [fraction === '' ? rounded[0] : `${rounded[0]}.${fraction}`, String(point - 1 + carried)];
}

/**
 * C's `%g`: `significant` digits, exponent form for very small and large numbers; drops trailing zeros unless `full`.
 */
export function generalText(n: number, significant: number, full: boolean): string {
  const digits = Math.max(1, significant);
  const exponential = exponentialText(n, digits - 1);
  const [mantissa, exponent] = exponential.split('e');
  const power = Number(exponent);
  if (power < -4 || power >= digits) return full ? exponential : `${dropZeros(mantissa)}e${exponent}`;
  const fixed = fixedText(n, digits - 1 - power);
  return full ? fixed : dropZeros(fixed);
}

function dropZeros(text: string): string {
  if (!text.includes('.')) return text;
  let end = text.length;
  while (text[end - 1] === '0') end--;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}
