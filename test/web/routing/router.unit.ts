import t, { type Test } from 'tap';
import { BAD_PATH, Router } from '../../../natives/web/routing/router.js';
import { shortest } from '../../clock.js';
import fc from '../../property.js';
import { referenceFind } from './reference-router.js';

function routerOf(patterns: string[]): Router<string> {
  const router = new Router<string>();
  for (const pattern of patterns) router.add('GET', pattern, pattern);
  return router;
}

/** The pattern that matched and its parameters, 'bad', or null. */
function found(router: Router<string>, path: string): [string, Record<string, string>] | 'bad' | null {
  const match = router.find('GET', path);
  if (match === null) return null;
  if (match === BAD_PATH) return 'bad';
  return [match.value, Object.fromEntries(match.names.map((name, i) => [name, match.values[i]]))];
}

type Row = [path: string, expected: [string, Record<string, string>] | 'bad' | null];

function check(t: Test, patterns: string[], rows: Row[]): void {
  for (const order of [patterns, [...patterns].reverse()]) {
    const router = routerOf(order);
    for (const [path, expected] of rows) t.strictSame(found(router, path), expected, path);
  }
}

t.test('a parameter matches one segment that is not empty', async (t) => {
  check(
    t,
    ['/a/:x', '/a/:x/b', '/:x/:y/:z/:w'],
    [
      ['/a/1', ['/a/:x', { x: '1' }]],
      ['/a/1/b', ['/a/:x/b', { x: '1' }]],
      ['/a/', null],
      ['/a/1/', null],
      ['/a//b', null],
      ['/a', null],
      ['/1/2/3/4', ['/:x/:y/:z/:w', { x: '1', y: '2', z: '3', w: '4' }]],
      ['', null],
      ['*', null],
      ['a/1', null],
      ['example.com:80', null],
    ],
  );
});

t.test('a parameter matches a part of a segment', async (t) => {
  check(
    t,
    ['/f/:name.json', '/a-:x-b', '/:y-:m-:d/e', '/g/:größe'],
    [
      ['/f/data.json', ['/f/:name.json', { name: 'data' }]],
      ['/f/a.json.json', ['/f/:name.json', { name: 'a.json' }]],
      ['/f/.json', null],
      ['/f/data.jsonx', null],
      ['/a-1-b', ['/a-:x-b', { x: '1' }]],
      ['/a---b', ['/a-:x-b', { x: '-' }]],
      ['/a-b', null],
      ['/a--b', null],
      ['/2026-01-31/e', ['/:y-:m-:d/e', { y: '2026', m: '01', d: '31' }]],
      ['/a-b-c-d/e', ['/:y-:m-:d/e', { y: 'a', m: 'b', d: 'c-d' }]],
      ['/a--d/e', null],
      ['/a-b-/e', null],
      ['/g/5', ['/g/:größe', { größe: '5' }]],
    ],
  );
});

t.test('the most specific pattern wins in any order of registration', async (t) => {
  check(
    t,
    ['/a/b', '/a/b:x', '/a/:x', '/a/*r', '/*r', '/:x/b', '/x-:y', '/x-:y-z', '/:y-z', '/'],
    [
      ['/a/b', ['/a/b', {}]],
      ['/a/bc', ['/a/b:x', { x: 'c' }]],
      ['/a/c', ['/a/:x', { x: 'c' }]],
      ['/a/c/d', ['/a/*r', { r: 'c/d' }]],
      ['/c/b', ['/:x/b', { x: 'c' }]],
      ['/c/d', ['/*r', { r: 'c/d' }]],
      ['/x-1-z', ['/x-:y-z', { y: '1' }]],
      ['/x-1', ['/x-:y', { y: '1' }]],
      ['/1-z', ['/:y-z', { y: '1' }]],
      ['/', ['/', {}]],
    ],
  );
});

t.test('patterns that are equally specific have a fixed order', async (t) => {
  check(
    t,
    ['/:x-:y', '/:x-', '/f/:a-:b.:c', '/f/:a.:b-:c'],
    [
      ['/a-b-', ['/:x-:y', { x: 'a', y: 'b-' }]],
      ['/f/1-2.3-4', ['/f/:a-:b.:c', { a: '1', b: '2', c: '3-4' }]],
      ['/f/1.2-3', ['/f/:a.:b-:c', { a: '1', b: '2', c: '3' }]],
    ],
  );
});

