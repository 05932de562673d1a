import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';

/** Maximum brackets in a name; a name with more is one key. */
const MAX_DEPTH = 20;
const BRACKETS = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/**
 * The values of a form or a query. Repeated names, and `a[]`, are vectors; `a[b]` is key `b` of hash `a`. All values are
 * texts, except the hashes of files.
 */
export function formTree(pairs: Iterable<readonly [string, Value]>): Hash {
  const root = new Hash();
  for (const [name, value] of pairs) add(root, pathOf(name), value);
  return root;
}

function pathOf(name: string): string[] {
  if (!name.endsWith(']')) return [name];
  const match = BRACKETS.exec(name);
  if (match === null) return [name];
  const path = [match[1], ...match[2].slice(1, -1).split('][')];
  return path.length > MAX_DEPTH ? [name] : path;
}

/** Puts a value at a path below `hash`. What contradicts it is replaced, as the last of repeated values counts. */
function add(hash: Hash, path: readonly string[], value: Value): void {
  let at = hash;
  for (let i = 0; i < path.length - 1; i++) {
    const [key, next] = [path[i], path[i + 1]];
    if (next === '' && i === path.length - 2) {
      const list = at.get(key);
      if (Array.isArray(list)) list.push(value);
      else at.set(key, [value]);
      return;
    }
    const inner = at.get(key);
    if (inner instanceof Hash) at = inner;
    else {
      const made = new Hash();
      at.set(key, made);
      at = made;
    }
  }
  const key = path[path.length - 1];
  const before = at.get(key);
  if (before === undefined) at.set(key, value);
  else if (Array.isArray(before)) before.push(value);
  else at.set(key, [before, value]);
}
