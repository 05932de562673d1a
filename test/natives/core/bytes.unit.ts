import { isUtf8 } from 'node:buffer';
import t from 'tap';
import { finish } from '../../../vm/values/steps.js';
import { indexSteps } from '../../../natives/core/bytes/search.js';
import { Bytes, COPIED_PER_STEP, joinSteps, MAX_BYTES } from '../../../vm/values/bytes.js';
import { compare, equal } from '../../../vm/values/equal.js';
import { compareSteps, equalSteps } from '../../../vm/values/equalsteps.js';
import { Hash } from '../../../vm/values/hash.js';
import { unique } from '../../../vm/values/unique.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import fc from '../../property.js';
import { check } from './property.js';
import { call, outcome, send, shown, vm } from './support.js';

const bytesOf = (data: Iterable<number>): Bytes => new Bytes(Uint8Array.from(data));
/** Few different bytes, so that parts repeat. */
const repetitive = fc.array(fc.constantFrom(97, 98), { maxLength: 40 }).map(bytesOf);
const any = fc.uint8Array({ maxLength: 40 }).map((data) => new Bytes(data));
/** Bytes that are often UTF-8 or nearly so. */
const nearlyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => [...Buffer.from(text)]),
      fc.tuple(fc.nat(255)),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => bytesOf(parts.flat()));

t.test('searches find what node finds', async (t) => {
  check(
    t,
    fc.property(repetitive, repetitive, fc.nat(45), (bytes, sought, from) => {
      const start = Math.min(from, bytes.length);
      return (
        finish(indexSteps(bytes, sought, start)) === Buffer.from(bytes.data).indexOf(Buffer.from(sought.data), start)
      );
    }),
  );
});

t.test('order and equality are those of node, at once and in steps', async (t) => {
  check(
    t,
    fc.property(any, any, (a, b) => {
      const order = Buffer.compare(a.data, b.data);
      return (
        compare(a, b) === order &&
        finish(compareSteps(a, b)) === order &&
        equal(a, b) === (order === 0) &&
        finish(equalSteps(a, b)) === (order === 0) &&
        (a.equalityKey() === b.equalityKey()) === (order === 0)
      );
    }),
  );
});

t.test('exactly valid UTF-8 becomes text; errors name the first wrong byte', async (t) => {
  check(
    t,
    fc.property(nearlyText, (bytes) => {
      const text = outcome(() => send(bytes, 'to_s'));
      const buffer = Buffer.from(bytes.data);
      if (isUtf8(buffer)) return text === buffer.toString();
      const offset = Number(/at offset (\d+)/.exec(text as string)?.[1]);
      // What comes before it is valid; with it, no continuation is.
      return (
        isUtf8(buffer.subarray(0, offset)) && new TextDecoder().decode(buffer.subarray(offset)).startsWith('\ufffd')
      );
    }),
  );
});

t.test('texts and bytes convert both ways', async (t) => {
  check(
    t,
    fc.property(any, fc.string({ unit: 'grapheme' }), (bytes, text) => {
      const type = vm.globals.get('Bytes') as Value;
      return (
        equal(send(type, 'from_hex', [send(bytes, 'hex')]), bytes) &&
        equal(send(type, 'from_base64', [send(bytes, 'base64')]), bytes) &&
        send(bytes, 'hex') === Buffer.from(bytes.data).toString('hex') &&
        send(bytes, 'base64') === Buffer.from(bytes.data).toString('base64') &&
        send(bytes, 'to_s', ['latin1']) === Buffer.from(bytes.data).toString('latin1') &&
        send(vm.invoke(type, [text], null) as Value, 'to_s') === text
      );
    }),
  );
});

t.test('a text with half a character has no UTF-8', async (t) => {
  const message = 'ValueError: the text has a lone surrogate, a half of a character, which UTF-8 cannot represent';
  t.equal(
    shown(() => vm.invoke(vm.globals.get('Bytes') as Value, ['a\ud800'], null) as Value),
    message,
  );
  t.equal(
    shown(() => send(call('bytes_builder', []), 'text', ['\udc00a'])),
    message,
  );
});

t.test('a slice shares the memory of the whole only if it is most of it', async (t) => {
  const whole = bytesOf(Array.from({ length: 1000 }, (_, i) => i));
  t.equal(whole.slice(100, 900).data.buffer, whole.data.buffer);
  t.not(whole.slice(0, 400).data.buffer, whole.data.buffer);
  t.equal(whole.slice(0, 400).data.buffer.byteLength, 400);
  const half = whole.slice(0, 600);
  t.equal(half.slice(0, 550).data.buffer, whole.data.buffer);
  t.equal(half.slice(0, 450).data.buffer.byteLength, 450, 'compared with the buffer, not with the value sliced');
});

t.test('bytes in the buffers that node shares are copied', async (t) => {
  t.equal(Bytes.of(Buffer.from('abc')).data.buffer.byteLength, 3);
});

t.test('joining takes a step for each mebibyte', async (t) => {
  const part = new Uint8Array(COPIED_PER_STEP * 1.5).fill(7);
  const steps = joinSteps([part, part.subarray(0, 10), part]);
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  t.equal(count, 4);
  t.equal(step.value.length, part.length * 2 + 10);
  t.ok(step.value.data.every((byte) => byte === 7));
});

t.test('Bytes have a largest length', async (t) => {
  const large = new Bytes({ length: MAX_BYTES } as Uint8Array);
  t.match(
    shown(() => large.plus(bytesOf([1])) as Value),
    `MemoryError: Bytes would be longer than ${MAX_BYTES} bytes`,
  );
});

t.test('long Bytes are large; sets compare them in steps', async (t) => {
  const long = (last: number): Bytes => bytesOf([...new Uint8Array(200_000), last]);
  t.ok(isLarge(long(1)));
  t.ok(isLarge([Hash.from([['a', long(1)]])]));
  t.equal(unique([long(1), long(2), long(1), bytesOf([1])]).length, 3);
  t.equal(unique([[long(1)], [long(1)]]).length, 1);
});
