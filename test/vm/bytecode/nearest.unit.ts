import t from 'tap';
import { nearest } from '../../../vm/bytecode/nearest.js';

t.test('a suggestion differs in at most a third of the letters', async (t) => {
  t.equal(nearest('lenght', ['length', 'last']), 'length');
  t.equal(nearest('puts_all', ['put_all']), 'put_all');
  t.equal(nearest('mpa', ['map']), 'map');
  t.equal(nearest('abcd', ['acbx']), null);
  t.equal(nearest('xy', ['xz']), null);
  t.equal(nearest('upcase', ['downcase']), null);
});

t.test('a mark at the end may be missing or too much', async (t) => {
  t.equal(nearest('x?', ['y', 'x']), 'x');
  t.equal(nearest('any', ['and', 'any?']), 'any?');
  t.equal(nearest('save?', ['save!']), 'save!');
  t.equal(nearest('map', ['map']), null);
});