t.test('a search that reaches a dead end tries the other branches', async (t) => {
  check(
    t,
    ['/a/b/c/d', '/a/:x/c/e', '/:y/b/c/f', '/:y/:x/c-:z/g', '/ab/x', '/:y/y', '/abc'],
    [
      ['/a/b/c/d', ['/a/b/c/d', {}]],
      ['/a/b/c/e', ['/a/:x/c/e', { x: 'b' }]],
      ['/a/b/c/f', ['/:y/b/c/f', { y: 'a' }]],
      ['/a/b/c-1/g', ['/:y/:x/c-:z/g', { y: 'a', x: 'b', z: '1' }]],
      ['/a/b/c/g', null],
      ['/ab/y', ['/:y/y', { y: 'ab' }]],
      ['/abc/y', ['/:y/y', { y: 'abc' }]],
      ['/abc', ['/abc', {}]],
      ['/abcd', null],
    ],
  );
});

t.test('a rest parameter matches everything that remains, even nothing', async (t) => {
  check(
    t,
    ['/files/*path', '/all/*', '/u/:id/*rest'],
    [
      ['/files/a/b', ['/files/*path', { path: 'a/b' }]],
      ['/files/', ['/files/*path', { path: '' }]],
      ['/files//', ['/files/*path', { path: '/' }]],
      ['/files', null],
      ['/all/x', ['/all/*', { splat: 'x' }]],
      ['/files/a%2Fb/%25', ['/files/*path', { path: 'a/b/%' }]],
      ['/u/1/2/3', ['/u/:id/*rest', { id: '1', rest: '2/3' }]],
      ['/files/%', 'bad'],
    ],
  );
});

t.test('a trailing slash counts, and so do empty segments', async (t) => {
  // prettier-ignore
  check(t, ['/a', '/b/', '//c', '/d//e'], [
    ['/a', ['/a', {}]], ['/a/', null], ['/b', null], ['/b/', ['/b/', {}]], ['//c', ['//c', {}]], ['/c', null], ['/d//e', ['/d//e', {}]], ['/d/e', null],
  ]);
});

t.test('parameters are decoded once, and malformed paths have a result of their own', async (t) => {
  check(
    t,
    ['/p/:x', '/q/:x/end', '/r/*y'],
    [
      ['/p/a%2fb', ['/p/:x', { x: 'a/b' }]],
      ['/p/..%2F..%2Fx', ['/p/:x', { x: '../../x' }]],
      ['/p/..', ['/p/:x', { x: '..' }]],
      ['/p/%252F', ['/p/:x', { x: '%2F' }]],
      ['/p/%2525', ['/p/:x', { x: '%25' }]],
      ['/p/a+b', ['/p/:x', { x: 'a+b' }]],
      ['/p/%20', ['/p/:x', { x: ' ' }]],
      ['/p/%F0%9F%98%80', ['/p/:x', { x: '😀' }]],
      ['/p/a%2fb/c', null],
      ['/q/a%2fb/end', ['/q/:x/end', { x: 'a/b' }]],
      ['/r/a%2fb/%2f', ['/r/*y', { y: 'a/b//' }]],
      ...[
        '/p/%00',
        '/p/%zz',
        '/p/%',
        '/p/%1',
        '/p/%C2',
        '/p/%C0%80',
        '/p/%ED%A0%80',
        '/p/%c3/%a9',
        '/p/%%2f',
        '/none/%zz',
        '/q/%00/x',
        '/%zz',
        '%zz',
      ].map((path): Row => [path, 'bad']),
    ],
  );
  t.equal(routerOf(['/a']).find('POST', '/%zz'), BAD_PATH, 'for a method without routes too');
});

t.test('literal text is compared decoded', async (t) => {
  check(
    t,
    ['/café', '/a%20b', '/x%2Fy', '/50%25', '/50%25-:n', '/:any', '/%2A'],
    [
      ['/caf%C3%A9', ['/café', {}]],
      ['/caf%c3%a9', ['/café', {}]],
      ['/%61%20b', ['/a%20b', {}]],
      ['/a%20b', ['/a%20b', {}]],
      ['/x%2fy', ['/x%2Fy', {}]],
      ['/x/y', null],
      ['/50%25', ['/50%25', {}]],
      ['/50%', 'bad'],
      ['/50%25-1', ['/50%25-:n', { n: '1' }]],
      ['/*', ['/%2A', {}]],
      ['/%35x', ['/:any', { any: '5x' }]],
    ],
  );
});

t.test('composed and decomposed letters differ', async (t) => {
  check(
    t,
    ['/caf\u00e9', '/v/:x'],
    [
      ['/caf%C3%A9', ['/caf\u00e9', {}]],
      ['/cafe%CC%81', null],
      ['/v/e%CC%81', ['/v/:x', { x: 'e\u0301' }]],
    ],
  );
});

