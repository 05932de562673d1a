import { do_not_optimize } from 'mitata';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import { unique } from '../../../vm/values/unique.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { machine } from '../machine.js';
import type { Bench, Case, Group } from '../measure.js';

/** Elements of the vectors, and operations of one call. */
const COUNT = 1000;
const INDEXES = Array.from({ length: COUNT }, (_, i) => i);
/** The same numbers in an order without runs. */
const SHUFFLED = INDEXES.map((i) => (i * 619) % COUNT);
const KEYS = ['id', 'name', 'email', 'active', 'score', 'city', 'tags', 'age'];
const WORDS = SHUFFLED.map((i) => `word ${i}`);

/** Reads and writes of a store by one key after the other. */
function accesses(
  store: { get(key: string): unknown; set(key: string, value: number): unknown },
  keys: string[],
): { read: Bench; write: Bench } {
  const order = INDEXES.map((i) => keys[i % keys.length]);
  for (const key of keys) store.set(key, 1);
  return {
    read: () => {
      let sum = 0;
      for (const key of order) sum += store.get(key) as number;
      do_not_optimize(sum);
    },
    write: () => {
      for (let i = 0; i < COUNT; i++) store.set(order[i], i);
      do_not_optimize(store);
    },
  };
}

function* hashCases(): Generator<Case> {
  const map = accesses(new Map<string, number>(), WORDS);
  const few = accesses(new Hash(), KEYS);
  const many = accesses(new Hash(), WORDS);
  const type = new RecordType('Row', KEYS, Shape.ofRecord(KEYS));
  const record = (value: Value): RecordValue =>
    RecordValue.of(
      type,
      KEYS.map(() => value),
    );
  const fields = accesses(record(1).fields, KEYS);
  const floats = record(new Float(0.5));
  for (const kind of ['read', 'write'] as const) {
    yield {
      title: `${kind} of the value of a key`,
      benches: {
        'Map of 1,000 keys': map[kind],
        'hash of 1,000 keys': many[kind],
        'hash of 8 keys': few[kind],
        'record of 8 fields': fields[kind],
      },
      operations: COUNT,
    };
  }
  yield {
    title: 'Floats in a record',
    benches: {
      'read of a slot': () => {
        let sum = 0;
        for (let i = 0; i < COUNT; i++) sum += (floats.at(i & 7) as Float).n;
        do_not_optimize(sum);
      },
      'write of a slot': () => {
        for (let i = 0; i < COUNT; i++) floats.storeFloat(i & 7, i + 0.5);
        do_not_optimize(floats);
      },
    },
    operations: COUNT,
  };
  const other = hashOf(KEYS);
  const large = hashOf(WORDS);
  yield {
    title: 'hash of 8 keys',
    benches: {
      'made key by key': () => do_not_optimize(hashOf(KEYS)),
      copied: () => do_not_optimize(other.copy()),
      entries: () => do_not_optimize(other.entries()),
    },
  };
  yield {
    title: 'hash of 1,000 keys',
    benches: {
      'made key by key': () => do_not_optimize(hashOf(WORDS)),
      copied: () => do_not_optimize(large.copy()),
      entries: () => do_not_optimize(large.entries()),
    },
  };
}

function hashOf(keys: string[]): Hash {
  const hash = new Hash();
  for (let i = 0; i < keys.length; i++) hash.set(keys[i], i);
  return hash;
}

function* vectorCases(): Generator<Case> {
  const { vm } = machine();
  const method = (name: string): ((list: Value, ...args: Value[]) => unknown) => {
    const found = vm.methods.find([], name);
    if (found === undefined) throw new Error(`no method ${name}`);
    return (...args) => found.impl(vm, ...args);
  };
  const [push, sort] = [method('push'), method('sort')];
  const one = [1];
  yield {
    title: 'push, 1,000 times to an empty vector',
    benches: {
      JavaScript: () => {
        const list: Value[] = [];
        for (let i = 0; i < COUNT; i++) list.push(i);
        do_not_optimize(list);
      },
      svc: () => {
        const list: Value[] = [];
        for (let i = 0; i < COUNT; i++) push(list, one);
        do_not_optimize(list);
      },
    },
    operations: COUNT,
  };
  yield {
    title: 'sort of 1,000',
    benches: {
      Integers: () => do_not_optimize(sort(SHUFFLED)),
      Floats: ofValues(
        SHUFFLED.map((i) => new Float(i + 0.5)),
        sort,
      ),
      texts: () => do_not_optimize(sort(WORDS)),
    },
  };
  const doubled = [...SHUFFLED.slice(0, 500), ...SHUFFLED.slice(0, 500)];
  yield {
    title: 'unique of 1,000 with 500 different ones',
    benches: {
      'Integers close together': ofValues(doubled, unique),
      'Integers far apart': ofValues(
        doubled.map((i) => i * 1_000_003),
        unique,
      ),
      texts: ofValues(
        doubled.map((i) => `word ${i}`),
        unique,
      ),
      'vectors of two': ofValues(
        doubled.map((i): Value => [i, 'x']),
        unique,
      ),
      'hashes of two keys': ofValues(
        doubled.map((i) =>
          Hash.from([
            ['id', i],
            ['name', 'x'],
          ]),
        ),
        unique,
      ),
    },
  };
}

function ofValues(list: Value[], work: (list: Value[]) => unknown): Bench {
  return () => do_not_optimize(work(list));
}

/** Hashes, records and vectors as the library works on them, outside of any program. */
export const values: Group = {
  name: 'values',
  about: 'One access, or one call of the library on a whole vector or hash where the title says so.',
  *cases(): Generator<Case> {
    yield* hashCases();
    yield* vectorCases();
  },
};
