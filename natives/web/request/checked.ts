import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';

/** What a request's route declares of it, as values of these types. One that does not fit or is not declared is nil. */
export interface Checked {
  body: Value;
  query: Value;
  params: Value;
  /** Hashes with `at`, `message`, and `in` outside of the body. */
  errors: Value[];
  /** Names of the options with which the route was registered. */
  options: ReadonlySet<string>;
}

/** The value of a part of a request. @throws RuntimeError if the route does not declare it, and before the check */
export function checkedPart({ checked, route }: Checkable, part: 'body' | 'query' | 'params'): Value {
  if (checked?.options.has(part) === true) return checked[part];
  const method = part === 'body' ? 'valid' : `${part}_valid`;
  return fail(
    Errors.RuntimeError,
    route?.declared?.options.has(part) === true
      ? `${method}(): the request has not been checked yet; middleware and before filters run first`
      : `${method}(): the route declares no ${part}; register it with \`${part}: Type\``,
  );
}

/** What is known of a request and its route. */
interface Checkable {
  /** null before the check. */
  checked: Checked | null;
  route: MatchedRoute | null;
}

/** What a request knows of its route. */
export interface MatchedRoute {
  readonly method: string;
  readonly pattern: string;
  readonly declared?: { readonly options: ReadonlySet<string> };
}
