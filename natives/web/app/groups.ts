import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { addFunctions, Group, prefixIn, type Scope } from './scope.js';

/** Native `app.group`: creates a group, and passes it to the block that registers its routes. */
export function enterGroup(
  vm: NativeContext,
  scope: Scope,
  prefix: string,
  routes: Value,
  options: { before: Value; use: Value; after: Value },
): Value | undefined {
  const group = new Group(scope, prefixIn(scope, prefix));
  addFunctions(group.level.before, 'before', options.before);
  addFunctions(group.level.middleware, 'use', options.use);
  addFunctions(group.level.after, 'after', options.after);
  if (routes === null) return group;
  return vm.callThen(routes, [group], {
    done: () => group,
  });
}
