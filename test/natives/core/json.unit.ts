import t from 'tap';
import { encodeAtOnce } from '../../../natives/core/json/encode.js';
import { encodeJson, parseJson } from '../../../natives/core/json/index.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import { equal } from '../../../vm/values/equal.js';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { SetValue } from '../../../vm/values/set.js';
import { Float, type Value } from '../../../vm/values/value.js';
import fc from '../../property.js';
import { call, f, h, send, shown } from './support.js';
import { check } from './property.js';

/** Values of any shape that JSON can represent. */
const values: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Value>(null, true, false),
    fc.integer(),
    fc
      .bigInt()
      .map((n): Value =>
        n <= BigInt(Number.MAX_SAFE_INTEGER) && n >= -BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n,
      ),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n): Value => new Float(n)),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '1', 'a"b', 'a\\', 'toString')),
          tie('value'),
        ),
        { maxLength: 20 },
      )
      .map((entries): Value => Hash.from(entries)),
  ),
})).value;

t.test('encoded values read back', async (t) => {
  check(
    t,
    fc.property(values, fc.boolean(), (value, pretty) => {
      const back = parseJson(encodeJson(value, pretty));
      return equal(back, value) && encodeJson(back) === encodeJson(value);
    }),
    { numRuns: 200 },
  );
});

t.test('valid texts have the same value as in JSON.parse', async (t) => {
  const plain = fc.jsonValue({ noUnicodeString: false } as fc.JsonSharedConstraints);
  check(
    t,
    fc.property(plain, fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      return JSON.stringify(JSON.parse(encodeJson(parseJson(text)))) === JSON.stringify(JSON.parse(text));
    }),
  );
});

t.test('a text is written at once unless it is long, whatever makes it long', async (t) => {
  check(
    t,
    fc.property(values, fc.boolean(), (value, pretty) => encodeAtOnce(value, pretty) === encodeJson(value, pretty)),
  );
  const items = Array.from({ length: 20_000 }, (_, i) => i);
  const chain = Array.from({ length: 100 }).reduce<Value>((inner) => [...items.slice(0, 500), inner], []);
  const long: Record<string, Value> = {
    'a vector': items,
    'a text': 'x'.repeat(1_000_000),
    'a text to escape': '"'.repeat(1_000_000),
    'a set': new SetValue(Hash.from(items.map((i) => [i, true]))),
    'a hash': Hash.from(items.map((i) => [i, i])),
    'a hash with vectors as keys': Hash.from(items.slice(0, 100).map((i) => [[i, ...items.slice(0, 900)], i])),
    'a hash with an Integer of 60,000 bits as key': Hash.from([[1n << 60_000n, 1]]),
    'rows with a long key': items.slice(0, 100).map((i) => h({ ['k'.repeat(10_000)]: i })),
    'an Integer of 60,000 bits': [1n << 60_000n],
    'many levels with some items each': chain,
  };
  for (const [name, value] of Object.entries(long))
    for (const pretty of [false, true]) {
      t.equal(encodeAtOnce(value, pretty), null, name);
      t.ok(encodeJson(value, pretty).length > 10_000, `${name}, written by force`);
    }
  t.throws(() => encodeAtOnce([new Float(NaN)]), 'other errors');
});

t.test('strings of any length, with anything anywhere in them, are read as by JSON.parse', async (t) => {
  const outcome = (parse: (text: string) => unknown, text: string): string => {
    try {
      return JSON.stringify(parse(text));
    } catch {
      return 'refused';
    }
  };
  const wrong: string[] = [];
  const compare = (text: string): void => {
    const [expected, found] = [outcome(JSON.parse, text), outcome(parseJson, text)];
    if (found !== expected) wrong.push(`${JSON.stringify(text)}: ${found}`);
  };
  const anything = [
    '\\"',
    '\\\\',
    '\\n',
    '\\u00e9',
    '\\x',
    '\\u00',
    '\u0001',
    '\u001f',
    '\n',
    '\u007f',
    'é',
    '😀',
    '"',
    '", "',
  ];
  const lengths = [...Array.from({ length: 25 }, (_, i) => i), 254, 255, 256, 257, 1100];
  const padding = `"${'z'.repeat(3000)}"`;
  for (const length of lengths)
    for (let at = 0; at <= length; at += length <= 24 ? 1 : Math.ceil(length / 7))
      for (const part of anything) {
        const content = 'x'.repeat(at) + part + 'y'.repeat(length - at);
        compare(`"${content}"`);
        compare(`["", "${content}", 1]`);
        compare(`["${content}`);
        if (length > 10) compare(`[${padding}, "${content}", "${content}"]`);
      }
  t.same(wrong.slice(0, 5), []);
});

