import { RecordValue } from '../../../vm/values/compound.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text.js';
import { joinIntegers } from '../../../vm/values/unittext.js';
import type { Value } from '../../../vm/values/value.js';
import { checkText } from '../limits.js';
import { encodeWithin, quoteJson } from './encode.js';

/** Vectors and hashes with more members than this are encoded in steps. */
const MANY = 1000;
/** Levels between which work on large values can stop. */
export const STEPPED_LEVELS = 4;
/** Members of a level that are looked at for large ones. */
const LOOKED_AT = 8;
/** Characters between two stops. */
const PIECE = 65_536;
/** Most and fewest Integers that are written as one. */
const LONG_RUN = 4096;
const SHORT_RUN = 16;

/** Whether encoding a value may take long. */
export function isLarge(value: Value, level = 0): boolean {
  const hash = value instanceof RecordValue ? value.fields : value;
  const count = Array.isArray(hash) ? hash.length : hash instanceof Hash ? hash.size : 0;
  if (count > MANY) return true;
  if (count === 0 || level === STEPPED_LEVELS) return false;
  const some = Array.isArray(hash) ? hash : (hash as Hash).firstValues(LOOKED_AT);
  for (let i = 0; i < some.length && i < LOOKED_AT; i++) {
    const item = some[i];
    if (typeof item === 'object' && item !== null && isLarge(item, level + 1)) return true;
  }
  return false;
}

/** `encodeJson` in steps, for large values. @throws what it throws */
export function* encodeSteps(value: Value, pretty = false): Generator<void, Value, void> {
  const writer = new StepWriter(pretty);
  yield* writer.write(value, '', 0);
  return writer.text;
}

class StepWriter {
  text = '';
  private stopAt = PIECE;
  private containers = 0;

  constructor(private readonly pretty: boolean) {}

  *write(value: Value, indent: string, depth: number): Generator<void, void, void> {
    if (this.isSmall(value, depth)) this.add(value, indent, depth);
    else if (Array.isArray(value)) yield* this.vector(value as Value[], indent, depth + 1);
    else yield* this.hash(value instanceof RecordValue ? value.fields : (value as Hash), indent, depth + 1);
    if (this.text.length >= this.stopAt) yield* this.stop();
  }

  private isSmall(value: Value, depth: number): boolean {
    return typeof value !== 'object' || value === null || depth >= STEPPED_LEVELS || !isLarge(value, depth);
  }

  /** What is encoded without a stop. */
  private add(value: Value, indent: string, depth: number): void {
    const { text, containers } = encodeWithin(value, this.pretty, indent, depth, this.containers);
    checkText(this.text.length + text.length);
    this.text += text;
    this.containers = containers;
  }

  private *stop(): Generator<void, void, void> {
    checkText(this.text.length);
    yield;
    this.stopAt = this.text.length + PIECE;
  }

  private *vector(vector: Value[], indent: string, depth: number): Generator<void, void, void> {
    // Others may change the vector between two steps.
    const list = vector.slice();
    const inner = `${indent}  `;
    const between = this.pretty ? `,\n${inner}` : ',';
    for (let i = 0; i < list.length; ) {
      this.text += i === 0 ? this.opening('[', inner) : between;
      const end = endOfIntegers(list, i);
      if (end - i >= SHORT_RUN) {
        this.text += joinIntegers(list.slice(i, end) as number[], between);
        i = end;
      } else {
        const item = list[i++];
        if (!this.isSmall(item, depth)) yield* this.write(item, inner, depth);
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
      this.text += `${i === 0 ? this.opening('{', inner) : between}${quoteJson(toText(keys[i]))}${colon}`;
      if (!this.isSmall(values[i], depth)) yield* this.write(values[i], inner, depth);
      else this.add(values[i], inner, depth);
      if (this.text.length >= this.stopAt) yield* this.stop();
    }
    this.close('}', indent);
  }

  private opening(bracket: string, inner: string): string {
    return this.pretty ? `${bracket}\n${inner}` : bracket;
  }

  private close(bracket: string, indent: string): void {
    this.text += this.pretty ? `\n${indent}${bracket}` : bracket;
    checkText(this.text.length);
  }
}

/** Where a run of Integers that begins at `from` ends. */
function endOfIntegers(list: readonly Value[], from: number): number {
  const most = Math.min(from + LONG_RUN, list.length);
  let end = from;
  while (end < most && typeof list[end] === 'number') end++;
  return end;
}
