import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int } from '../declare.js';

const MASK = 0xffffffffn;

/** The generator xoshiro128**: small, fast, suitable for everything except secrets. */
class Xoshiro {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  constructor(seed: Int) {
    let state = Number(BigInt(seed) & MASK);
    // SplitMix spreads the seed over the whole state; a seed above 32 bits is mixed in 32 bits at a time.
    for (let rest = BigInt.asUintN(256, BigInt(seed)) >> 32n; rest > 0n; rest >>= 32n)
      state = scramble(state + 0x9e3779b9) ^ Number(rest & MASK);
    [this.a, this.b, this.c, this.d] = [1, 2, 3, 4].map((i) => scramble(state + Math.imul(i, 0x9e3779b9)));
    if ((this.a | this.b | this.c | this.d) === 0) this.a = 1;
  }

  private bits(): number {
    const scaled = Math.imul(this.b, 5);
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9) >>> 0;
    const shifted = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= shifted;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result;
  }

  /** Uniform in [0, 1), 53 bits. */
  next(): number {
    return ((this.bits() >>> 5) * 67108864 + (this.bits() >>> 6)) / 9007199254740992;
  }
}

/** Finalizer of MurmurHash3: each input bit changes about half of the output bits. */
function scramble(n: number): number {
  let x = n | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) | 0;
}

/** A source of uniform numbers in [0, 1), determined by `seed`. */
export function seededSource(seed: Int): () => number {
  const generator = new Xoshiro(seed);
  return () => generator.next();
}

const RANDOM = new ModuleState<() => number, NativeContext>((vm) => () => vm.host.random());

/** Makes all random numbers of a VM depend on `seed`. */
export function seedRandom(vm: NativeContext, seed: Int): void {
  RANDOM.set(vm, seededSource(seed));
}

/** The VM's random numbers: uniform in [0, 1), seeded or from the host. */
export function randomOf(vm: NativeContext): () => number {
  return RANDOM.of(vm);
}
