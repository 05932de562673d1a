import { nearest } from '../../../vm/bytecode/nearest.js';
import { fieldsOf } from '../../../vm/calls/members.js';
import { concat } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';

const PLACE = /\{\{\s*([\w.]+[?!]?)\s*\}\}/g;

/** Names among which a similar one is looked for. */
const MOST_NAMES = 1000;

/** The value at a path such as `user.name`. @throws KeyError */
function lookUp(values: Value, path: string): Value {
  let value = values;
  for (const name of path.split('.')) {
    const fields = fieldsOf(value);
    const next: Value | undefined =
      fields !== null
        ? fields.get(name)
        : Array.isArray(value) && /^\d+$/.test(name)
          ? (value[Number(name)] ?? null)
          : undefined;
    if (next === undefined) {
      const near =
        fields === null || fields.size > MOST_NAMES
          ? null
          : nearest(
              name,
              fields.keys().filter((key) => typeof key === 'string'),
            );
      fail(Errors.KeyError, `template(): no value for '${path}'${near === null ? '' : `, did you mean '${near}'?`}`);
    }
    value = next;
  }
  return value;
}

/** Placeholders between two pauses. */
const PLACES = 128;

/** `text` with each `{{name}}` or `{{user.name}}` replaced by its text, which `shown` makes. Nothing is escaped. */
export function* templateSteps(
  text: string,
  values: Value,
  shown: (value: Value) => string = toText,
): Generator<void, string, void> {
  let out = '';
  let end = 0;
  let count = 0;
  for (const match of text.matchAll(PLACE)) {
    out = concat(concat(out, text.slice(end, match.index)), shown(lookUp(values, match[1])));
    end = match.index + match[0].length;
    if (++count % PLACES === 0) yield;
  }
  return concat(out, text.slice(end));
}
