import { createHmac } from 'node:crypto';
import t from 'tap';
import { rounds } from '../../rounds.js';
import { cpuTime } from '../../clock.js';
import fc from '../../property.js';
import { authorized, call, requestWith, takeWarnings } from './support.js';
import { Float, type Value } from '../../../vm/values/value.js';

const SECRET = 's3cret';
/** Number of random subjects. */
const RUNS = rounds(5000, 100_000);

function create(subject: Value, secret: Value = SECRET): string {
  return call('auth_token_create', subject, secret) as string;
}

function verify(token: string, secret: Value = SECRET): Value {
  return call('auth_token_verify', authorized(`Bearer ${token}`), secret);
}

/** Makes a token without the library. */
function signed(subject: string, secret = SECRET): string {
  return `${subject}:${createHmac('sha256', secret).update(subject).digest('hex')}`;
}

t.test('the exact form of a token', async (t) => {
  t.equal(create('alice'), 'alice:765542af1f1d587bc60c218dca532a258f56b9c21a427cc819de2a1ff6d3e146');
  t.equal(verify(create('alice')), 'alice');
  t.equal(create(42), signed('42'));
  t.equal(verify(create(10n ** 30n)), '1000000000000000000000000000000');
});

/** Characters of tokens, among them separators. */
const character = fc.oneof(
  fc.constantFrom(
    ':',
    ' ',
    '  ',
    ',',
    ';',
    '=',
    '"',
    '%',
    'é',
    'ÿ',
    '\u00a0',
    '😀',
    '\ufeff',
    '\ufffd',
    'Bearer ',
    'a'.repeat(64),
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const subjects = fc.array(character, { maxLength: 12 }).map((parts) => parts.join('').replace(/[\p{Cc}\p{Cs}]/gu, ''));

t.test('verify(create(s)) is s for every subject, split at the last colon', async (t) => {
  for (const subject of [
    'a:b',
    ':',
    '::',
    'a:',
    ':a',
    `x:${'0'.repeat(64)}`,
    signed('alice'),
    ' alice',
    '  alice',
    'alice ',
    ' ',
    '',
  ])
    t.equal(verify(create(subject)), subject, JSON.stringify(subject));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        subjects,
        fc.string({ minLength: 1 }),
        (subject, secret) => verify(create(subject, secret), secret) === subject,
      ),
      { numRuns: RUNS },
    ),
  );
});

t.test('empty secrets make no tokens and accept none', async (t) => {
  t.equal(create('alice', ''), 'ArgumentError: auth_token_create() needs a secret that is not empty');
  t.equal(create('alice', null), 'ArgumentError: auth_token_create() needs a secret that is not empty');
  t.equal(create(null), 'ArgumentError: auth_token_create() needs a subject, got nil');
  takeWarnings();
  t.equal(verify(signed('alice', ''), ''), null);
  t.equal(takeWarnings(), 'warning: auth_token_verify() was given no secret, so every token is refused\n');
  t.equal(verify(signed('alice', ''), null), null);
  t.match(call('bearer_required', authorized(`Bearer ${signed('alice', '')}`), ''), /^halt 401/);
  t.equal(takeWarnings(), '', 'it warns once');
  t.equal(verify(create('')), '', 'a subject may be empty');
  t.equal(verify(':'), null);
  t.equal(create([1]), 'TypeError: auth_token_create(): subject must be String or Integer or nil, got Vector');
  t.equal(create('alice', 5), 'TypeError: auth_token_create(): secret must be String or nil, got Integer');
});

t.test('other signatures are refused', async (t) => {
  const token = create('alice');
  const signature = token.slice(6);
  for (let bit = 0; bit < 256; bit++) {
    const bytes = Buffer.from(signature, 'hex');
    bytes[bit >> 3] ^= 1 << (bit & 7);
    t.equal(verify(`alice:${bytes.toString('hex')}`), null, `bit ${bit} flipped`);
  }
  for (let length = 0; length < 64; length++)
    t.equal(verify(`alice:${signature.slice(0, length)}`), null, `${length} digits`);
  for (const bad of [
    signature.toUpperCase(),
    `${signature}0`,
    `0${signature}`,
    `${signature}00`,
    ` ${signature}`,
    `${signature} `,
    `0x${signature}`,
    signature.slice(0, 62),
    `${signature.slice(0, 63)}g`,
    Buffer.from(signature, 'hex').toString('base64'),
    `${signature}:`,
    `${signature.slice(0, 32)}:${signature.slice(32)}`,
  ]) {
    t.equal(verify(`alice:${bad}`), null, bad);
  }
});

