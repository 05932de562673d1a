import { finish } from '../../../vm/values/steps.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { Requests } from '../../../vm/calls/caller.js';
import { afterwards } from '../../../vm/calls/native.js';
import { RecordType } from '../../../vm/values/structured.js';
import { ownTextRequests } from '../printing.js';
import { formatted, withOwnTexts } from '../../../vm/interpreter/ownoperators.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions } from '../declare.js';
import { joinSteps } from '../collections/joining.js';
import { isLarge } from '../../../vm/values/weight.js';
import { joinTexts } from '../limits.js';
import { textSteps } from '../../../vm/values/textsteps.js';
import { overText } from './stepwise.js';
import { templateSteps } from './template.js';

/** Joins the texts of values. Vectors are joined element by element; a single value is repeated for each. */
function* pasteSteps(given: Value[], separator: string, collapse: string | null): Generator<void, Value, void> {
  // Copies: others may change the vectors between two steps.
  const values = given.map((value) => (Array.isArray(value) ? value.slice() : value));
  const vectors = values.filter((value) => Array.isArray(value));
  const columns: (string | Value[])[] = [];
  for (const value of values) columns.push(Array.isArray(value) ? value : yield* textSteps(value, false));
  function* row(i: number): Generator<void, string, void> {
    const texts: string[] = [];
    for (const column of columns)
      texts.push(
        typeof column === 'string'
          ? column
          : isLarge(column[i])
            ? yield* textSteps(column[i], false)
            : toText(column[i]),
      );
    return joinTexts(texts, separator);
  }
  if (vectors.length === 0) return yield* row(0);
  const [{ length }] = vectors;
  for (const { length: other } of vectors)
    if (other !== length) fail(Errors.ValueError, `paste(): vectors have different lengths: ${length} and ${other}`);
  const rows: string[] = [];
  let units = 0;
  for (let i = 0; i < length; i++) {
    const text = yield* row(i);
    rows.push(text);
    units += text.length;
    if (i % ROWS !== ROWS - 1 && units < UNITS) continue;
    units = 0;
    yield;
  }
  return collapse === null ? rows : yield* joinSteps(rows, collapse);
}

/** As `templateSteps`; records with their own `to_s` are shown by it. */
function filled(vm: NativeContext, text: string, values: Value): Value | undefined {
  const run = (shown?: (value: Value) => string): Value | undefined =>
    overText(vm, 'template', text, templateSteps(text, values, shown));
  return RecordType.haveTexts ? withOwnTexts(vm, (own) => run((value) => own(value) ?? toText(value))) : run();
}

/** Rows and characters between two pauses. */
const ROWS = 1024;
const UNITS = 1 << 18;
/** Maximum rows made at once. */
const MAX_ROWS_AT_ONCE = 128;

function paste(vm: NativeContext, values: Value[], separator: string, collapse: string | null): Value | undefined {
  if (RecordType.haveTexts)
    return afterwards(
      vm,
      () => vm.answering(shownValues(values)),
      (all) => pasteTexts(vm, all as Value[], separator, collapse),
    );
  return pasteTexts(vm, values, separator, collapse);
}

/** The values, and elements of vectors among them, with records replaced by the texts of their own `to_s`. */
function* shownValues(values: readonly Value[]): Requests {
  const out: Value[] = [];
  for (const value of values)
    out.push(Array.isArray(value) ? yield* ownTextRequests(value) : ((yield* ownTextRequests([value])) as Value[])[0]);
  return out;
}

function pasteTexts(vm: NativeContext, values: Value[], separator: string, collapse: string | null): Value | undefined {
  const isLong = values.some((value) => isLarge(value) || (Array.isArray(value) && value.length > MAX_ROWS_AT_ONCE));
  const steps = pasteSteps(values, separator, collapse);
  return isLong ? vm.inPieces('paste', steps) : finish(steps);
}

// prettier-ignore
export const stringFunctions = functions([
  ['format sprintf', 'format: String, *values: Any', 'String', 'A text with its `%` directives filled in by values.', (vm: NativeContext, text: string, values: Value[]) => formatted(vm, text, values)],
  ['paste', '*values: Any, sep: String = " ", collapse: String? = nil', 'String|Vector', 'Joins values with `sep`; vectors element by element, and their results with `collapse` when given.', paste],
  ['template', 'text: String, values: Hash|Record', 'String', 'A text with each `{{name}}` replaced by the value of that key, unchanged: nothing is escaped, so values in HTML need `html_escape`.', filled],
]);
