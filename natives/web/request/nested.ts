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

/** The keys of `name[a][][b]`: the name, `a`, an empty text and `b`; null for a name without structure. */
export function nestedKeys(name: string): string[] | null {
  const match = name.endsWith(']') ? NESTED.exec(name) : null;
  return match === null ? null : [match[1], ...match[2].slice(1, -1).split('][')];
}

type Pairs = Iterable<readonly [string, Value]>;

/**
 * The fields of a query or form by the structure of their names: `a[]=1` are elements of a vector, `b[c]=2` is a value of
 * a hash. `list[][x]=1&list[][y]=2` are parts of one hash in a vector, until a key repeats. Other names keep their last
 * value.
 * @throws NestingProblem for names that contradict one another, or nest too deeply
 */
export function nest(pairs: Pairs): Hash {
  return new Nesting().of(pairs);
}

/**
 * As `nest`, for values that are then compared with types. Repeated names are vectors. The last of contradicting names
 * counts, and a name that nests too deeply is one key.
 */
export function nestLeniently(pairs: Pairs): Hash {
  return new LenientNesting().of(pairs);
}

class Nesting {
  /** The hashes made of names; others are values, such as files. */
  private readonly made = new Set<Value>();

  of(pairs: Pairs): Hash {
    const root = this.hash();
    for (const [name, value] of pairs) this.put(root, this.keysOf(name), value, name);
    return root;
  }

  private hash(): Hash {
    const hash = new Hash();
    this.made.add(hash);
    return hash;
  }

  /** The keys of `name[a][][b]`. */
  private keysOf(name: string): string[] {
    const keys = nestedKeys(name);
    if (keys === null) return [name];
    const problem =
      keys.length > MAX_DEPTH + 1
        ? `nests more than ${MAX_DEPTH} levels deep`
        : name.includes('[][]')
          ? 'is a list of lists'
          : null;
    if (problem === null) return keys;
    this.refuse(name, problem);
    return [name];
  }

  private put(hash: Hash, [key, ...inner]: readonly string[], value: Value, name: string): void {
    const known = hash.get(key);
    if (inner.length === 0) hash.set(key, known === undefined ? value : this.both(known, value, name));
    else if (inner[0] === '') {
      const list = Array.isArray(known) ? known : [];
      if (list !== known) this.replace(hash, key, list, name);
      this.push(list, inner.slice(1), value, name);
    } else {
      const isMade = known !== undefined && this.made.has(known);
      const child = isMade ? (known as Hash) : this.hash();
      if (!isMade) this.replace(hash, key, child, name);
      this.put(child, inner, value, name);
    }
  }

  private replace(hash: Hash, key: string, value: Value, name: string): void {
    if (hash.has(key)) this.contradicts(name);
    hash.set(key, value);
  }

  private push(list: Value[], inner: readonly string[], value: Value, name: string): void {
    const last = list.at(-1) ?? null;
    const isMade = this.made.has(last);
    if (isMade ? inner.length === 0 : inner.length > 0 && last !== null) this.contradicts(name);
    if (inner.length === 0) {
      list.push(value);
      return;
    }
    const isNew = !isMade || has(last as Hash, inner);
    const hash = isNew ? this.hash() : (last as Hash);
    if (isNew) list.push(hash);
    this.put(hash, inner, value, name);
  }

  /** What a name has that has a value already. */
  protected both(known: Value, value: Value, name: string): Value {
    if (typeof known !== 'string') this.contradicts(name);
    return value;
  }

  private contradicts(name: string): void {
    this.refuse(name, 'contradicts another one: it is both a value and a list or a hash');
  }

  protected refuse(name: string, problem: string): void {
    throw new NestingProblem(`the field ${shown(name)} ${problem}`);
  }
}

class LenientNesting extends Nesting {
  protected override both(known: Value, value: Value): Value {
    if (!Array.isArray(known)) return [known, value];
    known.push(value);
    return known;
  }

  protected override refuse(): void {}
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

function shown(name: string): string {
  return JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);
}