t.test('signatures of another subject or secret are refused', async (t) => {
  const signature = create('alice').slice(6);
  for (const subject of ['bob', 'alicE', 'alice ', 'alice:', '', 'alic\u0435', 'alice\u0000'])
    t.equal(verify(`${subject}:${signature}`), null, JSON.stringify(subject));
  for (const secret of ['S3cret', 's3cret ', 's3cre', 's3cret\u0001', 'x'])
    t.equal(verify(create('alice', secret)), null, JSON.stringify(secret));
  t.equal(verify('alice'), null);
  t.equal(verify(signature), null);
  t.equal(verify(''), null);
});

/** Vectors of RFC 4231 whose key and data are valid UTF-8: key, data, HMAC-SHA256. */
// prettier-ignore
const RFC_4231: [string, string, string][] = [
  ['\v'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  ['\f'.repeat(20), 'Test With Truncation', 'a3b6167473100ee06e0c796c2955552b'],
];

t.test('signatures are those of RFC 4231', async (t) => {
  for (const [key, data, signature] of RFC_4231) {
    const token = create(data, key);
    t.equal(token.slice(0, data.length + 1 + signature.length), `${data}:${signature}`);
    t.equal(verify(token, key), data);
  }
});

t.test('a key longer than a block is used in full', async (t) => {
  const long = 'k'.repeat(131);
  t.equal(verify(create('alice', long), long), 'alice');
  t.equal(verify(create('alice', long), `${long}k`), null);
});

t.test('schemes and headers', async (t) => {
  const token = create('alice');
  const given = (...raw: string[]): Value => call('auth_token_verify', requestWith(...raw), SECRET);
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    t.equal(given('authorization', `${scheme}   ${token}`), 'alice', scheme);
  for (const bad of [
    token,
    `Basic ${token}`,
    `Bearer\t${token}`,
    `Bearer${token}`,
    `Bearer: ${token}`,
    'Bearer',
    'Bearer ',
    `Token ${token}`,
    `Bearer "${token}"`,
    `Bearer ${token}, Bearer ${token}`,
  ])
    t.equal(given('Authorization', bad), null, bad);
  t.equal(given(), null);
  t.equal(given('Authorization', `Bearer ${token}`, 'Authorization', `Bearer ${token}`), null, 'two headers');
});

t.test('subjects that a header cannot contain are refused; others are accepted', async (t) => {
  for (let code = 0; code < 0xa0; code++) {
    const subject = `a${String.fromCharCode(code)}b`;
    if (code < 32 || code >= 127)
      t.equal(
        create(subject),
        'ArgumentError: auth_token_create(): the subject contains a control character, which no header can carry',
      );
    else t.equal(verify(create(subject)), subject);
  }
  t.match(create('a\ud800b'), /^ArgumentError/);
  t.match(create('a\r\nSet-Cookie: x=y'), /^ArgumentError/);
  const token = create('café');
  t.equal(verify(token), 'café', 'as UTF-8');
  t.equal(
    call('auth_token_verify', requestWith('Authorization', `Bearer ${token}`), SECRET),
    'café',
    'as Latin-1, which browsers send',
  );
  t.equal(verify(create('😀')), '😀');
  t.equal(verify(signed('cafe\u0301').replace('cafe\u0301', 'café')), null, 'nothing is normalised');
});

/** Milliseconds of processor time of 200 runs. */
function timeOf(run: () => unknown): number {
  return cpuTime(() => {
    for (let i = 0; i < 200; i++) run();
  });
}

t.test('long tokens are refused without an HMAC', async (t) => {
  t.match(create('a'.repeat(8192)), /^ArgumentError: auth_token_create\(\): the token would be longer than 8192 bytes/);
  const most = 'a'.repeat(8192 - 65);
  t.equal(verify(create(most)), most);
  const subject = 'a'.repeat(1 << 20);
  const request = authorized(`Bearer ${signed(subject)}`);
  t.equal(call('auth_token_verify', request, SECRET), null, 'though its signature is right');
  const verifying = timeOf(() => call('auth_token_verify', request, SECRET));
  const signing = timeOf(() => signed(subject));
  t.ok(verifying < signing / 2, `${verifying} ms for 200 tokens, ${signing} ms for their HMACs`);
});

t.test('bearer_required refuses unsigned tokens', async (t) => {
  t.equal(call('bearer_required', authorized(`Bearer ${create('alice')}`), SECRET), 'alice');
  t.equal(call('bearer_required', authorized(`Bearer ${create('')}`), SECRET), '');
  for (const request of [requestWith(), authorized('Bearer x'), authorized(`Bearer ${create('alice', 'other')}`)]) {
    t.equal(
      call('bearer_required', request, SECRET),
      'halt 401 Unauthorized (text/plain; charset=utf-8) WWW-Authenticate: Bearer',
    );
  }
});

function verifyText(token: Value, secret: Value = SECRET): Value {
  return call('auth_token_verify_text', token, secret);
}

/** A token that is valid for a number of seconds. */
function timed(subject: Value, seconds: Value, secret: Value = SECRET): string {
  return call('auth_token_create', subject, secret, seconds) as string;
}

t.test('a token that expires', async (t) => {
  const token = timed('alice', 3600);
  t.match(token, /^svc2\.YWxpY2U\.[0-9a-z]+\.[\w-]{43}$/);
  t.equal(verify(token), 'alice');
  t.equal(verifyText(token), 'alice');
  t.equal(call('bearer_required', authorized(`Bearer ${token}`), SECRET), 'alice');
  const end = Number.parseInt(token.split('.')[2], 36) - Date.now();
  t.ok(end > 3_000_000 && end <= 3_600_000, `${end} milliseconds are left`);
  const short = timed('alice', new Float(0.001));
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(verify(short), null);
  t.equal(verifyText(short), null);
  t.match(call('bearer_required', authorized(`Bearer ${short}`), SECRET), /^halt 401 Unauthorized/);
});

t.test('verify(create(s, expires_in)) is s for every subject', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(subjects, fc.string({ minLength: 1 }), (subject, secret) => {
        const token = timed(subject, 60, secret);
        return verifyText(token, secret) === subject && verify(token, secret) === subject;
      }),
      { numRuns: RUNS },
    ),
  );
});

