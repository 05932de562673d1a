import { SvcError } from '../../../vm/values/error.js';
import { inspect } from '../../../vm/values/text.js';
import type { Value } from '../../../vm/values/value.js';

/** What `p` shows of a result, or the error: `ValueError: …`. */
export function shown(run: () => Value): string {
  try {
    return inspect(run());
  } catch (error) {
    if (error instanceof SvcError) return `${error.value.type.name}: ${error.value.message}`;
    throw error;
  }
}

/** Runs a test's body in another time zone. */
export function inZone(zone: string, run: () => void): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    run();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}
