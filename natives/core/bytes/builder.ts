import { type Bytes, checkBytes, joinSteps } from '../../../vm/values/bytes.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Natives } from '../../../vm/values/methodgroup.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Value } from '../../../vm/values/value.js';
import type { Steps } from '../../../vm/values/steps.js';
import { functions, methodGroup, type Num, type Row } from '../declare.js';
import { FORMATS, type Format } from './numbers.js';
import { overBytes, utf8Parts } from './texts.js';

const BUILDER = new HandleType('BytesBuilder');

/** Sizes of the parts into which small additions are copied. */
const FIRST_PART = 64;
const LARGEST_PART = 1 << 16;

/** Gathers bytes. Large Bytes are kept as they are, without copying, until all parts are joined. */
class BytesBuilder extends Handle {
  length = 0;
  private readonly parts: Uint8Array[] = [];
  /** The part that is being filled, up to `used`. */
  private last = new Uint8Array(FIRST_PART);
  private view = new DataView(this.last.buffer);
  private used = 0;

  get type(): HandleType {
    return BUILDER;
  }

  override describe(): string {
    return `<BytesBuilder of ${this.length} bytes>`;
  }

  /** Writes a number. */
  number(format: Format, value: Num, little: boolean): void {
    this.reserve(format.size);
    format.write(this.view, this.used, value, little);
    this.used += format.size;
    this.length += format.size;
  }

  /** Adds bytes that nobody changes. */
  add(data: Uint8Array): void {
    if (data.length <= LARGEST_PART / 2) {
      this.reserve(data.length);
      this.last.set(data, this.used);
      this.used += data.length;
    } else {
      checkBytes(this.length + data.length, this.length);
      this.begin(FIRST_PART);
      this.parts.push(data);
    }
    this.length += data.length;
  }

  /** The bytes so far, in steps. Bytes that are added meanwhile are not included. */
  joined(): Generator<void, Bytes, void> {
    return joinSteps([...this.parts, this.last.subarray(0, this.used)]);
  }

  /** Makes room for `count` bytes in the part that is being filled. */
  private reserve(count: number): void {
    if (this.used + count <= this.last.length) return;
    const size = Math.min(LARGEST_PART, Math.max(count, this.last.length * 2));
    checkBytes(this.length + size, this.length);
    this.begin(size);
  }

  private begin(size: number): void {
    if (this.used > 0) this.parts.push(this.last.subarray(0, this.used));
    this.last = new Uint8Array(size);
    this.view = new DataView(this.last.buffer);
    this.used = 0;
  }
}

function* addText(builder: BytesBuilder, text: string): Steps {
  for (const part of yield* utf8Parts(text)) builder.add(part);
  return builder;
}

function number(format: Format): Row {
  const { name, what, result, size } = format;
  const type = result === 'Float' ? 'Number' : 'Integer';
  const order = size === 1 ? '' : ', most significant byte first unless `little`';
  return [
    name,
    `value: ${type}${size === 1 ? '' : ', little: Boolean = false'}`,
    'BytesBuilder',
    `Appends a number as ${what[0].toLowerCase()}${what.slice(1)}${order}; returns the builder.`,
    (_: unknown, builder: BytesBuilder, value: Num, little = false) => {
      builder.number(format, value, little);
      return builder;
    },
  ];
}

// prettier-ignore
const builderMethods = methodGroup('BytesBuilder', () => [
  ...FORMATS.map(number),
  ['text', 'text: String', 'BytesBuilder', 'Appends the UTF-8 bytes of a text; returns the builder.', (vm: NativeContext, builder: BytesBuilder, text: string) => overBytes(vm, 'text', text.length, addText(builder, text))],
  ['add', 'bytes: Bytes', 'BytesBuilder', 'Appends Bytes; returns the builder.', (_: unknown, builder: BytesBuilder, bytes: Bytes): Value => { builder.add(bytes.data); return builder; }],
  ['length size', '', 'Integer', 'Number of bytes so far.', (_: unknown, builder: BytesBuilder) => builder.length],
  ['to_bytes', '', 'Bytes', 'The bytes so far. More can be appended afterwards.', (vm: NativeContext, builder: BytesBuilder) => overBytes(vm, 'to_bytes', builder.length, builder.joined())],
]);
BUILDER.add(builderMethods);

/** `bytes_builder` and the methods of its result. */
export const builder: Natives = [
  ...functions([
    ['bytes_builder', '', 'BytesBuilder', 'Gathers bytes from numbers, texts and Bytes.', () => new BytesBuilder()],
  ]),
  builderMethods,
];
