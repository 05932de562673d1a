/** Values are read at once by `quick.ts` and `quicktexts.ts`, others in steps by `reader.ts`: both must agree. */
import fc from 'fast-check';
import t from 'tap';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { compileRegex } from '../../../vm/values/regex/index.js';
import { finish } from '../../../vm/values/steps.js';
import { EnumType, RecordType } from '../../../vm/values/structured.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { quickly } from '../../../natives/core/fields/quick.js';
import { quickTexts } from '../../../natives/core/fields/quicktexts.js';
import { Reader, type Read, UNFIT } from '../../../natives/core/fields/reader.js';
import { encodeJson } from '../../../natives/core/json/encode.js';
import { parseJson } from '../../../natives/core/json/jsonparse.js';

const kind = new EnumType('Kind', ['a', 'bb', '1'], new Map());
const regex = compileRegex('\\A[a-c]+\\z', '');

function record(name: string, types: Value[], texts: string[]): RecordType {
  const fields = texts.map((_, i) => `f${i}`);
  const made = new RecordType(name, fields, Shape.ofRecord(fields));
  made.annotations = { texts, types, constants: [regex] };
  return made;
}

const inner = record('Inner', [], ['Integer(0..5)|Nil', 'String(..2)']);
const TYPES: Value[] = [kind, inner];
// prettier-ignore
const TEXTS = [
  'Integer', 'Integer(0..3)', 'Integer(..3)|Nil', 'Float', 'Float(0...1)', 'Float|Integer', 'Boolean', 'Boolean|Nil', 'String', 'String(1..2)',
  'String(/0)', 'String(..3,/0)', 'Integer|String(..1)', '#0', '#0|Nil', 'Date', 'Date|Nil', '',
];
// prettier-ignore
const NESTED = [
  ...TEXTS, 'Vector', 'Vector<Integer(0..3)>', 'Vector<String>(..2)', 'Hash<String(/0),Integer>(..2)', 'Hash', '#1', '#1|Nil', '#1|Vector<#1>',
  'Vector<Vector<Boolean>|Nil>', 'Vector<Integer>|Hash<String,Integer>',
];

/** What the reader makes of data, and whether it reported a problem. */
function slowly(type: RecordType, data: Hash, texts: 'plain' | null): Read {
  let problems = 0;
  const reader = new Reader({ report: () => problems++, strict: false, texts });
  const read = finish(reader.record(type, data, null, 0) as Generator<void, Value, void>) as Read;
  t.equal(problems > 0, read === UNFIT);
  return read;
}

const shown = (read: Read): string => (read === UNFIT ? 'unfit' : encodeJson(read));

const scalar = fc.oneof(
  fc.integer({ min: -2, max: 6 }),
  fc.constantFrom(0.5, 1.5, -1.5),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('', 'a', 'bb', 'abc', 'abcd', '😀', 'x', '1', '2024-02-28', '2024-02-30'),
);
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('f0', 'f1', 'a', 'A'), tie('value'), { maxKeys: 3 }),
}));

t.test('JSON', async (t) => {
  let fitting = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...NESTED), json), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (fields, isReversed) => {
        const type = record(
          'Outer',
          TYPES,
          fields.map(([text]) => text),
        );
        const given = fields.map(([, value], i) => [`f${i}`, value] as const);
        const data = parseJson(JSON.stringify(Object.fromEntries(isReversed ? given.reverse() : given))) as Hash;
        const slow = slowly(type, data, null);
        const quick = quickly(type)(data, 0);
        if (slow !== UNFIT) fitting++;
        if (quick !== UNFIT) t.equal(shown(quick), shown(slow));
        else if (slow !== UNFIT)
          // Only what needs the reader is left to it.
          t.ok(
            fields.some(([text]) => text.includes('#1|') || text.includes('Vector<Integer>|')),
            fields.join(' '),
          );
      },
    ),
    { numRuns: 1500 },
  );
  t.ok(fitting > 30, `${fitting} of 1500 fit`);
});

t.test('texts', async (t) => {
  let fitting = 0;
  const text = fc.constantFrom(
    '',
    '0',
    '1',
    '2',
    '9',
    '-1',
    '0.5',
    '1e1',
    'true',
    'no',
    'a',
    'bb',
    'abcd',
    '2024-02-28',
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...TEXTS.slice(0, -1)), text, text), { minLength: 1, maxLength: 3 }),
      (fields) => {
        const type = record(
          'Query',
          TYPES,
          fields.map(([type]) => type),
        );
        const pairs = fields.flatMap(([, first, second], i): [string, string][] => [
          ...(first === '9' ? [] : [[`f${i}`, first] as [string, string]]),
          ...(second === '9' ? [] : [[`f${i}`, second] as [string, string]]),
          ['other', first],
        ]);
        const lists = new Map<string, Value[]>();
        for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value]);
        const data = Hash.from([...lists].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
        const slow = slowly(type, data, 'plain');
        if (slow !== UNFIT) fitting++;
        t.equal(shown(quickTexts(type)(pairs)), shown(slow), fields.join(' '));
      },
    ),
    { numRuns: 1500 },
  );
  t.ok(fitting > 100, `${fitting} of 1500 fit`);
});

t.test('types that contain themselves, and deep data', async (t) => {
  const node = record('Node', [], ['Integer', '#0|Nil']);
  node.annotations = { texts: ['Integer', '#0|Nil'], types: [node], constants: [] };
  const deep = (levels: number): Hash => {
    let at = Hash.from([['f0', 1]]);
    for (let i = 0; i < levels; i++)
      at = Hash.from([
        ['f0', 1],
        ['f1', at],
      ]);
    return at;
  };
  t.not(quickly(node)(deep(90), 0), UNFIT);
  t.equal(quickly(node)(deep(200), 0), UNFIT);
  t.not(slowly(node, deep(400), null), UNFIT);
  t.equal(slowly(node, deep(600), null), UNFIT);
  const endless = Hash.from([['f0', new Float(1)]]);
  endless.set('f1', endless);
  t.equal(quickly(node)(endless, 0), UNFIT);
});

t.test('records that several types may fit take no exponential time', async (t) => {
  const types: RecordType[] = [];
  for (let i = 0; i < 4; i++) types.push(record(`T${i}`, [], ['Integer', 'Integer']));
  for (const type of types) type.annotations = { texts: ['#0|#1|#2|#3|Integer', 'Integer'], types, constants: [] };
  let data = Hash.from([['f0', 'x']]);
  for (let i = 0; i < 200; i++)
    data = Hash.from([
      ['f0', data],
      ['f1', 1],
    ]);
  t.equal(slowly(types[0], data, null), UNFIT);
});
