import { Errors, fail } from '../../../vm/values/error.js';
import { placeText } from '../app/register.js';
import type { Route } from '../config/route.js';
import { parsePattern } from '../routing/pattern.js';

/**
 * Refuses declared parameters that the paths of routes do not have. When a route is registered, its application may still
 * be mounted below a prefix with parameters, so this is checked before requests are served. @throws ValueError
 */
export function checkParams(routes: readonly Route[]): void {
  for (const { method, pattern, place, declared } of routes) {
    const fields = declared?.params?.type.fields ?? [];
    const names = fields.length === 0 ? [] : parsePattern(pattern).names;
    const other = fields.find((field) => !names.includes(field));
    if (other === undefined) continue;
    const at = place === null ? '' : ` (${placeText(place)})`;
    fail(Errors.ValueError, `${method} ${pattern}${at}: params: the path has no parameter :${other}`);
  }
}
