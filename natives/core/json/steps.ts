import { RecordValue } from '../../../vm/values/structured.js';
import { Hash } from '../../../vm/values/hash.js';
import { SetValue } from '../../../vm/values/set.js';
import { BlockText } from '../../../vm/values/text/blocks.js';
import { toText } from '../../../vm/values/text/text.js';
import { joinIntegers } from '../../../vm/values/text/textbuilder.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import { checkText } from '../limits.js';
import { integerDigits } from '../../../vm/values/numbers/bigsteps.js';
import { partsInSteps } from '../strings/stepwise.js';
import { encodeWithin, enter, quoteJson } from './encode.js';

export { isLarge };

/** Characters between two pauses. */
const PIECE = 65_536;
/** Maximum and minimum number of Integers written as one run. */
const MAX_RUN = 4096;
const SHORT_RUN = 16;

/** `encodeJson` in steps, for large values. @throws the same errors */
export function* encodeSteps(value: Value, pretty = false): Generator<void, Value, void> {
  const writer = new StepWriter(pretty);
  yield* writer.write(value, '', 0);
  return writer.text.end();
}

class StepWriter {
  readonly text = new BlockText();
  private stopAt = PIECE;
  private containers = 0;

  constructor(private readonly pretty: boolean) {}

  *write(value: Value, indent: string, depth: number): Generator<void, void, void> {
    if (!isLarge(value)) this.add(value, indent, depth);
    else if (typeof value === 'string') yield* this.string(value);
    else if (typeof value === 'bigint') this.append(yield* integerDigits(value));
    else if (Array.isArray(value)) yield* this.vector(value, indent, this.enter(depth));
    else if (value instanceof SetValue) yield* this.vector(value.items(), indent, this.enter(depth));
    else if (value instanceof RecordValue || value instanceof Hash)
      yield* this.hash(value instanceof RecordValue ? value.fields : value, indent, this.enter(depth));
    else this.add(value, indent, depth);
    if (this.text.length >= this.stopAt) yield* this.stop();
  }

  private enter(depth: number): number {
    return enter(depth, ++this.containers);
  }

  /** Encodes a value without pausing. */
  private add(value: Value, indent: string, depth: number): void {
    const { text, containers } = encodeWithin(value, this.pretty, indent, depth, this.containers);
    this.append(text);
    this.containers = containers;
  }

  private append(text: string): void {
    checkText(this.text.length + text.length, this.text.length);
    this.text.add(text);
  }

  /** A part never ends inside a surrogate pair, so each is escaped as it would be in the whole text. */
  private *string(text: string): Generator<void, void, void> {
    this.append('"');
    yield* partsInSteps(text, (part) => this.append(quoteJson(part).slice(1, -1)));
    this.append('"');
  }

  private *stop(): Generator<void, void, void> {
    yield;
    this.stopAt = this.text.length + PIECE;
  }

  private *vector(vector: Value[], indent: string, depth: number): Generator<void, void, void> {
    // A copy: others may change the vector between two steps.
    const list = vector.slice();
    const inner = `${indent}  `;
    const between = this.pretty ? `,\n${inner}` : ',';
    for (let i = 0; i < list.length;) {
      this.text.add(i === 0 ? this.opening('[', inner) : between);
      const end = endOfIntegers(list, i);
      if (end - i >= SHORT_RUN) {
        this.append(joinIntegers(list.slice(i, end) as number[], between));
        i = end;
      } else {
        const item = list[i++];
        if (isLarge(item)) yield* this.write(item, inner, depth);
        else this.add(item, inner, depth);
      }
      if (this.text.length >= this.stopAt) yield* this.stop();
    }
    this.close(']', indent);
  }

  private *hash(hash: Hash, indent: string, depth: number): Generator<void, void, void> {
    const keys = hash.keys();
    const values = hash.values();
    const inner = `${indent}  `;
    const between = this.pretty ? `,\n${inner}` : ',';
    const colon = this.pretty ? ': ' : ':';
    for (let i = 0; i < keys.length; i++) {
      this.append(i === 0 ? this.opening('{', inner) : between);
      const key = toText(keys[i]);
      if (isLarge(key)) yield* this.string(key);
      else this.append(quoteJson(key));
      this.text.add(colon);
      if (isLarge(values[i])) yield* this.write(values[i], inner, depth);
      else this.add(values[i], inner, depth);
      if (this.text.length >= this.stopAt) yield* this.stop();
    }
    this.close('}', indent);
  }

  private opening(bracket: string, inner: string): string {
    return this.pretty ? `${bracket}\n${inner}` : bracket;
  }

  private close(bracket: string, indent: string): void {
    this.text.add(this.pretty ? `\n${indent}${bracket}` : bracket);
    checkText(this.text.length);
  }
}

/** End of the run of Integers that begins at `from`. */
function endOfIntegers(list: readonly Value[], from: number): number {
  const most = Math.min(from + MAX_RUN, list.length);
  let end = from;
  while (end < most && typeof list[end] === 'number') end++;
  return end;
}
