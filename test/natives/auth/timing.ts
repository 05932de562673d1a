/**
 * Tests whether the time of a comparison depends on the secret, after dudect: times two classes of inputs in random
 * order and compares them with Welch's t-test. |t| above 4.5 means that they differ. On a busy machine equal inputs
 * sometimes have such a t, of either sign. A leak always has the same sign, so the median of several rounds is compared.
 * Takes a minute:
 *
 *     npx tsx test/natives/auth/timing.ts
 */
import { pathToFileURL } from 'node:url';
import { isSignature, sameSecret } from '../../../natives/io/secrets.js';

/** Compares a client's value with one of two secrets. */
export interface Subject {
  name: string;
  given: string;
  secrets: readonly [string, string];
  compare: (given: string, secret: string) => boolean;
}

const MEASUREMENTS = 1_000_000;
const ROUNDS = 5;
/** Share of samples that count: the slowest are due to other work of the machine. */
const KEPT = 0.9;
/** Above this, times differ, as in dudect. */
export const THRESHOLD = 4.5;

/** Welch's t of two samples. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [a, b].map((sample) => {
    const mean = sample.reduce((sum, n) => sum + n, 0) / sample.length;
    return { mean, error: sample.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (sample.length - 1) / sample.length };
  });
  return (x.mean - y.mean) / Math.sqrt(x.error + y.error);
}

/** Times both classes in random order and compares them. */
export function measure({ given, secrets, compare }: Subject, count: number): number {
  const times: [number[], number[]] = [[], []];
  const [input, ...expected] = [given, ...secrets].map((text) => Buffer.from(text));
  for (let i = 0; i < count; i++) {
    const kind = Math.random() < 0.5 ? 0 : 1;
    // New strings each time: V8 caches properties of a string, and slices of other strings are slower.
    const [a, b] = [input.toString('latin1'), expected[kind].toString('latin1')];
    const startedAt = process.hrtime.bigint();
    compare(a, b);
    times[kind].push(Number(process.hrtime.bigint() - startedAt));
  }
  const limit = [...times[0], ...times[1]].sort((a, b) => a - b)[Math.floor(count * KEPT) - 1];
  return welch(...(times.map((sample) => sample.filter((time) => time <= limit)) as [number[], number[]]));
}

const TEXT = 'correct horse battery stapl';
const HEX = 'a5'.repeat(32);
const startOrEnd = (text: string): [string, string] => [`b${text.slice(1)}`, `${text.slice(0, -1)}b`];
const ofHex = (given: string, secret: string): boolean => isSignature(given, Buffer.from(secret, 'hex'));

// prettier-ignore
const SUBJECTS: readonly Subject[] = [
  { name: 'wrong at the start or at the end', given: TEXT, secrets: startOrEnd(TEXT), compare: sameSecret },
  { name: 'right or wrong', given: TEXT, secrets: [TEXT, startOrEnd(TEXT)[0]], compare: sameSecret },
  { name: 'as long as the secret or longer', given: '0123456789', secrets: ['abcdefghij', 'abcde'], compare: sameSecret },
  { name: 'signature wrong at the start or at the end', given: HEX, secrets: startOrEnd(HEX), compare: ofHex },
  { name: 'signature right or wrong', given: HEX, secrets: [HEX, startOrEnd(HEX)[0]], compare: ofHex },
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const subject of SUBJECTS) {
    measure(subject, MEASUREMENTS / 10);
    const t = Array.from({ length: ROUNDS }, () => measure(subject, MEASUREMENTS / ROUNDS)).sort((a, b) => a - b)[
      ROUNDS >> 1
    ];
    console.log(`${Math.abs(t) < THRESHOLD ? 'same time' : 'DIFFERENT'}  t = ${t.toFixed(2)}  ${subject.name}`);
    if (Math.abs(t) >= THRESHOLD) process.exitCode = 1;
  }
}
