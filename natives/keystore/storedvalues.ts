/** Converts values to and from the texts that key stores keep: JSON, with tags for what JSON cannot hold. */
import type { NativeContext } from '../../vm/nativecontext.js';
import { afterwards, native, nativeLike } from '../../vm/calls/native.js';
import { Bytes } from '../../vm/values/bytes.js';
import { Errors, errorOf, type ErrorType, ErrorValue, fail, SvcError } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { SetValue } from '../../vm/values/set.js';
import { finish } from '../../vm/values/steps.js';
import { RecordType, RecordValue } from '../../vm/values/structured.js';
import { toText } from '../../vm/values/text/text.js';
import { kindName } from '../../vm/values/types.js';
import { Float, type Value } from '../../vm/values/value.js';
import { DateValue } from '../core/dates/date.js';
import { offsetText } from '../core/dates/calendar.js';
import { LOCAL, zoneOf } from '../core/dates/zone.js';
import { encodeAtOnce, encodeJson, enter, type JsonSource, type JsonWriter } from '../core/json/encode.js';
import { withForms } from '../core/json/forms.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../core/json/jsonparse.js';
import { encodeSteps, isLarge } from '../core/json/steps.js';

/** Maximum characters of the text of a value. */
const MAX_TEXT = 1 << 20;

/** Characters that each value counts in addition to those of its text. */
const VALUE_CHARACTERS = 2;

/** Integers with more digits are kept in hexadecimal, because conversion from decimal takes more than linear time. */
export const LARGE_INTEGER = 10n ** 1000n;

/** Values handled in one step. */
const PIECE = 1000;

/**
 * First character of the keys of tags. A tag is a hash with one key: `~date` with milliseconds and zone, `~bytes` with
 * base64, `~int` with hexadecimal digits, or `~` with a hash of the program that looks like a tag.
 */
const TAG = '~';

/** Replaces values that JSON cannot hold by tags. */
class TagWriter {
  private count = 0;
  private containers = 0;
  private characters = 0;

  /** @param place names the value in messages */
  constructor(private readonly place: string) {}

  /** Returns the value with tags, or the same value if it needs none. @throws TypeError, ValueError */
  *of(value: Value, depth: number): Generator<void, Value, void> {
    if (++this.count % PIECE === 0) yield;
    this.add(VALUE_CHARACTERS);
    if (typeof value === 'string') this.add(value.length);
    if (typeof value === 'bigint') return this.integer(value);
    if (typeof value !== 'object' || value === null || value instanceof Float || value instanceof ErrorValue)
      return value;
    if (Array.isArray(value)) return yield* this.vector(value, this.enter(depth));
    if (value instanceof Hash) return yield* this.hash(value, this.enter(depth));
    if (value instanceof RecordValue) return yield* this.hash(value.fields.copy(), this.enter(depth));
    if (value instanceof SetValue) return yield* this.vector(value.items(), this.enter(depth));
    if (value instanceof DateValue) return dateTag(value);
    if (value instanceof Bytes) return this.bytes(value);
    const { toJsonValue, toJsonText } = value as Partial<JsonSource & JsonWriter>;
    if (toJsonText !== undefined) return value;
    if (toJsonValue !== undefined) return toJsonValue.call(value);
    return fail(
      Errors.TypeError,
      `${this.place}: a key store cannot keep ${kindName(value)}; it keeps what JSON can hold, Dates and Bytes`,
    );
  }

  /** Returns the next depth. @throws ValueError if the value is nested too deeply, or contains itself */
  private enter(depth: number): number {
    return enter(depth, ++this.containers);
  }

  /** Counts characters. @throws ValueError if the value has too many */
  private add(characters: number): void {
    this.characters += characters;
    if (this.characters > MAX_TEXT) tooLarge(this.place);
  }

