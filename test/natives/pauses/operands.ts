/** Operands for calls of all natives: large values, by the types of signatures. */
import { mkdirSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Bytes } from '../../../vm/values/bytes.js';
import { EnumType, Range, RecordType, RecordValue } from '../../../vm/values/structured.js';
import { DecimalValue } from '../../../natives/decimal/decimal.js';
import { DurationValue } from '../../../natives/core/dates/duration.js';
import { openStore } from '../../../natives/keystore/opening.js';
import { documentOf, loadParser } from '../../../natives/io/client/html.js';
import { STREAMS } from '../../../natives/core/output.js';
import { Errors, ErrorValue } from '../../../vm/values/error.js';
import { Hash, Shape } from '../../../vm/values/hash.js';
import { LAZY, SEQUENCE, Sequence } from '../../../vm/calls/sequence.js';
import type { HandleType } from '../../../vm/values/handle.js';
import { iterate } from '../../../vm/values/iteration.js';
import { mapping } from '../../../natives/core/sequences/stages.js';
import { SetValue } from '../../../vm/values/set.js';
import { finish } from '../../../vm/values/steps.js';
import { foundAtOnce, type Found } from '../../../natives/core/regex/engine.js';
import { MatchValue } from '../../../natives/core/regex/match.js';
import { compileRegex } from '../../../vm/values/regex/index.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';

await loadParser();

/** A value and its name in messages. */
export interface Operand {
  name: string;
  make(): Value;
}

/** Characters or elements. */
const MANY = process.env.SVC_LONG === '1' ? 1_000_000 : 200_000;
const PAIRS = MANY / 4;

function operand(name: string, make: () => Value): Operand {
  return { name, make };
}

/** An operand that natives do not change. */
function once(name: string, make: () => Value): Operand {
  let value: Value | undefined;
  return operand(name, () => (value ??= make()));
}

const decimal = (text: string): Value => DecimalValue.parse(text) as Value;

/** A vector, copied for each call. */
function vector(name: string, length: number, item: (i: number) => Value): Operand {
  let all: Value[] | undefined;
  return operand(name, () => (all ??= Array.from({ length }, (_, i) => item(i))).slice());
}

function hash(name: string, entries: () => Iterable<readonly [Value, Value]>): Operand {
  let all: Hash | undefined;
  return operand(name, () => (all ??= Hash.from(entries())).copy());
}

/** A value nested in vectors or hashes. */
function within(value: Value, depth: number, around: (inner: Value) => Value): Value {
  let out = value;
  for (let i = 0; i < depth; i++) out = around(out);
  return out;
}

function* counted<T>(count: number, make: (i: number) => T): Generator<T> {
  for (let i = 0; i < count; i++) yield make(i);
}

const numbers = (): Value[] => Array.from({ length: MANY }, (_, i) => (i * 7919) % MANY);

const TEXTS: readonly Operand[] = [
  once('lines', () => 'some words in a line\n'.repeat(MANY / 20)),
  once('one letter', () => 'a'.repeat(MANY)),
  once('blanks', () => ' '.repeat(MANY)),
  once('digits', () => '7'.repeat(MANY)),
  once('emoji', () => 'a😀é'.repeat(MANY / 4)),
  once('marks', () => '<&>"\'%\\{{a}}'.repeat(MANY / 12)),
  once('JSON', () => `[${'[{"a": 1, "b": [1.5, "x"]}], '.repeat(MANY / 30)}null]`),
  once('newlines', () => '\n'.repeat(MANY)),
  once('quotes', () => '"'.repeat(MANY)),
  once('backslashes', () => '\\'.repeat(MANY)),
  once('commas', () => ','.repeat(MANY)),
  once('a string in JSON', () => `"${'\\n'.repeat(MANY / 2)}"`),
  once('nested JSON', () => within(`[${'[1, 2], '.repeat(MANY / 8)}1]`, 500, (inner) => `[${inner as string}]`)),
  once('directives', () => '%%%1$9s,'.repeat(MANY / 8)),
  once('pairs', () => 'a%20b=1&'.repeat(MANY / 8)),
];

const BYTES: readonly Operand[] = [
  once('zeros', () => new Bytes(new Uint8Array(MANY))),
  once('letters', () => new Bytes(new Uint8Array(MANY).fill(97))),
  once('all bytes', () => new Bytes(Uint8Array.from({ length: MANY }, (_, i) => i * 7919))),
  once('gzip', () => new Bytes(gzipSync(new Uint8Array(MANY)))),
  once('zlib', () => new Bytes(deflateSync(new Uint8Array(MANY)))),
  once('brotli', () => new Bytes(brotliCompressSync(new Uint8Array(MANY)))),
];

