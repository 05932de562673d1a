/**
 * Runtime of the JavaScript twins of random programs: a second implementation of the language, without bytecode. Integers
 * are bigints, nil is null, vectors are arrays, hashes are Maps, functions are functions.
 */

type Plain =
  null | boolean | bigint | string | Plain[] | Map<string, Plain> | ((...args: Plain[]) => Plain) | SvcTwinError;

/** An error of the twin. `message` is set if programs choose it. */
export class SvcTwinError {
  constructor(
    readonly type: string,
    readonly message: string,
  ) {}

  is(type: string): boolean {
    return type === 'Error' || this.type === type || (type === 'RuntimeError' && this.type === 'Oops');
  }

  text(): string {
    return this.is('RuntimeError') ? `${this.type}: ${this.message}` : this.type;
  }
}

/** Leaves an inlined block or a function from callbacks. */
class Jump {
  constructor(
    readonly target: object,
    readonly value: Plain,
  ) {}
}

function fail(type: string, message = ''): never {
  throw new SvcTwinError(type, message);
}

/** Runs `body`, which may leave with `leave`. */
function catching(body: (target: object) => Plain): Plain {
  const target = {};
  try {
    return body(target);
  } catch (thrown) {
    if (thrown instanceof Jump && thrown.target === target) return thrown.value;
    throw thrown;
  }
}

function leave(target: object, value: Plain): never {
  throw new Jump(target, value);
}

function whole(value: Plain): bigint {
  return typeof value === 'bigint' ? value : fail('TypeError');
}

function add(a: Plain, b: Plain): Plain {
  return whole(a) + whole(b);
}

function sub(a: Plain, b: Plain): Plain {
  return whole(a) - whole(b);
}

function mul(a: Plain, b: Plain): Plain {
  return whole(a) * whole(b);
}

function idiv(a: Plain, b: Plain): Plain {
  const [x, y] = [whole(a), whole(b)];
  if (y === 0n) fail('ZeroDivisionError');
  return x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
}

function mod(a: Plain, b: Plain): Plain {
  const [x, y] = [whole(a), whole(b)];
  return x - (idiv(x, y) as bigint) * y;
}

function less(a: Plain, b: Plain): boolean {
  return whole(a) < whole(b);
}

function same(a: Plain, b: Plain): boolean {
  return text(a, true) === text(b, true);
}

function truthy(value: Plain): boolean {
  return value !== null && value !== false;
}

function text(value: Plain, nested = false): string {
  if (value === null) return nested ? 'nil' : '';
  if (Array.isArray(value)) return `[${value.map((item) => text(item, true)).join(', ')}]`;
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${key}: ${text(item, true)}`).join(', ')}}`;
  if (value instanceof SvcTwinError) return value.message;
  if (typeof value === 'function') return '<function>';
  return String(value);
}

function vector(value: Plain, problem: string): Plain[] {
  return Array.isArray(value) ? value : fail(problem);
}

function at(value: Plain, index: Plain): Plain {
  if (value instanceof Map) return value.get(index as string) ?? null;
  const list = vector(value, 'TypeError');
  const i = Number(whole(index));
  return list[i < 0 ? i + list.length : i] ?? null;
}

function put(value: Plain, index: Plain, item: Plain): Plain {
  const list = vector(value, 'TypeError');
  const given = Number(whole(index));
  const i = given < 0 ? given + list.length : given;
  if (i < 0) fail('IndexError');
  while (list.length < i) list.push(null);
  list[i] = item;
  return item;
}

function push(value: Plain, item: Plain): Plain {
  const list = vector(value, 'TypeError');
  list.push(item);
  return list;
}

function size(value: Plain): Plain {
  return BigInt(vector(value, 'AttributeError').length);
}

function getKey(value: Plain, key: string): Plain {
  return value instanceof Map ? (value.get(key) ?? null) : fail('AttributeError');
}

function setKey(value: Plain, key: string, item: Plain): Plain {
  if (!(value instanceof Map)) return fail('AttributeError');
  value.set(key, item);
  return item;
}

