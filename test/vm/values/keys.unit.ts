import t from 'tap';
import { deepCopy } from '../../../vm/values/deepcopy.js';
import { DefaultHash } from '../../../vm/values/defaulthash.js';
import { equal } from '../../../vm/values/equal.js';
import { Hash } from '../../../vm/values/hash.js';
import { hashKey } from '../../../vm/values/keys.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { settings, values } from '../support/values.js';

/** Pairs whose keys are found by comparing with each. */
class Model {
  private readonly pairs: [Value, Value][] = [];

  set(key: Value, value: Value): void {
    const pair = this.pairs.find(([other]) => equal(other, key));
    if (pair === undefined) this.pairs.push([key, value]);
    else pair[1] = value;
  }

  delete(key: Value): void {
    const at = this.pairs.findIndex(([other]) => equal(other, key));
    if (at >= 0) this.pairs.splice(at, 1);
  }

  agreesWith(hash: Hash): boolean {
    return (
      hash.size === this.pairs.length &&
      hash.entries().every(([key, value], i) => equal(key, this.pairs[i][0]) && value === this.pairs[i][1]) &&
      this.pairs.every(([key, value]) => hash.get(deepCopy(key)) === value)
    );
  }
}

const operations = fc.array(fc.tuple(fc.constantFrom('set', 'set', 'delete', 'copy', 'checked'), values), {
  maxLength: 30,
});

t.test('keys of any kind are found by value', (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(operations, (steps) => {
        let hash = new Hash();
        const model = new Model();
        steps.forEach(([what, key], i) => {
          if (what === 'delete') {
            hash.delete(key);
            model.delete(key);
          } else if (what === 'copy') hash = hash.copy();
          else {
            hash.set(what === 'checked' ? hashKey(key) : key, i);
            model.set(key, i);
          }
        });
        return model.agreesWith(hash);
      }),
      settings(2000),
    ),
  );
  t.end();
});

t.test('no change of a key reaches the hash', (t) => {
  const key: Value[] = [1, [2]];
  const hash = Hash.from([[key, 'a']]);
  key.push(3);
  (hash.keys()[0] as Value[]).push(4);
  hash.each((own) => (own as Value[]).push(5));
  t.equal(hash.get([1, [2]]), 'a');
  t.equal(hash.get(key), undefined);
  t.same(hash.keys(), [[1, [2]]]);
  t.end();
});

t.test('a copy has keys of its own', (t) => {
  const hash = Hash.from([[[1], 'a']]);
  const copy = hash.copy();
  copy.delete([1]);
  copy.set([2], 'b');
  t.same(hash.entries(), [[[1], 'a']]);
  t.same(copy.entries(), [[[2], 'b']]);
  t.end();
});

t.test('what equals nothing is found nowhere', (t) => {
  const hash = new Hash();
  t.equal(hash.get([new Float(NaN)]), undefined);
  t.equal(hash.delete([new Float(NaN)]), undefined);
  t.throws(() => hashKey([new Float(NaN)]));
  t.end();
});

t.test('defaults belong to copies', (t) => {
  const hash = new DefaultHash(7, null);
  hash.set('a', 1);
  const copy = hash.copy();
  t.ok(copy instanceof DefaultHash && copy.fallback === 7);
  copy.set('b', 2);
  t.same(hash.keys(), ['a']);
  t.ok(hash.empty(null) instanceof DefaultHash);
  t.ok(equal(hash, Hash.from([['a', 1]])));
  t.end();
});
