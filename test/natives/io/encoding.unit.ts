import t from 'tap';
import { decodeBase64 } from '../../../natives/core/bytes/base64.js';
import { hmac, isSignature, sameSecret, sha256 } from '../../../natives/io/secrets.js';
import fc from '../../property.js';
import { output, showing } from './support.js';

/** Texts and their bytes, from web-platform-tests (fetch/data-urls/resources/base64.json). */
// prettier-ignore
const VALID: [string, number[]][] = [
  ['', []], ['abcd', [105, 183, 29]], ['ab', [105]], ['abc', [105, 183]], ['abc=', [105, 183]], ['ab==', [105]], ['//A', [255, 240]], ['//8=', [255, 255]],
  ['/w==', [255]], ['/w', [255]], ['AA', [0]], ['AA==', [0]], ['AAA=', [0, 0]], ['AAAA', [0, 0, 0]], ['+/+/', [251, 255, 191]], ['YQ', [97]], ['YR', [97]],
];

/** Invalid texts from the same table; those with blanks are valid for decoders that are not strict. */
const INVALID = [
  'a',
  'abcde',
  'A',
  '=',
  '==',
  '===',
  '====',
  '=====',
  'a=',
  'a==',
  'a===',
  'a====',
  'ab=',
  'ab===',
  'ab====',
  'abc==',
  'abc===',
  'abcd=',
  'abcd==',
  'abcd===',
  'abcde=',
  'abcde==',
  'abcde===',
  '=a',
  '=a=',
  'a=b',
  'a=b=',
  'ab=c',
  'ab=c=',
  'abc=d',
  'abc=d=',
  'ab=\v',
  'ab=\u00a0',
  'ab:',
  'ab\0c',
  'a\0bcd',
  '\u00e9bcd',
  'ab-_',
  'ab.=',
  ' ',
  ' abcd',
  'abcd ',
  'ab cd',
  'ab\tcd',
  'ab\ncd',
  'ab\r\ncd',
  'ab\fcd',
  ' =',
  '\tab==',
  'ab= =',
  '%YQ',
  'YQ==YQ==',
  '\ufeffabcd',
  '＋bcd',
];

t.test('base64 is strict', async (t) => {
  for (const [text, bytes] of VALID) t.same([...(decodeBase64(text) ?? 'no')], bytes, JSON.stringify(text));
  for (const text of INVALID) t.equal(decodeBase64(text), null, JSON.stringify(text));
});

t.test('base64 of any bytes reads back, with and without padding', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        return (
          Buffer.compare(decodeBase64(text)!, bytes) === 0 &&
          Buffer.compare(decodeBase64(text.replace(/=+$/, ''))!, bytes) === 0
        );
      }),
    ),
  );
});

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** RFC 4231: key, data, HMAC-SHA256 (the fifth cut to 128 bits). */
// prettier-ignore
const RFC_4231: [string | Buffer, string | Buffer, string][] = [
  [hex('0b'.repeat(20)), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  [hex('aa'.repeat(20)), hex('dd'.repeat(50)), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
  [hex('0102030405060708090a0b0c0d0e0f10111213141516171819'), hex('cd'.repeat(50)), '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b'],
  [hex('0c'.repeat(20)), 'Test With Truncation', 'a3b6167473100ee06e0c796c2955552b'],
  [hex('aa'.repeat(131)), 'Test Using Larger Than Block-Size Key - Hash Key First', '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54'],
  [hex('aa'.repeat(131)), 'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.', '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2'],
];

t.test('HMAC-SHA256 of RFC 4231', async (t) => {
  for (const [key, data, digest] of RFC_4231) t.equal(hmac(data, key).toString('hex').slice(0, digest.length), digest);
});

t.test('only signatures in lower-case hexadecimal of the exact length are valid', async (t) => {
  const digest = hmac('alice', 's3cret');
  const good = digest.toString('hex');
  t.ok(isSignature(good, digest));
  for (const bad of [
    '',
    good.slice(1),
    `${good}0`,
    good.toUpperCase(),
    ` ${good.slice(1)}`,
    good.replace(/.$/, 'g'),
    good.replace(/.$/, '٣'),
    'é'.repeat(64),
  ])
    t.notOk(isSignature(bad, digest), bad);
});

t.test('secrets are compared unit by unit', async (t) => {
  for (const [a, b, same] of [
    ['', '', true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', 'aa', false],
    ['é', 'e\u0301', false],
    ['\ud800', '\ud801', false],
    ['\ud800', '\ufffd', false],
    ['a\0', 'a', false],
  ] as const) {
    t.equal(sameSecret(a, b), same, JSON.stringify([a, b]));
  }
  t.equal(sha256('abc').toString('hex'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

t.test('functions and their errors', async (t) => {
  t.equal(
    await output(
      t,
      `${showing()}show(-> { base64_encode("né😀") })
show(-> { base64_decode("bsOp8J+YgA") })
show(-> { base64_decode("YWI=\\n") })
show(-> { base64_decode("/w==") })
show(-> { hmac_sign("alice", "s3cret") })
show(-> { hmac_verify("alice", "s3cret", hmac_sign("alice", "s3cret")) })
show(-> { hmac_verify("alice", "s3cret", hmac_sign("alice", "other")) })
show(-> { hmac_sign("alice", "") })
show(-> { secure_compare("a", "a") })
show(-> { html_escape("<a href='x'>\\"&\\"</a>") })
show(-> { url_encode("a b/c?é&=+'()*!~-_.") })
show(-> { url_decode("a+b%20%C3%A9%ff") })
show(-> { url_decode("100%") })
`,
    ),
    `(String) "bsOp8J+YgA=="
(String) "né😀"
ValueError: base64_decode(): the text is not base64
ValueError: base64_decode(): the bytes are not UTF-8: byte ff at offset 0; bytes: true returns them as Bytes
(String) "765542af1f1d587bc60c218dca532a258f56b9c21a427cc819de2a1ff6d3e146"
(Boolean) true
(Boolean) false
ArgumentError: hmac_sign() needs a secret that is not empty
(Boolean) true
(String) "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;"
(String) "a%20b%2Fc%3F%C3%A9%26%3D%2B%27%28%29%2A%21~-_."
ValueError: url_decode(): the bytes of "%20%C3%A9%ff" are not UTF-8
ValueError: url_decode(): "%" is not a percent escape
`,
  );
});

t.test('url_decode inverts url_encode', async (t) => {
  t.equal(
    await output(t, 'text = "a\\u{1F600} %41+&=?#/\\n\\0é"\nputs url_decode(url_encode(text)) == text'),
    'true\n',
  );
});
