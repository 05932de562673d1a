import t from 'tap';
import { authorized, call, requestWith } from './support.js';
import type { Request } from '../../../natives/web/request.js';

const basic = (pair: string | Buffer): string => Buffer.from(pair).toString('base64');

function ok(request: Request, user: string | null = 'ann', password: string | null = 'pa:ss'): boolean {
  return call('basic_auth_ok?', request, user, password) as boolean;
}

/** Pair, expected user and password, answer. */
const PAIRS: [string | Buffer, string, string, boolean][] = [
  ['ann:secret', 'ann', 'secret', true],
  ['ann:secret', 'ann', 'Secret', false],
  ['ann:secret', 'Ann', 'secret', false],
  ['ann', 'ann', '', false],
  ['', '', '', false],
  ['ann:pa:ss', 'ann', 'pa:ss', true],
  ['ann::', 'ann', ':', true],
  ['ann:pa:ss', 'ann:pa', 'ss', false],
  [':secret', '', 'secret', true],
  ['ann:', 'ann', '', true],
  [':', '', '', true],
  ['ann:', 'ann', 'secret', false],
  ['é😀:ü', 'é😀', 'ü', true],
  ['é:x', 'e\u0301', 'x', false],
  [Buffer.from('\xe9:x', 'latin1'), 'é', 'x', false],
  [Buffer.from('\xff\xfe:x', 'latin1'), '\ufffd\ufffd', 'x', false],
  ['ann\0:x', 'ann', 'x', false],
  ['ann\0:x', 'ann\0', 'x', false],
  ['ann:x\n', 'ann', 'x\n', false],
  ['ann:secret ', 'ann', 'secret', false],
  [' ann:secret', 'ann', 'secret', false],
  ['\ufeffann:secret', 'ann', 'secret', false],
  ['ann:secret'.repeat(1000), 'ann', 'secret', false],
];

t.test('row 53: Basic credentials', async (t) => {
  for (const [pair, user, password, expected] of PAIRS) t.equal(ok(authorized(`Basic ${basic(pair)}`), user, password), expected, JSON.stringify(String(pair).slice(0, 40)));
});

t.test('row 53: base64 is strict', async (t) => {
  // "ann:pa:ss" has no padding; a longer password shows what becomes of it.
  const good = basic('ann:pa:sss');
  t.match(good, /==$/);
  const given = (text: string): boolean => ok(authorized(`Basic ${text}`), 'ann', 'pa:sss');
  t.ok(given(good));
  t.ok(given(good.replace('==', '')), 'padding may be left out');
  const bare = good.slice(0, -2);
  for (const bad of [good.replace('==', '='), `${good}=`, `=${bare}`, `${bare.slice(0, 4)}=${bare.slice(4)}`, `${bare}A==`, `${bare}A`, `${good}${good}`, `${bare}-_`, `${bare}\t`, `${bare.slice(0, 4)} ${bare.slice(4)}`, `${bare}.`, `${bare}%3D%3D`, `"${good}"`, '', '=', '====', `${good}\u00e9`, `${good},`, `${good}, Basic ${good}`]) {
    t.notOk(given(bad), JSON.stringify(bad));
  }
});

t.test('row 54: schemes and headers', async (t) => {
  const credentials = basic('ann:pa:ss');
  for (const scheme of ['Basic', 'basic', 'BASIC', 'bAsIc']) t.ok(ok(authorized(`${scheme} ${credentials}`)), scheme);
  t.ok(ok(authorized(`Basic    ${credentials}`)), 'several blanks');
  for (const name of ['authorization', 'AUTHORIZATION']) t.ok(ok(requestWith(name, `Basic ${credentials}`)), name);
  for (const bad of [`Basic\t${credentials}`, `Basic${credentials}`, `Basic: ${credentials}`, ` Basic ${credentials}`, `Bearer ${credentials}`, `Digest ${credentials}`, 'Basic', 'Basic ', '', credentials, `Basicx ${credentials}`]) {
    t.notOk(ok(authorized(bad)), JSON.stringify(bad));
  }
  t.notOk(ok(requestWith()), 'no header');
  t.notOk(ok(requestWith('Proxy-Authorization', `Basic ${credentials}`, 'X-Authorization', `Basic ${credentials}`)));
});

t.test('row 54: two Authorization headers count as none', async (t) => {
  const good = `Basic ${basic('ann:pa:ss')}`;
  for (const other of [good, '', 'Basic x', 'Bearer x']) {
    t.notOk(ok(requestWith('Authorization', good, 'authorization', other)));
    t.notOk(ok(requestWith('Authorization', other, 'X', 'y', 'AUTHORIZATION', good)));
  }
});

t.test('an expected nil matches nothing', async (t) => {
  t.equal(ok(authorized(`Basic ${basic(':')}`), null, ''), false);
  t.equal(ok(authorized(`Basic ${basic(':')}`), '', null), false);
  t.equal(ok(authorized(`Basic ${basic(':')}`), null, null), false);
  t.equal(call('basic_auth_ok?', 1, 'a', 'b'), 'TypeError: basic_auth_ok?(): req must be SvcRequest, got Integer');
});