/** Pairs of a loop over a hash: keys at its start, current values. */
function* pairs(value: Plain): Generator<[string, Plain]> {
  if (!(value instanceof Map)) return fail('TypeError');
  for (const key of [...value.keys()]) yield [key, value.get(key) as Plain];
}

function items(value: Plain): Plain[] {
  return vector(value, 'TypeError');
}

function part(value: Plain, i: number): Plain {
  return Array.isArray(value) ? (value[i] ?? null) : i === 0 ? value : null;
}

function listOf(value: Plain): Plain[] {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}

function rest(value: Plain, before: number, after: number): Plain {
  const list = listOf(value);
  return list.slice(before, Math.max(before, list.length - after));
}

function partAfter(value: Plain, before: number, after: number): Plain {
  const list = listOf(value);
  return list[Math.max(before, list.length - after)] ?? null;
}

function callValue(value: Plain, ...args: Plain[]): Plain {
  return typeof value === 'function' ? value(...args) : fail('TypeError');
}

/** `f.call(…)`: the method of functions. */
function callMethod(value: Plain, ...args: Plain[]): Plain {
  return typeof value === 'function' ? value(...args) : fail('AttributeError');
}

type Block = (...args: Plain[]) => Plain;

/** The core iterators. A vector may grow during an iteration. */
const iterators: Record<string, (xs: Plain, f: Block, first: Plain) => Plain> = {
  each: (xs, f) => {
    for (const x of vector(xs, 'AttributeError')) f(x);
    return xs;
  },
  map: (xs, f) => {
    const out: Plain[] = [];
    for (const x of vector(xs, 'AttributeError')) out.push(f(x));
    return out;
  },
  select: (xs, f) => {
    const out: Plain[] = [];
    for (const x of vector(xs, 'AttributeError')) if (truthy(f(x))) out.push(x);
    return out;
  },
  find: (xs, f) => {
    for (const x of vector(xs, 'AttributeError')) if (truthy(f(x))) return x;
    return null;
  },
  'any?': (xs, f) => {
    for (const x of vector(xs, 'AttributeError')) if (truthy(f(x))) return true;
    return false;
  },
  sum: (xs, f) => {
    let total: Plain = 0n;
    for (const x of vector(xs, 'AttributeError')) total = add(total, f(x));
    return total;
  },
  reduce: (xs, f, first) => {
    let acc = first;
    for (const x of vector(xs, 'AttributeError')) acc = f(acc, x);
    return acc;
  },
  each_with_index: (xs, f) => {
    let i = 0n;
    for (const x of vector(xs, 'AttributeError')) f(x, i++);
    return xs;
  },
  times: (n, f) => {
    const last = typeof n === 'bigint' ? n : fail('AttributeError');
    for (let i = 0n; i < last; i++) f(i);
    return n;
  },
  upto: (n, f, last) => {
    const from = typeof n === 'bigint' ? n : fail('AttributeError');
    for (let i = from; !less(last, i); i++) f(i);
    return n;
  },
};

/** Deep copies that keep shared parts shared, like those of `spawn`. */
function copies(values: Plain[]): Plain[] {
  const seen = new Map<object, Plain>();
  const copy = (value: Plain): Plain => {
    if (!Array.isArray(value) && !(value instanceof Map)) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    const made: Plain = Array.isArray(value) ? [] : new Map<string, Plain>();
    seen.set(value, made);
    if (Array.isArray(value)) for (const item of value) (made as Plain[]).push(copy(item));
    else for (const [key, item] of value) (made as Map<string, Plain>).set(key, copy(item));
    return made;
  };
  return values.map(copy);
}

/** The object `$` of twins. */
export const runtime = {
  SvcTwinError,
  fail,
  catching,
  leave,
  add,
  sub,
  mul,
  idiv,
  mod,
  less,
  same,
  truthy,
  text,
  vector,
  at,
  put,
  push,
  size,
  getKey,
  setKey,
  pairs,
  items,
  part,
  rest,
  partAfter,
  callValue,
  callMethod,
  iterators,
  copies,
};
