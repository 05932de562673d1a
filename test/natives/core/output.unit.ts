import t from 'tap';
import type { Value } from '../../../vm/values/value.js';
import { call, f, h, shown, takePrinted } from './support.js';

/** Function, arguments, output. */
// prettier-ignore
const PRINTED: [string, Value[], string][] = [
  ['puts', [], '\n'],
  ['puts', ['a', 'b'], 'a\nb\n'],
  ['puts', ['a\n'], 'a\n'],
  ['puts', [null], '\n'],
  ['puts', [''], '\n'],
  ['puts', [[1, 2]], '[1, 2]\n'],
  ['puts', [[1, 'two', null, f(3), h({ a: 1 })]], '[1, two, nil, 3.0, {a: 1}]\n'],
  ['puts', [h({ a: 1, b: 'x' })], '{a: 1, b: x}\n'],
  ['print', ['a', 1], 'a1'],
  ['p', [42], '(Integer) 42\n'],
  ['p', [['a', 1]], '(Vector) ["a", 1]\n'],
  ['p', [null, 'x'], '(Nil) nil\n(String) "x"\n'],
  ['p', [], ''],
  ['pp', [[1, 2]], '[1, 2]\n'],
  ['pp', [h({ a: h({ b: [] }), 'c d': ['x', [1]] })], '{\n  a: {b: []},\n  "c d": [\n    "x",\n    [1]\n  ]\n}\n'.replace('{b: []}', '{\n    b: []\n  }')],
];

t.test('printing', async (t) => {
  for (const [name, args, expected] of PRINTED) {
    call(name, args);
    t.equal(takePrinted(), expected, `${name} ${args.map((arg) => shown(() => arg)).join(', ')}`);
  }
});

t.test('print takes a separator and an end', async (t) => {
  call('print', ['a', 'b'], { sep: ', ', end: '!\n' });
  t.equal(takePrinted(), 'a, b!\n');
});

t.test('p returns its argument', async (t) => {
  t.equal(call('p', [1]), 1);
  t.strictSame(call('p', [1, 2]), [1, 2]);
  t.equal(call('p', []), null);
  takePrinted();
});

t.test('pp breaks wide values and marks cycles', async (t) => {
  const cycle: Value[] = [1, [2]];
  cycle.push(cycle);
  call('pp', [cycle]);
  t.equal(takePrinted(), '[\n  1,\n  [2],\n  [...]\n]\n');
  call('pp', [['x'.repeat(50), 'y'.repeat(50)]]);
  t.equal(takePrinted(), `[\n  "${'x'.repeat(50)}",\n  "${'y'.repeat(50)}"\n]\n`);
});

t.test('input without a source of lines returns nil', async (t) => {
  t.equal(call('input', ['name? ']), null);
  t.equal(takePrinted(), 'name? ');
});
