import t from 'tap';
import { decodeBase64 } from '../../../natives/core/bytes/base64.js';
import { authorized, call, requestWith } from './support.js';
import type { Request } from '../../../natives/web/request/request.js';

const basic = (pair: string | Buffer): string => Buffer.from(pair).toString('base64');

function ok(request: Request, user: string | null = 'ann', password: string | null = 'pa:ss'): boolean {
  return call('basic_auth_ok?', request, user, password) as boolean;
}

/** Credentials, expected user and password, result. */
// prettier-ignore
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

t.test('Basic credentials', async (t) => {
  for (const [pair, user, password, expected] of PAIRS)
    t.equal(
      ok(authorized(`Basic ${basic(pair)}`), user, password),
      expected,
      JSON.stringify(String(pair).slice(0, 40)),
    );
});

t.test('base64 is strict', async (t) => {
  // "ann:pa:ss" needs no padding; a longer password does.
  const good = basic('ann:pa:sss');
  t.match(good, /==$/);
  const given = (text: string): boolean => ok(authorized(`Basic ${text}`), 'ann', 'pa:sss');
  t.ok(given(good));
  t.ok(given(good.replace('==', '')), 'padding may be left out');
  const bare = good.slice(0, -2);
  for (const bad of [
    good.replace('==', '='),
    `${good}=`,
    `=${bare}`,
    `${bare.slice(0, 4)}=${bare.slice(4)}`,
    `${bare}A==`,
    `${bare}A`,
    `${good}${good}`,
    `${bare}-_`,
    `${bare}\t`,
    `${bare.slice(0, 4)} ${bare.slice(4)}`,
    `${bare}.`,
    `${bare}%3D%3D`,
    `"${good}"`,
    '',
    '=',
    '====',
    `${good}\u00e9`,
    `${good},`,
    `${good}, Basic ${good}`,
  ]) {
    t.notOk(given(bad), JSON.stringify(bad));
  }
});

/** Text and its bytes in hexadecimal, by the forgiving-base64 decode of the WHATWG; null if that fails. */
// prettier-ignore
const FORGIVING: [string, string | null][] = [
  ['', ''], ['AA', '00'], ['AA==', '00'], ['AAA', '0000'], ['AAA=', '0000'], ['AAAA', '000000'], ['AAAAAA', '00000000'], ['AAAAAA==', '00000000'], ['/w', 'ff'], ['+/+/', 'fbffbf'], ['YQ==', '61'], ['YWI=', '6162'], ['YWJj', '616263'],
  // Bits after the last byte are ignored.
  ['YR==', '61'], ['YR', '61'], ['Y/==', '63'], ['YWJ=', '6162'], ['///', 'ffff'], ['//', 'ff'],
  ['A', null], ['AAAAA', null], ['=', null], ['==', null], ['===', null], ['====', null], ['A=', null], ['A==', null], ['A===', null], ['AA=', null], ['AA===', null], ['AAA==', null], ['AAAA=', null], ['AAAA==', null], ['AAAA====', null], ['=AAA', null], ['A=AA', null], ['AA=A', null], ['AA==AAAA', null],
  ['AA-_', null], ['AA.A', null], ['AA%3D', null], ['AAA\u00e9', null], ['AAA\u0141', null], ['AAA\0', null], ['"AA"', null], ['AA,AA', null], ['\ufeffAAAA', null], ['AAA\u00a0', null], ['AAA\v', null],
];

t.test('base64 as the WHATWG decodes it, except for blanks', async (t) => {
  for (const [text, bytes] of FORGIVING)
    t.equal(decodeBase64(text)?.toString('hex') ?? null, bytes, JSON.stringify(text));
  for (const blank of [' ', '\t', '\n', '\f', '\r'])
    for (const text of [`${blank}AAAA`, `AA${blank}AA`, `AAAA${blank}`, blank])
      t.equal(decodeBase64(text), null, JSON.stringify(text));
});

t.test('every text of six characters is decoded as a browser does', async (t) => {
  const characters = ['A', 'z', '/', '=', '-', '\u00e9'];
  let different = '';
  const compare = (text: string): void => {
    let expected: string | null = null;
    try {
      expected = Buffer.from(atob(text), 'latin1').toString('hex');
    } catch {
      // Invalid base64.
    }
    if ((decodeBase64(text)?.toString('hex') ?? null) !== expected) different += `${JSON.stringify(text)} `;
    if (text.length < 6) for (const character of characters) compare(text + character);
  };
  compare('');
  t.equal(different, '');
});

t.test('schemes and headers', async (t) => {
  const credentials = basic('ann:pa:ss');
  for (const scheme of ['Basic', 'basic', 'BASIC', 'bAsIc']) t.ok(ok(authorized(`${scheme} ${credentials}`)), scheme);
  t.ok(ok(authorized(`Basic    ${credentials}`)), 'several blanks');
  for (const name of ['authorization', 'AUTHORIZATION']) t.ok(ok(requestWith(name, `Basic ${credentials}`)), name);
  for (const bad of [
    `Basic\t${credentials}`,
    `Basic${credentials}`,
    `Basic: ${credentials}`,
    ` Basic ${credentials}`,
    `Bearer ${credentials}`,
    `Digest ${credentials}`,
    'Basic',
    'Basic ',
    '',
    credentials,
    `Basicx ${credentials}`,
  ]) {
    t.notOk(ok(authorized(bad)), JSON.stringify(bad));
  }
  t.notOk(ok(requestWith()), 'no header');
  t.notOk(ok(requestWith('Proxy-Authorization', `Basic ${credentials}`, 'X-Authorization', `Basic ${credentials}`)));
});

t.test('two Authorization headers count as none', async (t) => {
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