t.test('names of Object.prototype are ordinary names', async (t) => {
  const words = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const router = routerOf([...words.map((word) => `/${word}`), '/p/:__proto__', '/p/:constructor/x']);
  for (const word of words) {
    t.same(router.find('GET', `/${word}`), { value: `/${word}`, names: [], values: [] });
    t.equal(router.find('GET', `/${word}/x`), null);
    t.equal(router.find(word, '/'), null);
    t.same(router.find('GET', `/p/${word}`), { value: '/p/:__proto__', names: ['__proto__'], values: [word] });
    t.equal(new Router().find('GET', `/${word}`), null);
  }
  t.same(router.find('GET', '/p/1/x'), { value: '/p/:constructor/x', names: ['constructor'], values: ['1'] });
});

t.test('a duplicate pattern returns the first one, which stays', async (t) => {
  const router = new Router<number>();
  const patterns = ['/a', '/a/:x', '/a/*r', '/f-:x.y', '/'];
  patterns.forEach((pattern, i) => t.same(router.add('GET', pattern, i), { duplicateOf: null }));
  const again = ['/%61', '/a/:other', '/a/*', '/f-:z.y', '/'];
  again.forEach((pattern, i) => t.same(router.add('GET', pattern, 100 + i), { duplicateOf: i }, pattern));
  t.same(router.add('POST', '/a', 7), { duplicateOf: null }, 'another method is another route');
  t.same(router.find('GET', '/a'), { value: 0, names: [], values: [] });
  t.same(router.find('GET', '/a/1'), { value: 1, names: ['x'], values: ['1'] });
  t.same(router.find('POST', '/a'), { value: 7, names: [], values: [] });
});

t.test('methodsFor lists the methods that have a route for a path', async (t) => {
  const router = new Router<number>();
  router.add('GET', '/a/:x', 1);
  router.add('POST', '/a/b', 2);
  router.add('DELETE', '/c', 3);
  t.same(router.methodsFor('/a/b'), ['GET', 'POST']);
  t.same(router.methodsFor('/a/x'), ['GET']);
  t.same(router.methodsFor('/none'), []);
  t.same(router.methodsFor('/a/%zz'), []);
});

t.test('malformed patterns are refused with a message that quotes them', async (t) => {
  // prettier-ignore
  const rows: [pattern: string, message: RegExp][] = [
    ['', /begin with "\/"/], ['a', /begin with "\/"/], ['*', /begin with "\/"/],
    ['/:', /needs a name/], ['/a/:/b', /needs a name/], ['/:-x', /needs a name/],
    ['/:a/:a', /"a" appears twice/], ['/:a-:a', /"a" appears twice/], ['/:r/*r', /"r" appears twice/],
    ['/*a/b', /"\*a" must be the last/], ['/*/', /must be the last/], ['/a*', /may only begin/], ['/a*b/c', /may only begin/],
    ['/*a-b', /"a-b" is not a parameter name/], ['/:a:b', /text between/],
    ['/50%', /invalid percent-escape/], ['/%00', /invalid percent-escape/], ['/\0', /invalid percent-escape/], ['/a?b', /never contains "\?"/],
  ];
  for (const [pattern, message] of rows) {
    const router = new Router<number>();
    t.throws(() => router.add('GET', pattern, 1), { message }, pattern);
    t.throws(() => router.add('GET', pattern, 1), new Error(), pattern);
    t.same(router.methodsFor('/'), [], 'nothing was added');
  }
  t.throws(() => new Router().add('GET', '/a/:', 1), {
    message: 'route pattern "/a/:": a parameter needs a name after ":"',
  });
});

const PIECES = [
  'a',
  'b',
  'ab',
  'abc',
  '',
  'é',
  'a%20b',
  'a%2Fb',
  '%25',
  'a-b',
  '__proto__',
  ':',
  ':',
  ':',
  'a:',
  ':.a',
  ':-:',
  ':.:',
  ':-',
  'a-:',
  'a-:-b',
  ':-b',
  ':%2F:',
  'a%25:',
  ':-:.a',
  ':.:-a',
];
const PATH_PIECES = [
  'a',
  'b',
  'ab',
  'abc',
  'abcd',
  '',
  'a-',
  '-a',
  'a-b',
  'a-b-',
  '-.a',
  'x.a',
  'x-.a',
  'x-y.z-a',
  'x.y-z.a',
  'a-x-b',
  '1-2-3',
  'x',
  '__proto__',
  '%61',
  '%C3%A9',
  'a%20b',
  'a%2Fb',
  'a%2fb',
  '%2F',
  'x%2Fy',
  '%25',
  'a%25',
  '%2525',
  '+',
];