  private integer(value: bigint): Value {
    if (value < LARGE_INTEGER && value > -LARGE_INTEGER) return value;
    const digits = value.toString(16);
    this.add(digits.length);
    return tag('~int', digits);
  }

  private bytes({ data, length }: Bytes): Hash {
    this.add(Math.ceil(length / 3) * 4);
    return tag('~bytes', Buffer.from(data.buffer, data.byteOffset, length).toString('base64'));
  }

  private *vector(list: Value[], depth: number): Generator<void, Value, void> {
    let copy: Value[] | null = null;
    for (let i = 0; i < list.length; i++) {
      const item = yield* this.of(list[i], depth);
      if (item !== list[i]) (copy ??= list.slice(0))[i] = item;
    }
    return copy ?? list;
  }

  private *hash(hash: Hash, depth: number): Generator<void, Value, void> {
    let copy: Hash | null = null;
    let looked = 0;
    for (const [key, item] of hash.pairs()) {
      this.add(VALUE_CHARACTERS + (typeof key === 'string' ? key.length : 0));
      const form = yield* this.of(item, depth);
      if (form !== item) copy ??= yield* firstPairs(hash, looked);
      copy?.set(key, form);
      looked++;
    }
    return looksLikeTag(hash) ? tag(TAG, copy ?? hash) : (copy ?? hash);
  }
}

/** Copies the first pairs of a hash. */
function* firstPairs(hash: Hash, count: number): Generator<void, Hash, void> {
  const copy = new Hash();
  let done = 0;
  for (const [key, item] of hash.pairs()) {
    if (done++ === count) break;
    copy.set(key, item);
    if (done % PIECE === 0) yield;
  }
  return copy;
}

function tag(name: string, content: Value): Hash {
  return Hash.from([[name, content]]);
}

function looksLikeTag(hash: Hash): boolean {
  return hash.size === 1 && toText(hash.keys()[0]).startsWith(TAG);
}

function dateTag(date: DateValue): Hash {
  const zone = date.zone === LOCAL ? null : offsetText(date.offset, ':', date.offset % 60 !== 0);
  return tag('~date', [date.ms, zone]);
}

function tooLarge(place: string): never {
  return fail(
    Errors.ValueError,
    `${place} is too large: its JSON may have at most ${MAX_TEXT} characters; keep it in a database or a file, and its name here`,
  );
}

/** Whether a value needs no tags. For small values only. */
function isPlain(value: Value): boolean {
  switch (typeof value) {
    case 'string':
      return value.length < MAX_STEP_CHARACTERS;
    case 'number':
    case 'boolean':
      return true;
    case 'object':
      if (value === null || value instanceof Float) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      return value instanceof Hash && !looksLikeTag(value) && value.every((_key, item) => isPlain(item));
    default:
      return false;
  }
}

function* textSteps(value: Value, place: string): Generator<void, string, void> {
  const form = yield* new TagWriter(place).of(value, 0);
  const text = encodeAtOnce(form) ?? ((yield* encodeSteps(form)) as string);
  return text.length > MAX_TEXT ? tooLarge(place) : text;
}

/** Returns an error with the place in front of its message. */
function placedError<T>(error: T, place: string): T | SvcError {
  if (!(error instanceof SvcError) || error.value.message.startsWith(place)) return error;
  return errorOf(error.value.type, `${place}: ${error.value.message}`);
}

/** Runs steps; puts the place in front of the message of their error. */
function* placed<T>(steps: Generator<void, T, void>, place: string): Generator<void, T, void> {
  try {
    return yield* steps;
  } catch (error) {
    throw placedError(error, place);
  }
}

/**
 * For natives: calls `then` with the text of a value. Return the result of this call.
 * @param place names the value in messages: `the value of "k"`
 * @throws TypeError, ValueError if it cannot be kept
 */
