import { seededSource } from '../natives/core/random/source.js';
import type { Host } from '../vm/host.js';
import { VirtualClock } from '../vm/watch/virtualclock.js';
import type { VM } from '../vm/vm.js';

/** Safepoints of a slice under a virtual clock without a seed: the real clock may not decide. */
const SLICE = 1000;

/** What replaces clock and chance for tests: `SVC_CLOCK=virtual` and `SVC_SEED=n`. */
export class Simulation {
  private readonly clock: VirtualClock | null;
  /** Decides which thread runs next. */
  readonly chance: (() => number) | undefined;
  private readonly random: (() => number) | null;

  /** @param seed null: threads run in the usual order */
  constructor(virtual: boolean, seed: number | null) {
    this.clock = virtual ? new VirtualClock() : null;
    this.chance = seed === null ? undefined : seededSource(seed);
    // A second source, so that what a program draws does not depend on the threads that run.
    this.random = seed === null ? null : seededSource(-1 - seed);
  }

  /** Safepoints of each slice, or 0 to follow the real clock. */
  get slice(): number {
    return this.clock === null ? 0 : SLICE;
  }

  host(real: Host): Host {
    const host = this.clock?.around(real) ?? real;
    return this.random === null ? host : { ...host, random: this.random };
  }

  drive(vm: VM): void {
    this.clock?.drive(vm);
  }
}

/** The simulation that the environment asks for; undefined for none, a text says what is wrong. */
export function simulationOf({ SVC_CLOCK, SVC_SEED }: NodeJS.ProcessEnv): Simulation | string | undefined {
  if (SVC_CLOCK !== undefined && SVC_CLOCK !== '' && SVC_CLOCK !== 'virtual' && SVC_CLOCK !== 'real')
    return `svcc: the environment variable SVC_CLOCK must be real or virtual, got '${SVC_CLOCK}'`;
  const hasSeed = SVC_SEED !== undefined && SVC_SEED !== '';
  if (hasSeed && !/^\d{1,9}$/.test(SVC_SEED))
    return `svcc: the environment variable SVC_SEED must be a number from 0 to 999999999, got '${SVC_SEED}'`;
  const virtual = SVC_CLOCK === 'virtual';
  return virtual || hasSeed ? new Simulation(virtual, hasSeed ? Number(SVC_SEED) : null) : undefined;
}