t.test('the check of tokens without a time refuses those with one, and the other way round', async (t) => {
  /** The check of the contract: split at the last colon, compare the HMAC of what precedes it. */
  const old = (token: string): string | null => {
    const colon = token.lastIndexOf(':');
    return token === signed(token.slice(0, Math.max(colon, 0))) ? token.slice(0, colon) : null;
  };
  t.equal(old(create('alice')), 'alice');
  t.equal(old(timed('alice', 60)), null);
  t.equal(old(timed('alice:x', 60)), null);
  const [start, subject, time] = timed('alice', 60).split('.');
  const content = `${start}.${subject}.${time}`;
  for (const key of [SECRET, 'timed token', ''])
    t.equal(verifyText(`${content}.${createHmac('sha256', key).update(content).digest('base64url')}`), null, key);
  t.equal(verifyText(signed(content)), content, 'a subject may look like such a token');
});

t.test('a changed token that expires is refused', async (t) => {
  const token = timed('alice', 60);
  for (let at = 0; at < token.length; at++)
    for (const other of ['A', 'z', '0', '.', ':', ' ', ''])
      if (token[at] !== other)
        t.equal(verifyText(token.slice(0, at) + other + token.slice(at + 1)), null, `${at} ${other}`);
  t.equal(verifyText(timed('alice', 60, 'other')), null);
  t.equal(verifyText(`${token} `), null);
  t.equal(verifyText(`${token}${'A'.repeat(9000)}`), null);
  t.equal(verifyText(null), null);
  t.equal(verifyText('', SECRET), null);
  t.equal(verifyText(token, ''), null);
  t.equal(verifyText(token, null), null);
});

t.test('expires_in must be a time that a Date can represent', async (t) => {
  for (const value of [0, -5, new Float(NaN), new Float(Infinity), 10n ** 30n])
    t.match(
      timed('alice', value),
      /^ArgumentError: auth_token_create\(\): expires_in must be more than 0 seconds, and no more than a Date can hold, got /,
    );
  t.match(timed('alice', 'x'), /^TypeError/);
  t.match(
    timed('a'.repeat(7000), 60),
    /^ArgumentError: auth_token_create\(\): the token would be longer than 8192 bytes/,
  );
});
