import { ModuleState } from '../../vm/calls/modulestate.js';
import { Errors, fail, Signal, SvcError } from '../../vm/values/error.js';
import { toText } from '../../vm/values/text/text.js';
import { Float } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Int, Num } from '../core/declare.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import type { KeyStore } from '../keystore/keystore.js';
import { sha256 } from '../io/secrets.js';
import { within } from '../within.js';
import { refusalTo } from '../web/response/refusals.js';
import type { Response } from '../web/response/response.js';

/** Maximum keys counted at once. Above that, the key whose window began first is forgotten. */
export const MAX_KEYS = 50_000;
/** Maximum window in seconds: 24 days. */
const MAX_WINDOW = 2_147_483;

/** A limit as given by a program. */
interface Limit {
  key: string | Int;
  max: number;
  /** In seconds. */
  window: number;
}

/** The arguments of both natives. */
type Given = [key: string | Int, max: Int, window: Num | DurationValue, store: KeyStore | null];

/** Name of a counter. A digest has the same length for any key. It includes the limit: others have their own counters. */
function nameOf({ key, max, window }: Limit): string {
  return sha256(`${max} ${window} ${key}`).toString('base64');
}

/** The calls of a key in its window. */
interface Counter {
  calls: number;
  /** When the window ends, in the host's milliseconds: they do not depend on the time of day. */
  readonly end: number;
}

/** The counters of one VM. */
class Counters {
  /** By name; the window that began first comes first. */
  private readonly byName = new Map<string, Counter>();

  constructor(private readonly vm: NativeContext) {}

  /** Counts a call. Returns 0 if it is allowed, otherwise the milliseconds until calls are allowed again. */
  take(limit: Limit): number {
    const name = nameOf(limit);
    const now = this.vm.host.now();
    const known = this.byName.get(name);
    const counter = known !== undefined && known.end > now ? known : this.begin(name, now, limit.window);
    counter.calls++;
    return counter.calls <= limit.max ? 0 : Math.max(1, counter.end - now);
  }

  private begin(name: string, now: number, window: number): Counter {
    const counter: Counter = { calls: 0, end: now + window * 1000 };
    this.byName.delete(name);
    this.byName.set(name, counter);
    for (const [oldest, { end }] of this.byName) {
      if (end > now && this.byName.size <= MAX_KEYS) break;
      this.byName.delete(oldest);
    }
    return counter;
  }
}

/** Milliseconds that a store may take to count a call, and for which it is left alone after it has failed. */
const STORE_MS = 1000;
const OUTAGE_MS = 1000;

/** A store that could not count. */
interface Outage {
  /** When it is asked again, in the host's milliseconds. */
  until: number;
}

/** Counts in a key store; while that is gone, in memory, so that no call is refused because of it. */
class SharedCounters {
  private readonly outages = new WeakMap<KeyStore, Outage>();

  constructor(
    private readonly vm: NativeContext,
    private readonly counters: Counters,
  ) {}

  /** As `Counters.take`. Rejects with SvcError for a store that the program has closed. */
  async take(limit: Limit, store: KeyStore): Promise<number> {
    const outage = this.outages.get(store);
    const now = this.vm.host.now();
    const isGone = outage !== undefined && now < outage.until;
    // One call finds out whether it is back, while the others do not wait.
    if (outage !== undefined && !isGone) outage.until = now + OUTAGE_MS;
    return (isGone ? null : await this.counted(limit, store)) ?? this.counters.take(limit);
  }

  /** As `take`; null if the store is gone. */
  private async counted(limit: Limit, store: KeyStore): Promise<number | null> {
    const ms = limit.window * 1000;
    try {
      const counted = await within(STORE_MS, store.count(`svc_rate:${nameOf(limit)}`, ms), () => null);
      if (counted === null) return this.gone(store, 'does not answer');
      this.outages.delete(store);
      return Number(counted.text) <= limit.max ? 0 : Math.max(1, Math.min(counted.left ?? ms, ms));
    } catch (error) {
      if (!(error instanceof SvcError) || !error.value.type.is(Errors.IOError)) throw error;
      return this.gone(store, error.value.message);
    }
  }

  /** Leaves a store alone for a while, and warns once until it counts again. */
  private gone(store: KeyStore, reason: string): null {
    if (!this.outages.has(store))
      this.vm.host.stderr(
        `warning: rate limits are counted in this process alone until the key store ${store.label} works again: ${reason}\n`,
      );
    this.outages.set(store, { until: this.vm.host.now() + OUTAGE_MS });
    return null;
  }
}

const COUNTERS = new ModuleState<Counters, NativeContext>((vm) => new Counters(vm));
const SHARED = new ModuleState<SharedCounters, NativeContext>((vm) => new SharedCounters(vm, COUNTERS.of(vm)));

/** Validates the numbers of a limit. @throws ArgumentError */
function limitOf(name: string, key: string | Int, max: Int, given: Num | DurationValue): Limit {
  const window = inSeconds(given);
  if (max < 1 || max > Number.MAX_SAFE_INTEGER)
    fail(Errors.ArgumentError, `${name}(): max must be a number of calls, 1 or more, got ${max}`);
  const seconds = window instanceof Float ? window.n : Number(window);
  if (!(seconds > 0 && seconds <= MAX_WINDOW))
    fail(
      Errors.ArgumentError,
      `${name}(): window must be more than 0 and at most ${MAX_WINDOW} seconds, got ${toText(window)}`,
    );
  return { key, max: Number(max), window: seconds };
}

/** Counts a call, in memory or in a store. Resolves with what `Counters.take` returns. @throws ArgumentError */
function take(name: string, vm: NativeContext, ...[key, max, window, store]: Given): Promise<number> {
  const limit = limitOf(name, key, max, window);
  return store === null ? Promise.resolve(COUNTERS.of(vm).take(limit)) : SHARED.of(vm).take(limit, store);
}

/** Native `rate_limit`: counts a call and returns whether it is allowed. @throws ArgumentError */
export function rateLimit(vm: NativeContext, ...given: Given): undefined {
  const allowed = take('rate_limit', vm, ...given).then((ms) => ms === 0);
  return vm.waitForPromise('rate limit', allowed);
}

/** Native `rate_limit_required`: counts a call and halts with 429 if it is not allowed. @throws ArgumentError */
export function requireRate(vm: NativeContext, ...given: Given): undefined {
  const context = vm.scheduler.current?.context ?? null;
  const required = take('rate_limit_required', vm, ...given).then((ms) => {
    if (ms > 0) throw new Signal('halt', tooMany(context, ms));
    return null;
  });
  return vm.waitForPromise('rate limit', required);
}

function tooMany(context: object | null, ms: number): Response {
  const response = refusalTo(context, 429, 'Too Many Requests');
  response.addField('Retry-After', String(Math.ceil(ms / 1000)));
  return response;
}
