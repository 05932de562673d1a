/**
 * Row 58 of the threats: does the time of a comparison tell anything about the secret? After dudect: two classes of inputs in random order,
 * Welch's t-test of their times; |t| above 4.5 means that they differ. A busy machine gives such a t now and then, to either side, even
 * between equal inputs; a leak gives it to the same side each time, so the median of several rounds counts. Run by hand, a minute long:
 *
 *     npx tsx test/natives/auth/timing.ts
 */
import { pathToFileURL } from 'node:url';
import { isSignature, sameSecret } from '../../../natives/io/secrets.js';

/** A comparison and its two classes of inputs. */
export interface Subject {
  name: string;
  inputs: readonly [string, string];
  run: (input: string, kind: 0 | 1) => void;
}

const MEASUREMENTS = 1_000_000;
const ROUNDS = 5;
/** The slowest tenth belongs to the machine's other work. */
const KEPT = 0.9;
/** Above it dudect takes times for different. */
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
export function measure({ inputs, run }: Subject, count: number): number {
  const times: [number[], number[]] = [[], []];
  const bytes = inputs.map((text) => Buffer.from(text));
  for (let i = 0; i < count; i++) {
    const kind = Math.random() < 0.5 ? 0 : 1;
    // A new string each time: V8 keeps what it has learned of one, and pieces of others are slower.
    const input = bytes[kind].toString('latin1');
    const startedAt = process.hrtime.bigint();
    run(input, kind);
    times[kind].push(Number(process.hrtime.bigint() - startedAt));
  }
  const limit = [...times[0], ...times[1]].sort((a, b) => a - b)[Math.floor(count * KEPT) - 1];
  return welch(...(times.map((sample) => sample.filter((time) => time <= limit)) as [number[], number[]]));
}

const SECRET = 'correct horse battery stapl';
const DIGEST = Buffer.alloc(32, 0x5a);
const RIGHT = DIGEST.toString('hex');

const SUBJECTS: readonly Subject[] = [
  { name: 'wrong at the start or at the end', inputs: [`x${SECRET.slice(1)}`, `${SECRET.slice(0, -1)}x`], run: (input) => sameSecret(input, SECRET) },
  { name: 'right or wrong', inputs: [SECRET, `x${SECRET.slice(1)}`], run: (input) => sameSecret(input, SECRET) },
  { name: 'expected as long as given or shorter', inputs: ['0123456789', '0123456789'], run: (input, kind) => sameSecret(input, kind === 0 ? 'abcdefghij' : 'abcde') },
  { name: 'signature wrong at the start or at the end', inputs: [`6${RIGHT.slice(1)}`, `${RIGHT.slice(0, -1)}b`], run: (input) => isSignature(input, DIGEST) },
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const subject of SUBJECTS) {
    measure(subject, MEASUREMENTS / 10);
    const t = Array.from({ length: ROUNDS }, () => measure(subject, MEASUREMENTS / ROUNDS)).sort((a, b) => a - b)[ROUNDS >> 1];
    console.log(`${Math.abs(t) < THRESHOLD ? 'same time' : 'DIFFERENT'}  t = ${t.toFixed(2)}  ${subject.name}`);
    if (Math.abs(t) >= THRESHOLD) process.exitCode = 1;
  }
}