t.test('texts of any length, with anything anywhere in them, are written as by JSON.stringify', async (t) => {
  const inside = [
    '',
    '"',
    '\\',
    '\n',
    '\0',
    '\x1f',
    '\x7f',
    'é',
    'ж',
    '\u2028',
    '😀',
    '\ud83d',
    '\ude00',
    '\ude00\ud83d',
  ];
  let wrong = 0;
  for (const filler of ['x', 'é', 'ж'])
    for (const special of inside)
      for (let length = 0; length <= 130; length = length < 48 ? length + 1 : length + 41)
        for (const at of [0, length >> 1, length]) {
          const text = filler.repeat(at) + special + filler.repeat(length - at);
          if (encodeJson(text) === JSON.stringify(text)) continue;
          if (wrong++ < 5) t.fail(JSON.stringify(text));
        }
  t.equal(wrong, 0);
});

t.test('mutated texts are refused if and only if JSON.parse refuses them', async (t) => {
  const texts = [
    '{"a":1,"b":[true,null,"x\\n\\u00e9"],"c":{"d":-1.5e+3}}',
    '[{"k":"v"},{"k":"w","l":0}]',
    '"\\ud83d\\ude00"',
    '-0.0',
  ];
  const mutation = fc.tuple(
    fc.constantFrom(...texts),
    fc.nat(80),
    fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '1',
      '.',
      'e',
      '-',
      '+',
      ' ',
      '\n',
      '\t',
      'u',
      'n',
      '\u0001',
      '\ufeff',
    ),
    fc.nat(3),
  );
  check(
    t,
    fc.property(mutation, ([text, at, put, removed]) => {
      const mutant = text.slice(0, at) + put + text.slice(at + removed);
      let valid = true;
      try {
        JSON.parse(mutant);
      } catch {
        valid = false;
      }
      return shown(() => parseJson(mutant)).startsWith('ValueError: invalid JSON') !== valid;
    }),
    { numRuns: 1500 },
  );
});

/** JSON, output of `p` for its value. */
const PARSED: [string, string][] = [
  ['1', '1'],
  ['1.0', '1.0'],
  ['1e2', '100.0'],
  ['-0', '0'],
  ['-0.0', '-0.0'],
  ['0.1', '0.1'],
  ['123456789.123456789', '123456789.12345679'],
  ['1234567890123.4567', '1234567890123.4568'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['5e-324', '5e-324'],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['9'.repeat(400), '9'.repeat(400)],
  ['1e999', 'ValueError: invalid JSON at line 1, column 1: number is too large for a Float'],
  ['9'.repeat(10_001), 'ValueError: invalid JSON at line 1, column 1: number has more than 10000 digits'],
  ['{"a":1,"a":2}', '{a: 2}'],
  ['{"b":1,"1":2,"a":3}', '{b: 1, "1": 2, a: 3}'],
  ['{"__proto__":{"admin":true}}', '{__proto__: {admin: true}}'],
  ['"\\ud83d\\ude00"', '"😀"'],
  ['"\\ud800"', '"\\ud800"'],
  ['"\\u0000\\/"', '"\\u0000/"'],
  [`"${'x'.repeat(50)}\\n"`, `"${'x'.repeat(50)}\\n"`],
  [' [ ] ', '[]'],
  ['{ }', '{}'],
  ['', 'ValueError: invalid JSON at line 1, column 1: expected a value, found the end'],
  ['[1,\n 2,]', "ValueError: invalid JSON at line 2, column 4: expected a value, found ']'"],
  ['{"a" 1}', "ValueError: invalid JSON at line 1, column 6: expected ':', found '1'"],
  ['{a:1}', "ValueError: invalid JSON at line 1, column 2: expected a key in double quotes, found 'a'"],
  ['01', "ValueError: invalid JSON at line 1, column 2: expected no digit after a leading 0, found '1'"],
  ['1.', 'ValueError: invalid JSON at line 1, column 3: expected a digit, found the end'],
  ['"a\nb"', 'ValueError: invalid JSON at line 1, column 3: control character in a string'],
  ['"abc', 'ValueError: invalid JSON at line 1, column 1: unterminated string'],
  ['"a\\x"', 'ValueError: invalid JSON at line 1, column 3: unknown escape in a string'],
  ['nul', "ValueError: invalid JSON at line 1, column 1: expected a value, found 'n'"],
  ['NaN', "ValueError: invalid JSON at line 1, column 1: expected a value, found 'N'"],
  ['1 2', "ValueError: invalid JSON at line 1, column 3: expected the end, found '2'"],
  ['\ufeff1', "ValueError: invalid JSON at line 1, column 1: expected a value, found '\ufeff'"],
];

t.test('numbers, duplicate keys, surrogates, broken texts', async (t) => {
  for (const [text, expected] of PARSED)
    t.equal(
      shown(() => call('json_parse', [text])),
      expected,
      text.slice(0, 40),
    );
});

t.test('__proto__ is an ordinary key', async (t) => {
  const hash = parseJson('{"__proto__":{"admin":true},"constructor":1}') as Hash;
  t.equal(hash.get('admin'), undefined);
  t.equal(hash.get('constructor'), 1);
  t.equal(({} as Record<string, unknown>).admin, undefined);
});

t.test('depth is limited in both directions', async (t) => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  t.equal(encodeJson(parseJson(nested(512))), nested(512));
  t.match(
    shown(() => parseJson(nested(513))),
    /nested deeper than 512 levels/,
  );
  t.match(
    shown(() => parseJson('{"a":'.repeat(1e6))),
    /nested deeper than 512 levels/,
  );
  let deep: Value = 1;
  for (let i = 0; i < 513; i++) deep = i % 2 === 0 ? [deep] : h({ a: deep });
  t.match(
    shown(() => encodeJson(deep)),
    /^ValueError: cannot encode as JSON: nested deeper than 512 levels/,
  );
  t.match(
    shown(() => encodeJson(deep, true)),
    /^ValueError/,
  );
});

