import { Errors, fail, SvcError, type TraceLine } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Route } from '../config/route.js';

/** Formats a place in the program for warnings. */
export function placeText(at: TraceLine | null): string {
  return at === null ? 'an unknown place' : `${at.file}:${at.line}`;
}

/** Calls a function that throws a plain Error for a malformed pattern. @throws ValueError in its place */
export function withPatterns<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof SvcError) throw error;
    return fail(Errors.ValueError, (error as Error).message);
  }
}

/**
 * Adds a route to a router by calling `add`; warns when an earlier route hides it.
 * @param what the route's name in messages, such as `GET /notes`
 * @returns whether the route can be reached
 * @throws ValueError for an invalid pattern
 */
export function register(
  vm: NativeContext,
  route: Route,
  what: string,
  add: () => { duplicateOf: Route | null },
): boolean {
  const { duplicateOf } = withPatterns(add);
  if (duplicateOf === null) return true;
  vm.host.stderr(
    `warning: ${placeText(route.place)}: ${what} is already registered at ${placeText(duplicateOf.place)}; the first one is used\n`,
  );
  return false;
}
