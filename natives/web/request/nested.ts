import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';

/** Maximum brackets in the name of a query or form field. */
const MAX_DEPTH = 32;
/** Characters of a name that a message shows. */
const SHOWN = 100;

/** Why the names of a query or form contradict one another. */
export class NestingProblem extends Error {}

/** `name[key][]…`; any other name has no structure. */
const NESTED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/**
 * The fields of a query or form by the structure of their names: `a[]=1` are elements of a vector, `b[c]=2` is a value of
 * a hash. `list[][x]=1&list[][y]=2` are parts of one hash in a vector, until a key repeats. Other names keep their last
 * value.
 * @throws NestingProblem for names that contradict one another, or nest too deeply
 */
export function nest(pairs: readonly (readonly [string, string])[]): Hash {
  const root = new Hash();
  for (const [name, value] of pairs) {
    const match = NESTED.exec(name);
    if (match === null) put(root, name, [], value, name);
    else put(root, match[1], keysOf(match[2], name), value, name);
  }
  return root;
}

/** The keys in `[a][][b]`. */
function keysOf(brackets: string, name: string): string[] {
  const keys = brackets.slice(1, -1).split('][');
  if (keys.length > MAX_DEPTH)
    throw new NestingProblem(`the field ${shown(name)} nests more than ${MAX_DEPTH} levels deep`);
  return keys;
}

function put(hash: Hash, key: string, inner: readonly string[], value: string, name: string): void {
  const known = hash.get(key) ?? null;
  if (inner.length === 0) {
    if (known !== null && typeof known !== 'string') throw contradiction(name);
    hash.set(key, value);
  } else if (inner[0] === '') {
    if (known !== null && !Array.isArray(known)) throw contradiction(name);
    const list = known ?? [];
    if (known === null) hash.set(key, list);
    push(list, inner.slice(1), value, name);
  } else {
    if (known !== null && !(known instanceof Hash)) throw contradiction(name);
    const child = known ?? new Hash();
    if (known === null) hash.set(key, child);
    put(child, inner[0], inner.slice(1), value, name);
  }
}

function push(list: Value[], inner: readonly string[], value: string, name: string): void {
  const last = list.at(-1);
  if (inner.length === 0) {
    if (last instanceof Hash) throw contradiction(name);
    list.push(value);
    return;
  }
  if (inner[0] === '') throw new NestingProblem(`the field ${shown(name)} is a list of lists`);
  if (typeof last === 'string') throw contradiction(name);
  const isNew = !(last instanceof Hash) || has(last, inner);
  const hash = isNew ? new Hash() : last;
  if (isNew) list.push(hash);
  put(hash, inner[0], inner.slice(1), value, name);
}

/** Whether a hash has a value at these keys, so that the same keys belong to the next hash of its vector. */
function has(hash: Hash, keys: readonly string[]): boolean {
  let at: Value = hash;
  for (const key of keys) {
    if (key === '') return false;
    const value: Value | undefined = at instanceof Hash ? at.get(key) : undefined;
    if (value === undefined) return false;
    at = value;
  }
  return true;
}

function contradiction(name: string): NestingProblem {
  return new NestingProblem(
    `the field ${shown(name)} contradicts another one: it is both a value and a list or a hash`,
  );
}

function shown(name: string): string {
  return JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);
}
