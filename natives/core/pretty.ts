import { RecordValue } from '../../vm/values/structured.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { inspect, MAX_DEPTH, quote } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import { checkText } from './limits.js';
import { textSteps } from '../../vm/values/textsteps.js';

/** Characters between two pauses. */
const PIECE = 32_768;
/** Maximum columns of flat data printed on one line. */
const WIDTH = 80;
const PLAIN_KEY = /^[A-Za-z_]\w*[?!]?$/;

type Container = Value[] | Hash | RecordValue;

function isContainer(value: Value): value is Container {
  return Array.isArray(value) || value instanceof Hash || value instanceof RecordValue;
}

function contents(value: Container): Value[] {
  if (Array.isArray(value)) return value;
  return (value instanceof Hash ? value : value.fields).values();
}

/** Number of elements or pairs. */
function sizeOf(value: Container): number {
  return Array.isArray(value) ? value.length : value instanceof Hash ? value.size : value.fields.size;
}

function keyText(key: Value): string {
  return typeof key === 'string' && PLAIN_KEY.test(key) ? key : typeof key === 'string' ? quote(key) : inspect(key);
}

class PrettyPrinter {
  private text = '';
  private stopAt = PIECE;
  /** Containers being printed, to detect cycles. */
  private readonly open = new Set<Value>();

  /** The text of a value, in steps. */
  *all(value: Value): Generator<void, string, void> {
    yield* this.print(value, '', 0);
    return this.text;
  }

  private *print(value: Value, indent: string, used: number): Generator<void, void, void> {
    if (this.text.length >= this.stopAt) {
      yield;
      this.stopAt = this.text.length + PIECE;
    }
    if (!isContainer(value)) return this.add(yield* textSteps(value, true));
    if (this.open.has(value))
      return this.add(Array.isArray(value) ? '[...]' : value instanceof Hash ? '{...}' : `${value.type.name}(...)`);
    const isFlat = sizeOf(value) <= WIDTH && !contents(value).some(isContainer);
    const flat = isFlat ? yield* textSteps(value, true) : null;
    if (flat !== null && (indent.length + used + flat.length <= WIDTH || sizeOf(value) === 0)) return this.add(flat);
    if (this.open.size >= MAX_DEPTH) fail(Errors.ValueError, `value is nested deeper than ${MAX_DEPTH} levels`);
    this.open.add(value);
    yield* this.broken(value, indent);
    this.open.delete(value);
  }

  private add(text: string): void {
    checkText(this.text.length + text.length, this.text.length);
    this.text += text;
  }

  private *broken(value: Container, indent: string): Generator<void, void, void> {
    const inner = `${indent}  `;
    if (!Array.isArray(value)) return yield* this.pairs(value, indent, inner);
    // A copy: others may change the vector between two steps.
    const list = value.slice();
    for (let i = 0; i < list.length; i++) {
      this.add(`${i === 0 ? '[' : ','}\n${inner}`);
      yield* this.print(list[i], inner, 1);
    }
    this.add(`\n${indent}]`);
  }

  private *pairs(value: Hash | RecordValue, indent: string, inner: string): Generator<void, void, void> {
    const hash = value instanceof Hash ? value : value.fields;
    const [begin, end] = value instanceof Hash ? ['{', '}'] : [`${value.type.name}(`, ')'];
    const keys = hash.keys();
    const values = hash.values();
    for (let i = 0; i < keys.length; i++) {
      const label = `${keyText(keys[i])}: `;
      this.add(`${i === 0 ? begin : ','}\n${inner}${label}`);
      yield* this.print(values[i], inner, label.length + 1);
    }
    this.add(`\n${indent}${end}`);
  }
}

/** Text for `pp`, in steps. Nested containers, and containers wider than a line, are spread over several lines. */
export function prettySteps(value: Value): Generator<void, string, void> {
  return new PrettyPrinter().all(value);
}
