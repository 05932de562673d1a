/** Texts of large values in steps; `toText` and `inspect` handle small ones. */
import { integerDigits } from './numbers/bigsteps.js';
import { Bytes } from './bytes.js';
import { RecordValue } from './structured.js';
import { attempt } from './cost.js';
import { ErrorValue } from './error.js';
import { Hash } from './hash.js';
import { BlockText } from './text/blocks.js';
import { inspect, Printer, quote, toText } from './text/text.js';
import { SetValue } from './set.js';
import type { Value } from './value.js';
import { failTextTooLong, MAX_STRING } from './limits.js';

/** Elements of a vector printed in one attempt. */
const CHUNK = 512;
/** Characters quoted in one step. */
const PART = 65_536;
/** Two characters that must be quoted together. */
const UNDIVIDED = /^(#\{|[\ud800-\udbff][\udc00-\udfff])$/;

class StepPrinter extends Printer {
  readonly text = new BlockText();

  *write(value: Value): Generator<void, void, void> {
    const text = this.attempted(() => this.print(value));
    if (text !== undefined) {
      this.add(text);
      return;
    }
    yield;
    if (typeof value === 'string') yield* this.string(value);
    else if (value instanceof ErrorValue && !this.quoted) this.add(value.message);
    else if (value instanceof ErrorValue) {
      this.add(`${value.type.name}(`);
      yield* this.string(value.message);
      this.add(')');
    } else if (typeof value === 'bigint') this.add(yield* integerDigits(value));
    else if (Array.isArray(value)) yield* this.within(value, this.list(value.slice(), '[', ']'));
    else if (value instanceof SetValue) yield* this.within(value, this.list(value.items(), 'Set(', ')'));
    else if (value instanceof RecordValue)
      yield* this.within(value, this.hash(value.fields, `${value.type.name}(`, ')'));
    else if (value instanceof Hash) yield* this.within(value, this.hash(value, '{', '}'));
    else this.add(this.print(value));
  }

  /** Attempts to print; if given up, removes the containers that the attempt had entered from `open`. */
  private attempted(print: () => string): string | undefined {
    const { size } = this.open;
    const text = attempt(print, null, null);
    if (text === undefined) {
      let i = 0;
      for (const value of this.open) if (i++ >= size) this.open.delete(value);
    }
    return text;
  }

  private *within(value: object, steps: Generator<void, void, void>): Generator<void, void, void> {
    this.enter(value);
    yield* steps;
    this.open.delete(value);
  }

  /** Quotes a text in parts. No part ends within `#{` or a surrogate pair, because each is quoted separately. */
  private *string(text: string): Generator<void, void, void> {
    if (!this.quoted) return this.add(text);
    this.add('"');
    for (let lo = 0; lo < text.length;) {
      let hi = Math.min(lo + PART, text.length);
      while (hi < text.length && UNDIVIDED.test(text.slice(hi - 1, hi + 1))) hi++;
      this.add(quote(text.slice(lo, hi)).slice(1, -1));
      lo = hi;
      yield;
    }
    this.add('"');
  }

  private add(text: string): void {
    if (this.text.length + text.length > MAX_STRING) failTextTooLong();
    this.text.add(text);
  }

  /** The vector is a copy: other threads may change the value between two steps. */
  private *list(list: Value[], begin: string, end: string): Generator<void, void, void> {
    this.add(begin);
    for (let lo = 0; lo < list.length; lo += CHUNK) {
      if (lo > 0) this.add(', ');
      const chunk = list.slice(lo, lo + CHUNK);
      const text = this.attempted(() => this.join(chunk));
      if (text !== undefined) this.add(text);
      else
        for (let i = 0; i < chunk.length; i++) {
          if (i > 0) this.add(', ');
          yield* this.write(chunk[i]);
          yield;
        }
      yield;
    }
    this.add(end);
  }

  private *hash(hash: Hash, begin: string, end: string): Generator<void, void, void> {
    let mark = begin;
    for (const [key, value] of hash.pairs()) {
      this.add(`${mark}${this.key(key)}: `);
      yield* this.write(value);
      mark = ', ';
      yield;
    }
    this.add(mark === begin ? begin + end : end);
  }
}

/** Text of a value in steps: as `p` shows it if `quoted`, else as `puts` does. @throws what `inspect` throws */
export function* textSteps(value: Value, quoted: boolean): Generator<void, string, void> {
  const text = attempt(quoted ? inspect : toText, value, null);
  if (text !== undefined) return text;
  if (value instanceof Bytes && !quoted) return yield* value.textSteps();
  const printer = new StepPrinter(quoted);
  yield* printer.write(value);
  return printer.text.end();
}