export function withText(
  vm: NativeContext,
  value: Value,
  place: string,
  then: (text: string) => Value | undefined,
): Value | undefined {
  return withForm(vm, value, place, (form) => {
    const isSmall = !isLarge(form);
    if (isSmall && isPlain(form)) return then(finish(placed(plainSteps(form), place)));
    const steps = placed(textSteps(form, place), place);
    if (isSmall) return then(finish(steps));
    return afterwards(
      vm,
      () => vm.inPieces('key store', steps),
      (text) => then(text as string),
    );
  });
}

const FORM = native('form', '', 'Any', 'Replaces records by the values that their to_json returns.', () => null);

/** Calls `then` with a value whose records are replaced by the results of their `to_json`. */
function withForm(
  vm: NativeContext,
  value: Value,
  place: string,
  then: (form: Value) => Value | undefined,
): Value | undefined {
  if (!RecordType.haveForms || typeof value !== 'object' || value === null) return then(value);
  const forms = nativeLike(FORM, (caller: NativeContext) => withForms(caller, value, (form) => form));
  return vm.callThen(forms, [], {
    done: then,
    failed: (thrown) => {
      throw placedError(thrown, place);
    },
  });
}

// eslint-disable-next-line require-yield -- needs no steps
function* plainSteps(value: Value): Generator<void, string, void> {
  return encodeJson(value);
}

/** A value that is computed in steps. */
export class Later {
  constructor(readonly steps: Generator<void, Value, void>) {}
}

/**
 * Returns the value of a text; `Later` if the text is long.
 * @param place names the value in messages @throws ValueError for a text that is not of a key store
 */
export function valueOf(text: string, place: () => string): Value | Later {
  const foreign = (): string => `${place()} was not written by a key store of Svc`;
  if (text.length > MAX_STEP_CHARACTERS) return new Later(placed(valueSteps(text), foreign()));
  try {
    return text.includes(`"${TAG}`) ? finish(valueSteps(text)) : parseJson(text);
  } catch (error) {
    throw placedError(error, foreign());
  }
}

/** Computes the value of a text in steps. */
function* valueSteps(text: string): Generator<void, Value, void> {
  const value = text.length > MAX_STEP_CHARACTERS ? yield* parseSteps(text) : parseJson(text);
  return text.includes(`"${TAG}`) ? yield* new TagReader().of(value) : value;
}

/** Replaces tags by their values. */
class TagReader {
  private count = 0;

  *of(value: Value): Generator<void, Value, void> {
    if (++this.count % PIECE === 0) yield;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) value[i] = yield* this.of(value[i]);
      return value;
    }
    if (!(value instanceof Hash)) return value;
    if (!looksLikeTag(value)) return yield* this.hash(value);
    const [[name, content]] = value.entries();
    if (name === TAG && content instanceof Hash) return yield* this.hash(content);
    if (name === '~date' && Array.isArray(content)) return dateOf(content);
    if (name === '~bytes' && typeof content === 'string') return Bytes.of(Buffer.from(content, 'base64'));
    if (name === '~int' && typeof content === 'string') return integerOf(content);
    return unknown(Errors.ValueError, toText(name));
  }

  private *hash(hash: Hash): Generator<void, Value, void> {
    for (const [key, item] of hash.pairs()) {
      const value = yield* this.of(item);
      if (value !== item) hash.set(key, value);
    }
    return hash;
  }
}

function unknown(type: ErrorType, name: string): never {
  return fail(type, `it has the unknown tag ${name}`);
}

function dateOf([ms, zone]: Value[]): Value {
  if (typeof ms !== 'number') return unknown(Errors.ValueError, '~date');
  return new DateValue(ms, typeof zone === 'string' ? zoneOf(zone) : LOCAL);
}

function integerOf(digits: string): Value {
  const [, sign, hex] = /^(-?)([0-9a-f]+)$/.exec(digits) ?? unknown(Errors.ValueError, '~int');
  const value = BigInt(`0x${hex}`);
  return sign === '-' ? -value : value;
}