const VECTORS: readonly Operand[] = [
  vector('Integers', MANY, (i) => (i * 7919) % MANY),
  vector('Strings', MANY, (i) => `word ${i}`),
  vector('Floats', MANY, (i) => new Float(i / 8)),
  vector('pairs', PAIRS, (i) => [`key ${i}`, i]),
  vector('large Integers', PAIRS, (i) => 2n ** 80n + BigInt(i)),
  vector('long texts', 100, (i) => `${'long '.repeat(MANY / 50)}${i}`),
  vector('long vectors', 10, () => Array.from({ length: MANY / 10 }, (_, i) => i)),
  operand('a deep vector', () => within(numbers(), 100, (inner) => [inner])),
  operand('a deep hash', () => [within(numbers(), 100, (inner) => Hash.from([['in', inner]]))]),
  vector('hashes', PAIRS, (i) =>
    Hash.from([
      ['id', i],
      ['name', `name ${i}`],
    ]),
  ),
  vector('errors of a field', PAIRS, (i) =>
    Hash.from([
      ['at', '/key 5'],
      ['message', `<word ${i}>`],
    ]),
  ),
];

// prettier-ignore
const HASHES: readonly Operand[] = [
  hash('String keys', () => counted(PAIRS, (i) => [`key ${i}`, i] as const)),
  hash('Integer keys', () => counted(PAIRS, (i) => [i * 3, `value ${i}`] as const)),
  hash('vectors as keys', () => counted(PAIRS / 10, (i) => [[i, `${i}`], i] as const)),
  hash('long vectors', () => counted(10, (k) => [`key ${k}`, Array.from({ length: MANY / 10 }, (_, i) => i)] as const)),
  hash('long texts', () => counted(10, (i) => [`key ${i}`, '<&>'.repeat(MANY / 30)] as const)),
  hash('a deep hash', () => [['in', within(Hash.from(counted(PAIRS, (i) => [`key ${i}`, i] as const)), 100, (inner) => Hash.from([['in', inner]]))]]),
];

const setOfMany = (name: string, count: number, item: (i: number) => Value): Operand => {
  const elements = hash(name, () => counted(count, (i) => [item(i), true] as const));
  return operand(name, () => new SetValue(elements.make() as Hash));
};
const SETS: readonly Operand[] = [
  setOfMany('a set of Integers', PAIRS, (i) => i * 3),
  setOfMany('a set of Strings', PAIRS, (i) => `key ${i}`),
  setOfMany('a set of vectors', PAIRS / 10, (i) => [i, [`${i}`]]),
  setOfMany('a set of long vectors', 200, (i) => Array.from({ length: 990 }, (_, k) => k * i)),
];

const INTEGERS: readonly Operand[] = [
  once('95,000 bits', () => 3n ** 60_000n),
  once('1,000,000 bits', () => (1n << 1_000_000n) - 12_345n),
];

const NAMES = Array.from({ length: 200 }, (_, i) => `field${i}`);
const ROW = new RecordType('Row', ['id', 'items'], Shape.of(['id', 'items']));
const WIDE = new RecordType('Wide', NAMES, null);
const RECORDS: readonly Operand[] = [
  operand('a long vector in a record', () => RecordValue.of(ROW, [1, numbers()])),
  operand('long vectors in a record', () =>
    RecordValue.of(
      WIDE,
      NAMES.map(() => Array.from({ length: MANY / 200 }, (_, i) => i)),
    ),
  ),
];

const RANGES: readonly Operand[] = [
  once('a million', () => new Range(1, MANY, false)),
  once('texts', () => new Range('a', 'zzzz', false)),
  once('large Integers', () => new Range(10n ** 20n, 10n ** 20n + 100_000n, false)),
];

/** A sequence of many Integers; with a function, its results. */
function overNumbers(type: HandleType, fn: Value): Sequence {
  const list = numbers();
  return new Sequence(type, () => {
    const iterator = iterate(list, 0, 'each');
    return fn === null ? iterator : mapping(fn)(iterator);
  });
}

/** Operands by the types of signatures: small ones first, then large ones. */
export interface Operands {
  small: readonly Operand[];
  large: readonly Operand[];
}