const anyPattern = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([pieces, hasRest]) => {
    let count = 0;
    const text = `/${pieces.join('/')}${hasRest ? '/*' : ''}`;
    return text.replaceAll(':', () => `:n${count++}`);
  });
const anyPath = fc
  .array(
    fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...PATH_PIECES) },
      { weight: 1, arbitrary: fc.constantFrom('%zz', '%00', '%C3') },
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((pieces) => `/${pieces.join('/')}`);

t.test('agrees with the reference on random routes and paths', async () => {
  fc.assert(
    fc.property(
      fc.array(anyPattern, { maxLength: 14 }),
      fc.array(anyPath, { minLength: 1, maxLength: 12 }),
      (patterns, paths) => {
        const router = new Router<number>();
        patterns.forEach((pattern, i) => router.add('GET', pattern, i));
        for (const path of paths) {
          const match = router.find('GET', path);
          const expected = referenceFind(patterns, path);
          const actual = match === BAD_PATH ? 'bad' : match;
          if (JSON.stringify(actual) !== JSON.stringify(expected)) {
            throw new Error(
              `${JSON.stringify(patterns)} ${path}: ${JSON.stringify(actual)}, reference ${JSON.stringify(expected)}`,
            );
          }
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

t.test('agrees with the reference on malformed and unusual paths', async () => {
  fc.assert(
    fc.property(
      fc.array(anyPattern, { maxLength: 8 }),
      fc.string({ unit: 'binary-ascii', maxLength: 30 }),
      (patterns, text) => {
        const path = `/${text.replaceAll('\0', '%')}`;
        const router = new Router<number>();
        patterns.forEach((pattern, i) => router.add('GET', pattern, i));
        const match = router.find('GET', path);
        return JSON.stringify(match === BAD_PATH ? 'bad' : match) === JSON.stringify(referenceFind(patterns, path));
      },
    ),
    { numRuns: 1_000 },
  );
});

t.test('encodeURIComponent of any text comes back as the parameter', async () => {
  const router = routerOf(['/v/:x']);
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
      (text) =>
        JSON.stringify(found(router, `/v/${encodeURIComponent(text)}`)) === JSON.stringify(['/v/:x', { x: text }]),
    ),
  );
});

/** Reads the characters of a text some times; returns their sum. */
function readTimes(count: number, text: string): number {
  let sum = 0;
  for (let time = 0; time < count; time++) for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  return sum;
}

/** Runs of which the shortest counts: in the first ones V8 has not compiled what runs. */
const TRIES = 30;

t.test('no path is slow in any table of routes', async (t) => {
  const long = 'x'.repeat(8_000);
  const mixed = ['/lit/r', '/p/r:n', '/v/r', '/w/:a-r'];
  const bits = (i: number): string =>
    i
      .toString(2)
      .padStart(13, '0')
      .split('')
      .map((bit, k) => (bit === '0' ? 'a' : `:p${k}`))
      .join('/');
  const tables: Record<string, string[]> = {
    mixed: Array.from({ length: 10_000 }, (_, i) => mixed[i % 4].replace('r', `r${i}`) + (i % 3 ? '' : '/:z/*q')),
    crossed: Array.from({ length: 8_192 }, (_, i) => `/${bits(i)}`),
    deep: [`/${Array.from({ length: 500 }, (_, i) => `:p${i}`).join('/')}`],
  };
  // prettier-ignore
  const paths = [
    `/${long}`, `/p/r${long}`, `/w/${long}-r3`, `/v/r2/${long}`, '/a'.repeat(5_000), '/%61'.repeat(2_000), '/'.repeat(8_000), '/a-'.repeat(2_600),
    `${'/a'.repeat(13)}/`, '/%zz'.repeat(2_000), `/v/r2/${'%2f'.repeat(2_600)}`, '/a'.repeat(500),
  ];
  // For the bound: reading a path 70 times, at most a millisecond. A search in quadratic time would read it thousands of times.
  const reading = shortest(() => readTimes(70, long), TRIES);
  for (const [name, patterns] of Object.entries(tables)) {
    const router = routerOf(patterns);
    for (const path of paths) {
      const ms = shortest(() => router.find('GET', path), TRIES);
      // A search visits all 16,000 nodes of the crossed table. An exponential search would take hours.
      t.ok(
        ms < (name === 'crossed' ? 10 : 1) * reading,
        `${name}: ${path.slice(0, 12)}… of ${path.length} took ${ms.toFixed(3)} ms, reading ${reading.toFixed(3)} ms`,
      );
    }
  }
});
