import { Bytes } from '../../vm/values/bytes.js';
import { ErrorValue } from '../../vm/values/error.js';
import { Handle } from '../../vm/values/handle.js';
import { Hash } from '../../vm/values/hash.js';
import { SetValue } from '../../vm/values/set.js';
import { RecordValue } from '../../vm/values/structured.js';
import { floatText, inspect, toText } from '../../vm/values/text/text.js';
import { visible } from '../../vm/values/text/visible.js';
import { typeName } from '../../vm/values/types.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { JsonSource, JsonWriter } from '../core/json/encode.js';
import { REDACTED, type Redaction } from './redaction.js';

/** Maximum characters of one text; maximum pairs or elements of a container; maximum nesting. */
const MAX_TEXT = 8192;
const MAX_ITEMS = 100;
const MAX_DEPTH = 8;
/** Characters of a line after which the rest of its values is left out. */
const MAX_LINE = 32 * 1024;
/** Maximum lines of a backtrace, and maximum causes of an error. */
const MAX_TRACE = 50;
const MAX_CAUSES = 5;
/** Integers from here on are shown by their size: writing them takes long. */
const LARGE = 1n << 1024n;

/** A text of at most `limit` characters; says how many more there are. */
export function cut(text: string, limit = MAX_TEXT): string {
  if (text.length <= limit) return text;
  const end = (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800 ? limit - 1 : limit;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** A text as JSON, without characters that control a terminal. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

/** A key of a hash as a name; of other values than texts and numbers only the type. */
function keyText(key: Value): string {
  if (typeof key === 'string') return cut(key, 100);
  return typeof key === 'object' && key !== null && !(key instanceof Float) ? `<${typeName(key)}>` : inspect(key);
}

/**
 * Writes the fields of one line as JSON: never fails, whatever the values are, and stops when the line is long. Secrets
 * are replaced by the names of their fields.
 */
export class FieldText {
  private readonly open = new Set<object>();
  private left = MAX_LINE;

  constructor(private readonly redaction: Redaction) {}

  /** The JSON of a field's value. */
  field(name: string, value: Value): string {
    return this.pair(name, value, 0);
  }

  private pair(name: string, value: Value, depth: number): string {
    if (value === null) return 'null';
    const isSecret = this.redaction.isSecret(name, typeof value === 'number');
    return isSecret ? quoted(REDACTED) : this.json(value, depth);
  }

  private json(value: Value, depth: number): string {
    const text = this.left <= 0 ? '"…"' : this.written(value, depth);
    this.left -= 8;
    return text;
  }

  private written(value: Value, depth: number): string {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
      case 'boolean':
        return String(value);
      case 'bigint':
        return value < LARGE && value > -LARGE ? String(value) : '"(an Integer of more than 300 digits)"';
      default:
        return value === null ? 'null' : this.object(value, depth);
    }
  }

  private text(text: string): string {
    const short = cut(text);
    this.left -= short.length;
    return quoted(short);
  }

  private object(value: Value & object, depth: number): string {
    if (value instanceof Float) return Number.isFinite(value.n) ? floatText(value.n) : `"${floatText(value.n)}"`;
    if (Array.isArray(value)) return this.nested(value, depth, () => this.vector(value, value.length, depth + 1));
    if (value instanceof Hash) return this.nested(value, depth, () => this.hash(value, depth + 1));
    if (value instanceof RecordValue) return this.nested(value, depth, () => this.hash(value.fields, depth + 1));
    if (value instanceof SetValue)
      return this.nested(value, depth, () => {
        const some: Value[] = [];
        for (const [key] of value.elements.pairs()) if (some.push(key) > MAX_ITEMS) break;
        return this.vector(some, value.size, depth + 1);
      });
    if (value instanceof ErrorValue) return this.error(value, 0);
    return this.other(value, depth);
  }

  private other(value: Value & object, depth: number): string {
    if (value instanceof Bytes) return this.text(value.describe());
    try {
      const { toJsonText, toJsonValue } = value as Partial<JsonSource & JsonWriter>;
      if (toJsonText !== undefined) return toJsonText.call(value);
      if (toJsonValue !== undefined) return this.json(toJsonValue.call(value), depth + 1);
      return this.text(value instanceof Handle ? toText(value) : inspect(value));
    } catch {
      return this.text(`<${typeName(value)}>`);
    }
  }

  private nested(value: object, depth: number, write: () => string): string {
    if (this.open.has(value)) return '"(contains itself)"';
    if (depth >= MAX_DEPTH) return '"…"';
    this.open.add(value);
    const text = write();
    this.open.delete(value);
    return text;
  }

  private vector(list: readonly Value[], size: number, depth: number): string {
    const parts: string[] = [];
    for (const item of list) {
      if (parts.length >= MAX_ITEMS || this.left <= 0) break;
      parts.push(this.json(item, depth));
    }
    if (size > parts.length) parts.push(`"… (${size - parts.length} more)"`);
    return `[${parts.join(',')}]`;
  }

  private hash(hash: Hash, depth: number): string {
    const parts: string[] = [];
    for (const [key, value] of hash.pairs()) {
      if (parts.length >= MAX_ITEMS || this.left <= 0) break;
      const name = keyText(key);
      this.left -= name.length;
      parts.push(`${quoted(name)}:${this.pair(name, value, depth)}`);
    }
    if (hash.size > parts.length) parts.push(`"…":"${hash.size - parts.length} more"`);
    return `{${parts.join(',')}}`;
  }

  /** An error with its backtrace and its causes. */
  error(error: ErrorValue, causes: number): string {
    const trace = (error.trace ?? []).slice(0, MAX_TRACE).map(({ file, line, name }) => `${file}:${line} in ${name}`);
    const parts = [`"type":${quoted(error.type.name)}`, `"message":${this.text(error.message)}`];
    if (trace.length > 0) parts.push(`"backtrace":[${trace.map(quoted).join(',')}]`);
    if (error.cause !== null && causes < MAX_CAUSES) parts.push(`"cause":${this.error(error.cause, causes + 1)}`);
    return `{${parts.join(',')}}`;
  }
}
