import { ModuleState } from '../../vm/calls/modulestate.js';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { Errors, fail, Signal, errorOf } from '../../vm/values/error.js';
import { toText } from '../../vm/values/text/text.js';
import { Float } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Int, Num } from '../core/declare.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import { sha256 } from '../io/secrets.js';
import { Response, TEXT } from '../web/response/response.js';

/** Maximum keys counted at once. Above that, the key whose window began first is forgotten. */
export const MAX_KEYS = 50_000;
/** Maximum window in seconds: node's timers cannot hold more milliseconds. */
const MAX_WINDOW = 2_147_483;

/** A limit as given by a program. */
interface Limit {
  key: string | Int;
  max: number;
  /** In seconds. */
  window: number;
}

/** The counters of one VM. */
class Counters {
  /** End of each key's window; the window that began first comes first. */
  private readonly ends = new Map<string, number>();

  constructor(
    private readonly vm: NativeContext,
    private readonly limiter: RateLimiterMemory,
  ) {}

  /** Counts a call. Returns 0 if it is allowed, otherwise the milliseconds until calls are allowed again. */
  async take({ key, max, window }: Limit): Promise<number> {
    // A digest has the same length for any key. It includes the limit, so different limits have separate counters.
    const name = sha256(`${max} ${window} ${key}`).toString('base64');
    const { consumedPoints, msBeforeNext, isFirstInDuration } = await this.limiter.consume(name, 1, {
      customDuration: window,
    });
    if (isFirstInDuration) this.remember(name, window);
    // A clock that was set back must not lengthen the wait.
    return consumedPoints <= max ? 0 : Math.max(1, Math.min(msBeforeNext, window * 1000));
  }

  private remember(name: string, window: number): void {
    const now = this.vm.host.now();
    this.ends.delete(name);
    this.ends.set(name, now + window * 1000);
    for (const [oldest, end] of this.ends) {
      if (end > now && this.ends.size <= MAX_KEYS) return;
      this.ends.delete(oldest);
      void this.limiter.delete(oldest);
    }
  }
}

/** Called on first use, so that programs without limits start without loading the package. */
async function makeCounters(vm: NativeContext): Promise<Counters> {
  const { default: RateLimiter } = await import('rate-limiter-flexible/lib/RateLimiterMemory.js');
  // The package only counts: its `points` apply to all keys, our `max` to each call.
  return new Counters(vm, new RateLimiter({ keyPrefix: '', points: Number.MAX_SAFE_INTEGER, duration: 1 }));
}

const COUNTERS = new ModuleState(makeCounters);

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

/** Native `rate_limit`: counts a call and waits for whether it is allowed. @throws ArgumentError */
export function rateLimit(vm: NativeContext, key: string | Int, max: Int, window: Num | DurationValue): undefined {
  const limit = limitOf('rate_limit', key, max, window);
  return vm.waitForPromise(
    'rate limit',
    COUNTERS.of(vm)
      .then((counters) => counters.take(limit))
      .then((ms) => ms === 0),
  );
}

/** Native `rate_limit_required`: counts a call and halts with 429 when it is not allowed. @throws ArgumentError */
export function requireRate(vm: NativeContext, key: string | Int, max: Int, window: Num | DurationValue): undefined {
  const limit = limitOf('rate_limit_required', key, max, window);
  return vm.wait('rate limit', (resume, failed) => {
    COUNTERS.of(vm)
      .then((counters) => counters.take(limit))
      .then(
        (ms) => (ms === 0 ? resume(null) : failed(new Signal('halt', tooMany(ms)))),
        (error: unknown) => failed(errorOf(Errors.IOError, `rate_limit_required(): ${(error as Error).message}`)),
      );
  });
}

function tooMany(ms: number): Response {
  const response = new Response(429, 'Too Many Requests', TEXT);
  response.addField('Retry-After', String(Math.ceil(ms / 1000)));
  return response;
}
