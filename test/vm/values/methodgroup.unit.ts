import t from 'tap';
import { MethodTables } from '../../../vm/calls/members.js';
import { native } from '../../../vm/calls/native.js';
import { NativeFunction } from '../../../vm/values/function.js';
import { HandleType } from '../../../vm/values/handle.js';
import { MethodGroup } from '../../../vm/values/methodgroup.js';

const method = (name: string, result: string): NativeFunction =>
  new NativeFunction(name, '', result, '', () => null, 'Integer');

t.test('methods are made once, when a method of their type is first looked up', async (t) => {
  const tables = new MethodTables();
  let made = 0;
  const group = new MethodGroup('Integer', () => {
    made++;
    return [method('half', 'Integer')];
  });
  tables.add([group, native('other', '', 'Nil', '', () => null)]);
  t.equal(tables.find('text', 'half'), undefined);
  t.equal(made, 0);
  t.equal(tables.find(4, 'half')?.name, 'half');
  t.equal(tables.find(4, 'third'), undefined);
  const [again] = group.all;
  t.equal(tables.find(5, 'half'), again);
  t.equal(made, 1);
});

t.test('later declarations replace earlier ones of the same name', async (t) => {
  const tables = new MethodTables();
  tables.add([method('half', 'first'), new MethodGroup('Integer', () => [method('half', 'second')])]);
  t.equal(tables.find(4, 'half')?.result, 'second');
  tables.add([method('half', 'third')]);
  t.equal(tables.find(4, 'half')?.result, 'third');
  t.strictSame([...tables.byKind.keys()], ['Integer']);
});

t.test('methods that could not be made are made at the next look', async (t) => {
  const type = new HandleType('Halves');
  let tries = 0;
  type.add(
    new MethodGroup('Halves', () => {
      if (tries++ === 0) throw new RangeError('Maximum call stack size exceeded');
      return [method('half', 'Integer')];
    }),
  );
  t.throws(() => type.methods, RangeError);
  t.equal(type.methods.get('half')?.name, 'half');
  t.equal(tries, 2);
});
