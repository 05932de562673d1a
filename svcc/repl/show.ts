import { ErrorValue } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { SetValue } from '../../vm/values/set.js';
import { RecordValue, Regex } from '../../vm/values/structured.js';
import { inspect, isPlainVariant, quote } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { Paint } from './paint.js';

/** Maximum characters of a value. */
const MAX_CHARACTERS = 2000;
/** Maximum characters of one text in a value. */
const MAX_TEXT = 1000;
/** Maximum depth of containers. */
const MAX_DEPTH = 12;
/** Hexadecimal digits of the largest Integer that is shown in full. */
const MAX_HEX_DIGITS = 1200;
/** Decimal digits for each hexadecimal one. */
const DIGITS_PER_HEX = Math.log10(16);
const PLAIN_KEY = /^[A-Za-z_]\w*[?!]?$/;

const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** Prints values as `p` does, but never more than MAX_CHARACTERS, in time that does not grow with the value. */
class ShortPrinter {
  private left = MAX_CHARACTERS;
  private readonly open = new Set<object>();

  constructor(private readonly paint: Paint) {}

  print(value: Value): string {
    if (Array.isArray(value)) return this.nested(value, '[', value, value.length, 'elements', ']');
    if (value instanceof SetValue) {
      const elements = keysOf(value.elements);
      return this.nested(value, 'Set(', elements, value.size, 'elements', ')');
    }
    if (value instanceof Hash) return this.hash(value, value, '{', '}');
    if (value instanceof RecordValue && !isPlainVariant(value.type))
      return this.hash(value, value.fields, `${value.type.name}(`, ')');
    return this.spend(this.scalar(value));
  }

  private scalar(value: Value): [text: string, colour: keyof Paint] {
    if (typeof value === 'string') return this.text(value);
    if (value instanceof ErrorValue) return [`${value.type.name}(${this.text(value.message)[0]})`, 'error'];
    if (value instanceof Regex) return [cut(inspect(value)), 'text'];
    if (typeof value === 'bigint') return [integer(value), 'number'];
    if (typeof value === 'number' || value instanceof Float) return [inspect(value), 'number'];
    return [cut(inspect(value)), value === null || typeof value === 'boolean' ? 'constant' : 'plain'];
  }

  private text(value: string): [text: string, colour: keyof Paint] {
    if (value.length <= MAX_TEXT) return [quote(value), 'text'];
    return [`${quote(head(value)).slice(0, -1)}…" (${count(value.length)} characters)`, 'text'];
  }

  private spend([text, colour]: [text: string, colour: keyof Paint]): string {
    this.left -= text.length;
    return this.paint[colour](text);
  }

  private hash(owner: object, hash: Hash, opens: string, closes: string): string {
    const pairs = hash.pairs();
    const what = owner instanceof RecordValue ? 'fields' : 'keys';
    return this.nested(owner, opens, pairs, hash.size, what, closes, ([key, value]) => {
      const name = typeof key === 'string' && PLAIN_KEY.test(key) ? key : this.print(key);
      this.left -= name.length + 2;
      return `${name}: ${this.print(value)}`;
    });
  }

  /** The elements of a container while there is room, then their number. */
  private nested<T>(
    owner: object,
    opens: string,
    items: Iterable<T>,
    size: number,
    what: string,
    closes: string,
    print: (item: T) => string = (item) => this.print(item as Value),
  ): string {
    if (this.open.has(owner)) return `${opens}...${closes}`;
    if (size === 0) return opens + closes;
    if (this.open.size >= MAX_DEPTH) return `${opens}… (${count(size)} ${what})${closes}`;
    this.open.add(owner);
    const parts: string[] = [];
    for (const item of items) {
      if (this.left <= 0) {
        parts.push(`… (${count(size)} ${what})`);
        break;
      }
      parts.push(print(item));
      this.left -= 2;
    }
    this.open.delete(owner);
    return opens + parts.join(', ') + closes;
  }
}

function* keysOf(hash: Hash): Iterable<Value> {
  for (const [key] of hash.pairs()) yield key;
}

/** The beginning of a long text, without half a character. */
function head(text: string): string {
  const start = text.slice(0, MAX_TEXT);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${head(text)}… (${count(text.length)} characters)`;
}

function integer(value: bigint): string {
  const { length } = value.toString(16);
  if (length <= MAX_HEX_DIGITS) return String(value);
  return `<Integer of about ${count(Math.ceil(length * DIGITS_PER_HEX))} digits>`;
}

/** Text of a value, shortened if it is long. */
export function shortText(value: Value, paint: Paint): string {
  return new ShortPrinter(paint).print(value);
}
