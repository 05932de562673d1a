import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { measure, THRESHOLD, welch } from './timing.js';

const NATIVES = resolve(import.meta.dirname, '../../../natives');

t.test('secrets are compared only by timingSafeEqual', async (t) => {
  const secrets = readFileSync(join(NATIVES, 'io/secrets.ts'), 'utf8');
  t.match(secrets, 'timingSafeEqual(sha256(', 'after hashing both sides, so that lengths do not matter');
  for (const file of readdirSync(join(NATIVES, 'auth'))) {
    const source = readFileSync(join(NATIVES, 'auth', file), 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
    // Other comparisons are with constants (nil, "", a scheme, status or site, the length of a name or signature), or of values that are public.
    for (const [comparison, right] of source.matchAll(/[^\s(]+ [!=]==? ([^\s,;)]+)/g))
      t.match(
        right,
        /^(null|undefined|true|0|13|200|'[\w:-]*'|SIGNATURE|ownHost|found|url\.href|Errors\.\w+)$/,
        `${file}: ${comparison}`,
      );
    // What these look at is public: names of algorithms, types of keys and scopes, the form of a token.
    const others = source.replace(
      /algorithms\.includes\(alg\)|fitting\.includes\(type\)|startsWith\('HS'\)|includes\('openid'\)|startsWith\(TIMED\)|token\.includes\(':'\)/g,
      '',
    );
    t.notMatch(others, /\.(localeCompare|startsWith|endsWith|includes|equals|compare)\(/, file);
  }
  for (const file of ['password', 'csrf'])
    t.match(readFileSync(join(NATIVES, `auth/${file}.ts`), 'utf8'), /return .*timingSafeEqual\(/, file);
});

t.test('the test finds a comparison that leaks', async (t) => {
  const naive = (given: string, secret: string): boolean => {
    for (let i = 0; i < secret.length; i++) if (given[i] !== secret[i]) return false;
    return true;
  };
  const given = 'x'.repeat(20_000);
  const score = measure(
    { name: 'naive', given, secrets: [`y${given.slice(1)}`, `${given.slice(1)}y`], compare: naive },
    2000,
  );
  t.ok(Math.abs(score) > THRESHOLD, `t = ${score}`);
});

t.test('Welch’s t', async (t) => {
  t.equal(welch([1, 2, 3, 4], [1, 2, 3, 4]), 0);
  t.ok(Math.abs(welch([27.5, 21, 19, 23.6, 17, 17.9], [27.1, 22, 20.8, 23.4, 23.4, 23.5]) + 1.2) < 0.6);
  t.equal(Math.round(welch([3, 4, 1, 2.1], [490.2, 340, 433.9]) * 100) / 100, -9.56);
});