const small = (...values: Value[]): Operand[] =>
  values.map((value) => operand(String(value).slice(0, 20), () => value));

/** Operands for all types; `vm` has the library, `folder` is for files. */
export function operandsFor(vm: VM, folder: string): ReadonlyMap<string, Operands> {
  const [first] = TEXTS;
  mkdirSync(folder, { recursive: true });
  const made = (name: string, ...args: Value[]): Operand =>
    operand(name, () => vm.invokeNative(vm.globals.get(name) as never, args, null) as Value);
  const error = operand(
    'an error with a long message',
    () => new ErrorValue(Errors.ValueError, first.make() as string),
  );
  const regex = once('a regex', () => compileRegex('(a|7)', ''));
  // Not by `match`, which searches a long text in pieces.
  const matched = operand('a match', () => {
    const pattern = compileRegex('(?<a>w)(o)(zz)?', '');
    const text = first.make() as string;
    return new MatchValue(text, pattern, foundAtOnce(text, pattern, 0) as Found);
  });
  const all = [...TEXTS, ...BYTES, ...VECTORS, ...HASHES, ...INTEGERS, ...RECORDS, ...SETS, RANGES[0], error];
  return new Map<string, Operands>(
    Object.entries({
      String: { small: small('a', 'key 5'), large: [...TEXTS, error] },
      Vector: { small: [operand('[1, 2]', () => [1, 2])], large: VECTORS },
      Hash: { small: [operand('{a: 1}', () => Hash.from([['a', 1]]))], large: HASHES },
      Set: { small: [operand('Set(1)', () => new SetValue(Hash.from([[1, true]])))], large: SETS },
      Record: { small: [], large: RECORDS },
      Range: { small: [operand('0..5', () => new Range(0, 5, false))], large: RANGES },
      Enum: {
        small: [],
        large: [
          once(
            'an enum',
            () =>
              new EnumType(
                'E',
                Array.from({ length: 20_000 }, (_, i) => `member${i}`),
                new Map(),
              ),
          ),
        ],
      },
      Integer: { small: small(2, 1000), large: [...small(MANY), ...INTEGERS] },
      Float: { small: small(new Float(0.5)), large: small(new Float(1e300)) },
      KeyStore: { small: [operand('a key store', () => openStore(vm, 'memory:', new Hash()))], large: [] },
      Decimal: {
        small: [operand('0.5d', () => decimal('0.5'))],
        large: [operand('a long Decimal', () => decimal(`${'9'.repeat(999)}.${'9'.repeat(1000)}`))],
      },
      Number: { small: small(2), large: [...small(MANY), ...INTEGERS] },
      Regex: { small: [regex], large: [once('a long regex', () => compileRegex('(a|b)'.repeat(400), ''))] },
      Match: { small: [], large: [matched] },
      Output: { small: [], large: [once('stdout', () => STREAMS.stdout)] },
      Log: { small: [], large: [once('a logger', () => vm.globals.get('log') as Value)] },
      Date: { small: [], large: [made('date_from', 2024, 2, 29)] },
      Duration: { small: [], large: [operand('all units', () => DurationValue.of(6000, 100_000, 1e12 + 0.5))] },
      Sequence: { small: [], large: [operand('many Integers', () => overNumbers(SEQUENCE, null))] },
      Lazy: {
        small: [operand('few Integers', () => new Sequence(LAZY, () => iterate([1, 2], 0, 'each')))],
        large: [
          operand('a stage', () => overNumbers(LAZY, vm.globals.get('is_nil') as Value)),
          operand('many Integers', () => overNumbers(LAZY, null)),
        ],
      },
      Bytes: { small: [operand('two bytes', () => new Bytes(Uint8Array.of(1, 2)))], large: BYTES },
      HtmlElement: {
        small: [],
        large: [once('a page', () => finish(documentOf('<p class="a">text <b>bold</b></p>\n'.repeat(MANY / 40))))],
      },
      BytesBuilder: { small: [], large: [made('bytes_builder')] },
      Channel: { small: [], large: [made('channel', 5)] },
      Shared: { small: [], large: [made('shared', 5)] },
      Error: { small: [], large: [error] },
      Boolean: { small: small(true), large: [] },
      Nil: { small: small(null), large: [] },
      Type: { small: [operand('a type', () => ROW)], large: [] },
      Function: { small: [operand('a function', () => vm.globals.get('is_nil') as Value)], large: [] },
      Any: { small: small('a', 1), large: all },
    }),
  );
}
