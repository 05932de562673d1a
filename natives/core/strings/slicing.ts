import { shownInteger } from '../numbers/digits.js';
import { quickly } from '../../../vm/calls/native.js';
import { length, pointIndex, slice, unitOffset } from '../../../vm/values/text/codepoints.js';
import { Regex } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { typeName, kindName } from '../../../vm/values/types.js';
import { isInteger, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { indexText } from '../../../vm/calls/members.js';
import type { Int, Row } from '../declare.js';
import { joinTexts } from '../limits.js';
import { MatchValue } from '../regex/match.js';
import { lastFound, overMatches, whetherStarts, withFirst, type Pattern } from '../regex/engine.js';

/** Maximum length of a prefix that is compared within a microsecond. */
const SHORT = 256;

/** Whether a text starts with the only prefix if that is a short text; else undefined. */
function startsWithShort(text: Value, prefixes: Value): boolean | undefined {
  const all = prefixes as Value[];
  const first = all.length === 1 ? all[0] : null;
  return typeof first === 'string' && first.length < SHORT ? (text as string).startsWith(first) : undefined;
}

/** `text[index]`: a character, a part by range, or the first match of a text or regex. */
function element(vm: NativeContext, text: string, index: Value): Value | undefined {
  const found = indexText(text, index);
  if (found !== undefined) return found;
  if (typeof index === 'string') return text.includes(index) ? index : null;
  if (index instanceof Regex) return withFirst(vm, '[]', text, index, 0, (found) => found?.groups[0] ?? null);
  return typeof index === 'bigint'
    ? null
    : fail(Errors.TypeError, `String.[](): index must be Integer, Range, String or Regex, got ${kindName(index)}`);
}

/** `count` characters starting at `start`; nil when that is outside the text. */
function part(text: string, start: Int, count: Int): Value {
  const total = length(text);
  const from = start < 0 ? Number(start) + total : Number(start);
  return from < 0 || from > total || count < 0 ? null : slice(text, from, Number(count));
}

function sliced(vm: NativeContext, text: string, index: Value, count: Value): Value | undefined {
  if (count === null) return element(vm, text, index);
  if (index instanceof Regex)
    return withFirst(vm, '[]', text, index, 0, (found) =>
      found === null ? null : new MatchValue(text, index, found).group(count),
    );
  if (!isInteger(count)) fail(Errors.TypeError, `String.slice(): count must be Integer, got ${typeName(count)}`);
  return typeof index === 'number' || typeof index === 'bigint'
    ? part(text, index, count)
    : fail(Errors.TypeError, `String.slice(): start must be Integer, got ${kindName(index)}`);
}

/** Code-point index of the first match of `pattern` at or after `from`, or nil. */
function indexOf(vm: NativeContext, text: string, pattern: Pattern, from: Int): Value | undefined {
  const start = from < 0 ? Number(from) + length(text) : Number(from);
  if (start < 0 || start > length(text)) return null;
  return withFirst(vm, 'index', text, pattern, unitOffset(text, start), (found) =>
    found === null ? null : pointIndex(text, found.start),
  );
}

function* lastIndexSteps(text: string, pattern: Pattern, until: Int | null): Generator<void, Value, void> {
  const limit =
    until === null
      ? text.length
      : unitOffset(text, Math.max(0, until < 0 ? Number(until) + length(text) : Number(until)));
  if (until !== null && until < 0 && -until > length(text)) return null;
  const found = yield* lastFound(text, pattern, limit);
  return found === null ? null : pointIndex(text, found.start);
}

/**
 * Inserts `other` before the character at `index`; negative indexes count from the end, −1 means after the last
 * character.
 */
function insert(text: string, index: Int, other: string): string {
  const total = length(text);
  const i = index < 0 ? Number(index) + total + 1 : Number(index);
  if (i < 0 || i > total)
    fail(Errors.IndexError, `index ${shownInteger(index)} is outside of a text with ${total} characters`);
  const unit = unitOffset(text, i);
  return joinTexts([text.slice(0, unit), other, text.slice(unit)], '');
}

// prettier-ignore
export const slicingRows: readonly Row[] = [
  ['[]', 'index: Any, count: Integer|String? = nil', 'String?', 'The character at an index, the part in a range, `count` characters starting at an index, the first match of a text or regex, or a group of that match; nil when there is none.', (vm: NativeContext, text: string, index: Value, count: Value) => sliced(vm, text, index, count)],
  ['slice', 'index: Any, count: Integer|String? = nil', 'String?', 'The same as `text[index]` and `text[index, count]`.', (vm: NativeContext, text: string, index: Value, count: Value) => sliced(vm, text, index, count)],
  ['index', 'pattern: String|Regex, from: Integer = 0', 'Integer?', 'Index of the first match of a pattern, or nil.', (vm: NativeContext, text: string, pattern: Pattern, from: Int) => indexOf(vm, text, pattern, from)],
  ['rindex', 'pattern: String|Regex, until: Integer? = nil', 'Integer?', 'Index of the last match of a pattern, or nil.', (vm: NativeContext, text: string, pattern: Pattern, until: Int | null) => overMatches(vm, 'rindex', text, pattern, lastIndexSteps(text, pattern, until))],
  ['include?', 'other: String', 'Boolean', 'Whether another text occurs in this one.', (_: unknown, text: string, other: string) => text.includes(other)],
  ['start_with?', '*prefixes: String|Regex', 'Boolean', 'Whether the text starts with one of the prefixes.', quickly(startsWithShort, (vm: NativeContext, text: string, prefixes: Pattern[]) => whetherStarts(vm, text, prefixes))],
  ['end_with?', '*suffixes: String', 'Boolean', 'Whether the text ends with one of the suffixes.', (_: unknown, text: string, suffixes: string[]) => suffixes.some((suffix) => text.endsWith(suffix))],
  ['insert', 'index: Integer, other: String', 'String', 'The text with another one inserted before the character at an index.', (_: unknown, text: string, index: Int, other: string) => insert(text, index, other)],
  ['prepend', '*others: String', 'String', 'The text with other texts before it.', (_: unknown, text: string, others: string[]) => joinTexts([...others, text], '')],
  ['concat', '*others: String', 'String', 'The text with other texts after it.', (_: unknown, text: string, others: string[]) => joinTexts([text, ...others], '')],
  ['delete_prefix', 'prefix: String', 'String', 'The text without a prefix, if it has it.', (_: unknown, text: string, prefix: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)],
  ['delete_suffix', 'suffix: String', 'String', 'The text without a suffix, if it has it.', (_: unknown, text: string, suffix: string) => (text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text)],
];