const POINT = new RecordType('Point', ['x', 'y'], Shape.of(['x', 'y']));

/** Value, its JSON. */
const ENCODED: [Value, string][] = [
  [f(1), '1.0'],
  [f(1e20), '1e+20'],
  [2n ** 64n, '18446744073709551616'],
  ['a"\\\n\u0001é😀', '"a\\"\\\\\\n\\u0001é😀"'],
  ['\ud800', '"\\ud800"'],
  [`${'x'.repeat(50)}"`, `"${'x'.repeat(50)}\\""`],
  [[], '[]'],
  [h({}), '{}'],
  [h({ 'a"b': [1, null, true] }), '{"a\\"b":[1,null,true]}'],
  [
    Hash.from([
      [1, 'a'],
      [f(1.5), 'b'],
      [true, 'c'],
      [null, 'd'],
    ]),
    '{"1":"a","1.5":"b","true":"c","":"d"}',
  ],
  [RecordValue.of(POINT, [1, 'two']), '{"x":1,"y":"two"}'],
  [f(NaN), 'ValueError: cannot encode nan as JSON'],
  [[f(-Infinity)], 'ValueError: cannot encode -inf as JSON'],
  [POINT, 'ValueError: cannot encode Type as JSON'],
];

t.test('encoding', async (t) => {
  for (const [value, expected] of ENCODED)
    t.equal(
      shown(() => call('json_encode', [value])).replace(/^"(.*)"$/s, (all) => JSON.parse(all) as string),
      expected,
    );
});

t.test('cycles and much shared structure are errors', async (t) => {
  const cycle: Value[] = [];
  cycle.push(cycle, cycle);
  t.match(
    shown(() => encodeJson(cycle)),
    'ValueError',
  );
  t.match(
    shown(() => encodeJson(cycle, true)),
    'ValueError',
  );
});

t.test('pretty JSON', async (t) => {
  const value = h({ a: [1, h({ b: 'x' })], c: [], d: h({}) });
  t.equal(
    call('json_encode', [value], { pretty: true }),
    JSON.stringify({ a: [1, { b: 'x' }], c: [], d: {} }, null, 2),
  );
  t.equal(send(value, 'to_json'), '{"a":[1,{"b":"x"}],"c":[],"d":{}}');
});

t.test('new keys in each text do not fill the memory with shapes', async (t) => {
  const objects = Array.from(
    { length: 5000 },
    (_, i) => `{${Array.from({ length: 16 }, (_, k) => `"k${i}_${k}":1`).join(',')}}`,
  );
  const madeBefore = Shape.made;
  const list = parseJson(`[${objects.join(',')}]`) as Hash[];
  t.ok(Shape.made - madeBefore < 1100);
  t.equal(list[4999].get('k4999_15'), 1);
  t.equal(list[4999].size, 16);
});
