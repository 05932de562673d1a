import { RecordValue } from '../../vm/values/compound.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { inspect, MAX_DEPTH, quote } from '../../vm/values/text.js';
import type { Value } from '../../vm/values/value.js';

/** Flat data up to this many columns stay on one line. */
const WIDTH = 80;
const PLAIN_KEY = /^[A-Za-z_]\w*[?!]?$/;

function isContainer(value: Value): value is Value[] | Hash | RecordValue {
  return Array.isArray(value) || value instanceof Hash || value instanceof RecordValue;
}

function contents(value: Value[] | Hash | RecordValue): Value[] {
  if (Array.isArray(value)) return value;
  return (value instanceof Hash ? value : value.fields).values();
}

function keyText(key: Value): string {
  return typeof key === 'string' && PLAIN_KEY.test(key) ? key : typeof key === 'string' ? quote(key) : inspect(key);
}

class PrettyPrinter {
  /** Containers being printed, against cycles. */
  private readonly open = new Set<Value>();

  print(value: Value, indent: string, used: number): string {
    if (!isContainer(value)) return inspect(value);
    if (this.open.has(value)) return Array.isArray(value) ? '[...]' : value instanceof Hash ? '{...}' : `${value.type.name}(...)`;
    if (!contents(value).some(isContainer)) {
      const text = inspect(value);
      if (indent.length + used + text.length <= WIDTH || contents(value).length === 0) return text;
    }
    if (this.open.size >= MAX_DEPTH) fail(Errors.ValueError, `value is nested deeper than ${MAX_DEPTH} levels`);
    this.open.add(value);
    const text = this.broken(value, indent);
    this.open.delete(value);
    return text;
  }

  private broken(value: Value[] | Hash | RecordValue, indent: string): string {
    const inner = `${indent}  `;
    if (Array.isArray(value)) return wrap('[', value.map((item) => this.print(item, inner, 1)), ']', indent);
    if (value instanceof Hash) return wrap('{', this.pairs(value, inner), '}', indent);
    return wrap(`${value.type.name}(`, this.pairs(value.fields, inner), ')', indent);
  }

  private pairs(hash: Hash, indent: string): string[] {
    return hash.entries().map(([key, value]) => {
      const label = `${keyText(key)}: `;
      return label + this.print(value, indent, label.length + 1);
    });
  }
}

function wrap(open: string, items: string[], close: string, indent: string): string {
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${close}`;
}

/** Text for `pp`: containers of containers, and what is wider than a line, are spread over lines. */
export function prettyText(value: Value): string {
  return new PrettyPrinter().print(value, '', 0);
}
