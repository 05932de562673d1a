/** Bodies of requests. */
import { Bytes } from '../../../vm/values/bytes.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import { isNumber, type Value } from '../../../vm/values/value.js';
import { builtin } from '../../builtin.js';
import { partsOf } from '../../core/bytes/texts.js';
import { encodeAtOnce, isStructured } from '../../core/json/encode.js';
import { encodeSteps } from '../../core/json/steps.js';
import { partsInSteps } from '../../core/strings/stepwise.js';
import { wellFormed } from '../../core/strings/wellformed.js';
import { isHeaderValue } from '../../http/headers.js';
import type { ContentOptions } from './options.js';
import { FORM_TYPE } from '../../http/mediatype.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const BYTES_TYPE = 'application/octet-stream';

/** A body in parts, which can be sent again. */
export interface Content {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  readonly type: string;
}

/** Work in steps, between which other threads run. */
type Work<T> = Generator<void, T, void>;

/**
 * The body of a request, in steps; null if it has none.
 * @throws ArgumentError if more than one body is given, TypeError, ValueError
 */
export function contentOf({
  body,
  json,
  form,
  multipart,
}: Omit<ContentOptions, 'stream'>): Work<Content | null> | null {
  const given = [body, json, form, multipart].filter((value) => value !== null).length;
  if (given > 1) fail(Errors.ArgumentError, 'only one of body, json, form and multipart can be sent');
  if (form !== null) return formContent(form);
  if (json !== null) return jsonContent(json);
  if (multipart !== null)
    return multipartContent(multipart, `svc-${builtin('node:crypto').randomBytes(18).toString('hex')}`);
  if (body === null) return null;
  if (typeof body === 'string') return textContent(body, TEXT_TYPE);
  if (body instanceof Bytes) return bytesContent(body);
  return isStructured(body)
    ? jsonContent(body)
    : fail(Errors.TypeError, `a body must be String, Bytes, Hash, Vector or Record, got ${typeName(body)}`);
}

function content(parts: readonly Uint8Array[], type: string): Content {
  return { parts, length: parts.reduce((sum, part) => sum + part.length, 0), type };
}

function* bytesContent(bytes: Bytes): Work<Content> {
  yield* [];
  return content([...partsOf(bytes)], BYTES_TYPE);
}

function* encoded(text: string): Work<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  yield* partsInSteps(text, (part) => parts.push(Buffer.from(wellFormed(part))));
  return parts;
}

function* textContent(text: string, type: string): Work<Content> {
  return content(yield* encoded(text), type);
}

function* jsonContent(value: Value): Work<Content> {
  const text = encodeAtOnce(value) ?? ((yield* encodeSteps(value)) as string);
  return yield* textContent(text, JSON_TYPE);
}

/** A pair for each field, and for each element of a field that is a vector. */
function* fieldsOf(form: Hash): Generator<[name: string, value: Value], void, void> {
  for (const [name, value] of form.entries())
    for (const item of Array.isArray(value) ? value.slice() : [value]) yield [toText(name), item];
}

function* formContent(form: Hash): Work<Content> {
  const parts: Uint8Array[] = [];
  for (const [name, value] of fieldsOf(form)) {
    const pair = new URLSearchParams([[wellFormed(name), wellFormed(toText(value))]]).toString();
    parts.push(Buffer.from(parts.length === 0 ? pair : `&${pair}`));
    yield;
  }
  return content([Buffer.concat(parts)], FORM_TYPE);
}

/** A name in a Content-Disposition (WHATWG HTML, "multipart/form-data encoding algorithm"). */
function quoted(name: string): string {
  const escaped = wellFormed(name).replace(/[\r\n"]/g, (c) => ({ '\r': '%0D', '\n': '%0A' })[c] ?? '%22');
  return `"${escaped}"`;
}

/** Keys of a hash that describes a file. */
const FILE_KEYS = new Set(['content', 'filename', 'type']);

/** A part of a form: its content, and for files their name and media type. */
interface Part {
  content: string | Bytes;
  filename: string | null;
  type: string | null;
}

function partOf(name: string, value: Value): Part {
  if (value instanceof Bytes) return { content: value, filename: name, type: BYTES_TYPE };
  if (!(value instanceof Hash)) {
    if (typeof value !== 'string' && !isNumber(value) && typeof value !== 'boolean')
      fail(
        Errors.TypeError,
        `multipart field ${JSON.stringify(name)} must be a String, a number, Bytes or a Hash {content:, filename:, type:}, got ${typeName(value)}`,
      );
    return { content: toText(value), filename: null, type: null };
  }
  for (const key of value.keys())
    if (!FILE_KEYS.has(toText(key)))
      fail(
        Errors.ArgumentError,
        `multipart field ${JSON.stringify(name)} has an unknown key '${toText(key)}'; there are content, filename, type`,
      );
  const given = value.get('content') ?? null;
  if (typeof given !== 'string' && !(given instanceof Bytes))
    fail(
      Errors.TypeError,
      `multipart field ${JSON.stringify(name)}: content must be String or Bytes, got ${typeName(given)}`,
    );
  const type = toText(value.get('type') ?? (typeof given === 'string' ? TEXT_TYPE : BYTES_TYPE));
  if (!isHeaderValue(type))
    fail(Errors.ValueError, `multipart field ${JSON.stringify(name)}: ${JSON.stringify(type)} is not a media type`);
  return { content: given, filename: toText(value.get('filename') ?? name), type };
}

function* multipartContent(form: Hash, boundary: string): Work<Content> {
  const parts: Uint8Array[] = [];
  for (const [name, value] of fieldsOf(form)) {
    const { content, filename, type } = partOf(name, value);
    const file = filename === null ? '' : `; filename=${quoted(filename)}`;
    const media = type === null ? '' : `Content-Type: ${type}\r\n`;
    parts.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${file}\r\n${media}\r\n`),
      ...(typeof content === 'string' ? yield* encoded(content) : partsOf(content)),
      Buffer.from('\r\n'),
    );
    yield;
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return content(parts, `multipart/form-data; boundary=${boundary}`);
}
