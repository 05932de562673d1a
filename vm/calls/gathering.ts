import type { Iterator } from '../values/iterator.js';
import { END } from '../values/iterator.js';
import { failTooManyElements, MAX_ELEMENTS } from '../values/limits.js';
import type { Value } from '../values/value.js';
import type { Requests } from './caller.js';

/**
 * Passes the elements of an iterator to `visit` until it returns false. The result of the requests is `result`.
 * @throws MemoryError
 */
export function* gathered(iterator: Iterator, visit: (item: Value) => boolean, result: Value): Requests {
  for (let count = 0; ; count++) {
    const item = yield iterator;
    if (item === END || !visit(item)) return result;
    if (count > MAX_ELEMENTS) failTooManyElements();
  }
}
