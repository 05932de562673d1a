/** Texts of large values, made in steps: what `toText` and `inspect` make of small ones. */
import type { Steps } from '../../vm/longwork.js';
import { RecordValue } from '../../vm/values/compound.js';
import type { Hash } from '../../vm/values/hash.js';
import { ErrorValue } from '../../vm/values/error.js';
import { inspect, Printer, quote, toText } from '../../vm/values/text.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { isLarge } from '../../vm/values/weight.js';
import { checkText } from './limits.js';
import { integerDigits } from './numbers/digits.js';
import { partsInSteps } from './strings/stepwise.js';

/** Elements of a vector that are printed as one when all are numbers. */
const CHUNK = 512;
/** Characters between two stops. */
const PIECE = 65_536;

/** Where a text may be cut before it is quoted: not within `#{`, nor a pair of surrogates. */
const QUOTABLE = /(?<!#)[^\udc00-\udfff]/g;

class StepPrinter extends Printer {
  text = '';
  private stopAt = PIECE;

  *write(value: Value): Generator<void, void, void> {
    if (!isLarge(value) || (typeof value === 'object' && this.open.has(value as object))) this.add(this.print(value));
    else if (typeof value === 'string') yield* this.string(value);
    else if (typeof value === 'bigint') this.add(yield* integerDigits(value));
    else if (value instanceof ErrorValue) yield* this.error(value);
    else {
      this.enter(value as object);
      if (Array.isArray(value)) yield* this.vector(value.slice());
      else if (value instanceof RecordValue) yield* this.hash(value.fields, `${value.type.name}(`, ')');
      else yield* this.hash(value as Hash, '{', '}');
      this.open.delete(value as object);
    }
    if (this.text.length >= this.stopAt) yield* this.stop();
  }

  private add(text: string): void {
    checkText(this.text.length + text.length, this.text.length);
    this.text += text;
  }

  private *string(text: string): Generator<void, void, void> {
    if (!this.quoted) return this.add(text);
    this.add('"');
    yield* partsInSteps(text, (part) => this.add(quote(part).slice(1, -1)), QUOTABLE);
    this.add('"');
  }

  private *error({ type, message }: ErrorValue): Generator<void, void, void> {
    if (!this.quoted) return this.add(message);
    this.add(`${type.name}(`);
    yield* this.string(message);
    this.add(')');
  }

  private *stop(): Generator<void, void, void> {
    yield;
    this.stopAt = this.text.length + PIECE;
  }

  /** The vector is a copy: others may change the value between two steps. */
  private *vector(list: Value[]): Generator<void, void, void> {
    this.add('[');
    for (let lo = 0; lo < list.length; lo += CHUNK) {
      if (lo > 0) this.add(', ');
      const chunk = list.slice(lo, lo + CHUNK);
      if (chunk.every((item) => typeof item === 'number')) {
        this.add(this.join(chunk));
        if (this.text.length >= this.stopAt) yield* this.stop();
      } else for (let i = 0; i < chunk.length; i++) {
        if (i > 0) this.add(', ');
        yield* this.write(chunk[i]);
      }
    }
    this.add(']');
  }

  private *hash(hash: Hash, begin: string, end: string): Generator<void, void, void> {
    let mark = begin;
    for (const [key, value] of hash.entries()) {
      this.add(mark);
      if (isLarge(key)) yield* this.write(key);
      else this.add(this.key(key));
      this.add(': ');
      yield* this.write(value);
      mark = ', ';
    }
    this.add(mark === begin ? begin + end : end);
  }
}

/** The text of a value in steps: `quoted` as `p` shows it, else as `puts` does. @throws what `inspect` throws */
export function* textSteps(value: Value, quoted: boolean): Generator<void, string, void> {
  if (!isLarge(value)) return quoted ? inspect(value) : toText(value);
  const printer = new StepPrinter(quoted);
  yield* printer.write(value);
  return printer.text;
}

/** The text of a value for a native: in pieces when it may take long. */
export function textOf(vm: VM, value: Value, quoted: boolean): Value | undefined {
  if (isLarge(value)) return vm.inPieces('text', textSteps(value, quoted));
  return quoted ? inspect(value) : toText(value);
}

/** Prints what `make` makes of the texts of values, and returns `result`: in pieces when one of them is large. */
export function printed(vm: VM, values: readonly Value[], quoted: boolean, make: (texts: string[]) => string, result: Value): Value | undefined {
  const show = (texts: string[]): Value => {
    vm.host.stdout(make(texts));
    return result;
  };
  if (!values.some((value) => isLarge(value))) return show(values.map(quoted ? inspect : toText));
  return vm.inPieces('text', (function* (): Steps {
    const texts: string[] = [];
    for (const value of values) texts.push(yield* textSteps(value, quoted));
    return show(texts);
  })());
}
