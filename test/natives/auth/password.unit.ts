import { scryptSync } from 'node:crypto';
import t from 'tap';
import type { Value } from '../../../vm/values/value.js';
import { call, callWaiting, started } from './support.js';

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** Makes a cheap hash without the library. */
function made(password: string, { ln = 4, r = 8, p = 1, salt = 16, key = 32 } = {}): string {
  const bytes = Buffer.alloc(salt, 7);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(bytes)}$${base64(scryptSync(password, bytes, key, { N: 2 ** ln, r, p, maxmem: 2 ** 28 }))}`;
}

const hash = (password: Value): Promise<Value> => callWaiting('password_hash', password);
const verify = (password: Value, text: Value): Promise<Value> => callWaiting('password_verify', password, text);

t.test('a hash verifies only its password', async (t) => {
  const [first, second] = await Promise.all([hash('correct horse'), hash('correct horse')]);
  t.match(first, /^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.not(first, second, 'each has its own salt');
  t.equal(await verify('correct horse', first), true);
  for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', 'correct horse\0', ''])
    t.equal(await verify(wrong, first), false, JSON.stringify(wrong));
  t.equal(call('password_needs_rehash?', first), false);
});

t.test('passwords are compared byte by byte, in full', async (t) => {
  const long = 'x'.repeat(100_000);
  for (const password of ['é😀ü', ' ', '\n', '\ufeff', long])
    t.equal(await verify(password, made(password)), true, JSON.stringify(password.slice(0, 20)));
  for (const [password, other] of [
    ['é', 'e\u0301'],
    [long, `${long}x`],
    [long, `${long.slice(1)}y`],
  ])
    t.equal(await verify(other, made(password)), false);
});

t.test('invalid passwords', async (t) => {
  t.equal(await hash(''), 'ArgumentError: password_hash() needs a password that is not empty');
  for (const password of ['a\ud800', 'a\0', '\0'])
    t.equal(
      await hash(password),
      'ArgumentError: password_hash(): the password contains a NUL or a lone surrogate, so other passwords would match it as well',
    );
  t.equal(await hash(null), 'TypeError: password_hash(): password must be String, got Nil');
  t.equal(await hash(5), 'TypeError: password_hash(): password must be String, got Integer');
  t.equal(await verify(null, made('x')), false);
  t.equal(await verify('', made('')), false, 'an empty password matches nothing');
  t.equal(await verify('\ud800', made('\ufffd')), false);
  t.equal(await verify('x\0', made('x')), false, 'scrypt alone would take one for the other');
});

t.test('vectors of RFC 7914', async (t) => {
  const salt = base64(Buffer.from('SodiumChloride'));
  const key = base64(
    Buffer.from(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
      'hex',
    ),
  );
  t.equal(await verify('pleaseletmein', `$scrypt$ln=14,r=8,p=1$${salt}$${key}`), true);
  t.equal(await verify('pleaseletmeit', `$scrypt$ln=14,r=8,p=1$${salt}$${key}`), false);
});

t.test('malformed and costly hashes are refused without work', async (t) => {
  const good = made('x');
  const [, , parameters, salt, key] = good.split('$');
  t.equal(await verify('x', good), true);
  const bad = [
    '',
    '$',
    'x',
    '$scrypt$',
    `${good}$`,
    ` ${good}`,
    `${good} `,
    `${good}\n`,
    `${good}=`,
    good.slice(1),
    good.toUpperCase(),
    good.replace('scrypt', 'argon2id'),
    `$scrypt$${parameters}$${salt}`,
    `$scrypt$${parameters}$$${key}`,
    `$scrypt$${parameters}$${salt}$`,
    `$scrypt$${parameters}$${salt}$${key}$${key}`,
    `$scrypt$${parameters}$${salt}$${key.slice(0, 20)}`,
    `$scrypt$${parameters}$${salt}$${key.slice(1).replace(/^./, '-')}`,
    `$scrypt$${parameters}$c2FsdA$${key}`,
    `$scrypt$${parameters}$${'A'.repeat(300)}$${key}`,
    ...[
      'ln=0,r=8,p=1',
      'ln=4,r=0,p=1',
      'ln=4,r=8,p=0',
      'ln=-1,r=8,p=1',
      'ln=04,r=8,p=1',
      'ln=4.0,r=8,p=1',
      'ln=4,r=8',
      'r=8,ln=4,p=1',
      'ln=4,r=8,p=1,x=1',
      'ln=0x4,r=8,p=1',
      'ln=1e1,r=8,p=1',
      'N=16,r=8,p=1',
      // Above 256 MiB, by memory and by rounds, and parameters that only a hostile database would contain.
      'ln=19,r=8,p=1',
      'ln=18,r=9,p=1',
      'ln=18,r=8,p=2',
      'ln=31,r=8,p=1',
      'ln=99,r=9999,p=9999',
      'ln=15,r=8,p=9999',
      'ln=1,r=9999,p=9999',
      'ln=999,r=8,p=1',
    ].map((text) => `$scrypt$${text}$${salt}$${key}`),
    '$2b$12$abcdefghijklmnopqrstuuJ1p4P0wq0u0g9P5Qm0m2f9Q1Yx0a1bC',
    'x'.repeat(1_000_000),
  ];
  const before = process.cpuUsage();
  for (const text of bad) {
    t.equal(call('password_verify', 'x', text), false, text.slice(0, 60));
    t.equal(call('password_needs_rehash?', text), true);
  }
  t.ok(process.cpuUsage(before).user < 500_000, 'no key is derived');
  t.equal(await verify('x', `$scrypt$ln=16,r=1,p=1$${salt}$${key}`), false, 'RFC 7914 forbids these parameters');
});

t.test('a hash of 256 MiB is verified', async (t) => {
  const stored = `$scrypt$ln=18,r=8,p=1$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(32))}`;
  t.equal(await verify('x', stored), false);
  t.equal(call('password_needs_rehash?', stored), false, 'it is stronger than the default');
});

t.test('weaker hashes need a rehash', async (t) => {
  for (const weak of [
    made('x'),
    made('x', { ln: 14 }),
    made('x', { ln: 15, salt: 8 }),
    made('x', { ln: 15, key: 16 }),
    made('x', { ln: 15, r: 4 }),
    null,
  ])
    t.equal(call('password_needs_rehash?', weak), true);
  for (const good of [
    made('x', { ln: 15 }),
    made('x', { ln: 16, r: 4 }),
    made('x', { ln: 15, p: 2, salt: 32, key: 64 }),
  ])
    t.equal(call('password_needs_rehash?', good), false);
});

/** Milliseconds of processor time of all threads of the process. */
async function work(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

t.test('a user who does not exist takes as long as a wrong password', async (t) => {
  const stored = await hash('secret');
  const wrong = await work(() => verify('x', stored));
  const missing = await work(async () => t.equal(await verify('x', null), false));
  t.ok(missing > wrong / 2, `${missing} ms against ${wrong} ms`);
});

t.test('hashing blocks no other thread', async (t) => {
  let rounds = 0;
  let isOver = false;
  const round = (): void => {
    rounds++;
    if (!isOver) setImmediate(round);
  };
  round();
  await Promise.all([hash('a'), hash('b'), hash('c')]);
  isOver = true;
  // On the main thread the three hashes would leave time for a few rounds only.
  t.ok(rounds > 100, `${rounds} rounds of the event loop`);
});

t.test('a cancelled thread gives up its turn', async (t) => {
  const calls = Array.from({ length: 40 }, () => started('password_hash', 'x'));
  const used = await work(async () => {
    for (const { cancel } of calls) cancel();
    await hash('x');
  });
  const one = await work(() => hash('x'));
  t.ok(used < one * 10, `${used} ms for what is left of 40, ${one} ms for one`);
});
