import { Errors, fail } from '../../../vm/values/error.js';
import { formatText } from '../../../vm/values/format.js';
import { toText } from '../../../vm/values/text.js';
import type { Value } from '../../../vm/values/value.js';
import { functions } from '../declare.js';
import { joinTexts } from '../limits.js';
import { fillTemplate } from './template.js';

/** Joins the texts of values; vectors are joined element by element, single values standing beside each. */
function paste(values: Value[], separator: string, collapse: string | null): Value {
  const vectors = values.filter((value) => Array.isArray(value));
  const row = (i: number): string => joinTexts(values.map((value) => toText(Array.isArray(value) ? value[i] : value)), separator);
  if (vectors.length === 0) return row(0);
  const [{ length }] = vectors;
  for (const { length: other } of vectors) if (other !== length) fail(Errors.ValueError, `paste(): vectors have different lengths: ${length} and ${other}`);
  const rows = Array.from({ length }, (_, i) => row(i));
  return collapse === null ? rows : joinTexts(rows, collapse);
}

export const stringFunctions = functions([
  ['format sprintf', 'format: String, *values: Any', 'String', 'A text with its `%` directives filled in by values.', (_: unknown, text: string, values: Value[]) => formatText(text, values)],
  ['paste', '*values: Any, sep: String = " ", collapse: String? = nil', 'String|Vector', 'Joins values with `sep`; vectors element by element, and their results with `collapse` when given.', (_: unknown, values: Value[], separator: string, collapse: string | null) => paste(values, separator, collapse)],
  ['template', 'text: String, values: Hash|Record', 'String', 'A text with each `{{name}}` replaced by the value of that key.', (_: unknown, text: string, values: Value) => fillTemplate(text, values)],
]);
