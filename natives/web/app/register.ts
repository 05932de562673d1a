import { Errors, fail, type TraceLine } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Route } from '../config/route.js';

/** Formats a place in the program for warnings. */
export function placeText(at: TraceLine | null): string {
  return at === null ? 'an unknown place' : `${at.file}:${at.line}`;
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
  let duplicateOf: Route | null;
  try {
    ({ duplicateOf } = add());
  } catch (error) {
    return fail(Errors.ValueError, (error as Error).message);
  }
  if (duplicateOf === null) return true;
  vm.host.stderr(
    `warning: ${placeText(route.place)}: ${what} is already registered at ${placeText(duplicateOf.place)}; the first one is used\n`,
  );
  return false;
}
