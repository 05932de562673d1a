import t from 'tap';
import { added, type Few, firstOf, listOf, without } from '../../../vm/fibers/few.js';

t.test('a list of few elements keeps their order', async (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name }));
  let few: Few<{ name: string }> = null;
  t.strictSame(listOf(few), []);
  t.equal(firstOf(few), null);
  t.equal(without(few, a), null);
  few = added(few, a);
  t.equal(few, a, 'one element is the list');
  t.strictSame(listOf(few), [a]);
  t.equal(without(few, b), a);
  t.equal(without(few, a), null);
  few = added(added(few, b), c);
  t.strictSame(listOf(few), [a, b, c]);
  t.equal(firstOf(few), a);
  t.strictSame(listOf((few = without(few, b))), [a, c]);
  t.strictSame(listOf((few = without(few, { name: 'd' }))), [a, c]);
  t.strictSame(listOf((few = without(few, a))), [c]);
  t.equal(firstOf(few), c);
  t.equal(without(few, c), null, 'a list without elements is none');
});
