import { seededSource } from '../natives/core/random/source.js';
import type { Host } from '../vm/host.js';
import { VirtualClock } from '../vm/watch/virtualclock.js';
import type { VM } from '../vm/vm.js';

/** Safepoints per slice under a virtual clock without a seed, where the real clock must have no influence. */
const SLICE = 1000;

/** Replaces clock and randomness for tests: `SVC_CLOCK=virtual` and `SVC_SEED=n`. */
export class Simulation {
  private readonly clock: VirtualClock | null;
  /** Random source that decides which thread runs next. */
  readonly chance: (() => number) | undefined;
  private readonly random: (() => number) | null;

  /**
   * @param seed null: threads run in the normal order
   * @param start milliseconds since 1970 at which a virtual clock starts
   */
  constructor(virtual: boolean, seed: number | null, start?: number) {
    this.clock = virtual ? new VirtualClock(start) : null;
    this.chance = seed === null ? undefined : seededSource(seed);
    // A separate source, so that the program's random numbers do not depend on the order of threads.
    this.random = seed === null ? null : seededSource(-1 - seed);
  }

  /** Safepoints per slice; 0 follows the real clock. */
  get slice(): number {
    return this.clock === null ? 0 : SLICE;
  }

  host(real: Host): Host {
    // The order of threads must not depend on how fast their output is read.
    const host = { ...(this.clock?.around(real) ?? real), backlog: undefined };
    return this.random === null ? host : { ...host, random: this.random };
  }

  drive(vm: VM): void {
    this.clock?.drive(vm);
  }
}

/** The simulation that the environment selects; undefined for none. A string is an error message. */
export function simulationOf({ SVC_CLOCK, SVC_SEED }: NodeJS.ProcessEnv): Simulation | string | undefined {
  if (SVC_CLOCK !== undefined && SVC_CLOCK !== '' && SVC_CLOCK !== 'virtual' && SVC_CLOCK !== 'real')
    return `svcc: the environment variable SVC_CLOCK must be real or virtual, got '${SVC_CLOCK}'`;
  const hasSeed = SVC_SEED !== undefined && SVC_SEED !== '';
  if (hasSeed && !/^\d{1,9}$/.test(SVC_SEED))
    return `svcc: the environment variable SVC_SEED must be a number from 0 to 999999999, got '${SVC_SEED}'`;
  const virtual = SVC_CLOCK === 'virtual';
  return virtual || hasSeed ? new Simulation(virtual, hasSeed ? Number(SVC_SEED) : null) : undefined;
}
