/** Texts of large values, made in steps: what `toText` and `inspect` make of small ones. */
import type { Steps } from '../../vm/longwork.js';
import { RecordValue } from '../../vm/values/compound.js';
import type { Hash } from '../../vm/values/hash.js';
import { inspect, Printer, toText } from '../../vm/values/text.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { isLarge } from './json/steps.js';
import { checkText } from './limits.js';

/** Levels between whose members the work can stop. */
const STEPPED_LEVELS = 4;
/** Elements of a vector that are printed as one when all are numbers. */
const CHUNK = 512;
/** Characters between two stops. */
const PIECE = 65_536;

class StepPrinter extends Printer {
  text = '';
  private stopAt = PIECE;

  *write(value: Value, level: number): Generator<void, void, void> {
    if (!this.isStepped(value, level)) {
      this.add(this.print(value));
      if (this.text.length >= this.stopAt) yield* this.stop();
      return;
    }
    this.enter(value as object);
    if (Array.isArray(value)) yield* this.vector(value.slice(), level + 1);
    else if (value instanceof RecordValue) yield* this.hash(value.fields, `${value.type.name}(`, ')', level + 1);
    else yield* this.hash(value as Hash, '{', '}', level + 1);
    this.open.delete(value as object);
  }

  /** What is being printed already is not printed again. */
  private isStepped(value: Value, level: number): boolean {
    return typeof value === 'object' && value !== null && level < STEPPED_LEVELS && isLarge(value, level) && !this.open.has(value);
  }

  private add(text: string): void {
    checkText(this.text.length + text.length);
    this.text += text;
  }

  private *stop(): Generator<void, void, void> {
    yield;
    this.stopAt = this.text.length + PIECE;
  }

  /** The vector is a copy: others may change the value between two steps. */
  private *vector(list: Value[], level: number): Generator<void, void, void> {
    this.add('[');
    for (let lo = 0; lo < list.length; lo += CHUNK) {
      if (lo > 0) this.add(', ');
      const chunk = list.slice(lo, lo + CHUNK);
      if (chunk.every((item) => typeof item === 'number')) {
        this.add(this.join(chunk));
        if (this.text.length >= this.stopAt) yield* this.stop();
      } else for (let i = 0; i < chunk.length; i++) {
        if (i > 0) this.add(', ');
        yield* this.write(chunk[i], level);
      }
    }
    this.add(']');
  }

  private *hash(hash: Hash, begin: string, end: string, level: number): Generator<void, void, void> {
    let mark = begin;
    for (const [key, value] of hash.entries()) {
      this.add(`${mark}${this.key(key)}: `);
      yield* this.write(value, level);
      mark = ', ';
    }
    this.add(mark === begin ? begin + end : end);
  }
}

/** The text of a value in steps: `quoted` as `p` shows it, else as `puts` does. @throws what `inspect` throws */
export function* textSteps(value: Value, quoted: boolean): Generator<void, string, void> {
  if (!isLarge(value)) return quoted ? inspect(value) : toText(value);
  const printer = new StepPrinter(quoted);
  yield* printer.write(value, 0);
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
