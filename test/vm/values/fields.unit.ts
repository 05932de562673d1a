import t from 'tap';
import { equal } from '../../../vm/values/equal.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import { Fields } from '../../../vm/values/fields.js';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { inspect } from '../../../vm/values/text/text.js';
import fc from '../../property.js';
import { settings } from '../support/values.js';

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.double().map((n) => new Float(n)),
  fc.integer(),
  fc.constantFrom<Value>(null, true, 'text', new Float(-0), new Float(1)),
);

const isNan = (item?: Value): boolean => item instanceof Float && Number.isNaN(item.n);

interface Case {
  values: Value[];
  changes: { slot: number; value: Value }[];
}

/** Records of up to 20 fields. Those with more than 16 have no shape. */
const cases: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 20 }).chain((size) =>
  fc.record({
    values: fc.array(value, { minLength: size, maxLength: size }),
    changes: fc.array(fc.record({ slot: fc.nat(size - 1), value }), { maxLength: 30 }),
  }),
);

/** Observable content of a hash, as text. */
function view(hash: Hash): string {
  const each: Value[] = [];
  hash.each((key, item) => each.push(key, item));
  const every: Value[] = [];
  hash.every((key, item) => every.push(key, item) > 0);
  return inspect([
    each,
    every,
    hash.keys(),
    hash.values(),
    hash.entries(),
    hash.firstValues(hash.size).slice(),
    hash.keys().map((key) => hash.get(key) ?? 'none'),
    hash.size,
    hash.get('none') === undefined,
  ]);
}

t.test('fields behave like a hash for all values', async () => {
  fc.assert(
    fc.property(cases, ({ values, changes }) => {
      const names = values.map((_, i) => `f${i}`);
      const type = new RecordType('R', names, Shape.ofRecord(names));
      const record = RecordValue.of(type, values.slice());
      const { fields } = record;
      const hash = Hash.from(names.map((name, i) => [name, values[i]]));
      const before = view(hash);
      const [first, copy] = [record.copy(), fields.copy()];
      for (const { slot, value } of changes) {
        fields.set(names[slot], value);
        hash.set(names[slot], value);
      }
      const same = RecordValue.of(type, hash.values());
      return (
        view(fields) === view(hash) &&
        view(record.fields) === view(hash) &&
        names.every((name) => equal(record.get(name) as Value, hash.get(name) as Value) !== isNan(hash.get(name))) &&
        record.get('none') === undefined &&
        view(first.fields) === before &&
        view(copy) === before &&
        !(copy instanceof Fields) &&
        equal(record, same) !== hash.values().some(isNan)
      );
    }),
    settings(300),
  );
});

t.test('Floats are stored in an array of doubles, other values in the record', async (t) => {
  const type = new RecordType('R', ['x', 'y'], Shape.ofRecord(['x', 'y']));
  const record = RecordValue.of(type, [new Float(1), 2]);
  t.same([record.floats, record.doubles[0], record.f0, record.f1], [1, 1, null, 2]);
  record.store(1, new Float(0.25));
  record.store(0, 'a');
  t.same([record.floats, record.doubles[1], record.f0, record.f1], [2, 0.25, 'a', null]);
  t.not(record.at(1), record.at(1), 'each who reads one gets an object of its own');
  t.equal(
    RecordValue.of(type, [1, 2]).doubles,
    RecordValue.of(type, [3, 4]).doubles,
    'without Floats there is no array for them',
  );
});
