import type * as Ast from '../ast.js';
import { invalid } from '../build/invalid.js';
import { callOf, escapedAt } from './escapes.js';
import { HtmlPlace, Refusal } from './htmlplace.js';

/** `html"<p>#{x}</p>"`: HTML whose values are escaped by the place where they stand. */
export function htmlLiteral(literal: Ast.Str | Ast.Interp): Ast.Expr {
  const { start, end } = literal;
  const place = new HtmlPlace();
  const parts = literal.type === 'Str' ? [literal] : literal.parts;
  const escaped = parts.map((part, i): Ast.Expr => {
    if (part.type === 'Str') {
      place.advance(part.value);
      const found = place.takeAmbiguity();
      return found === null ? part : invalid('template-place', found.message, part.start, part.end, found.hint);
    }
    const next = parts[i + 1];
    const made = escapedAt(place, part, next?.type === 'Str' ? next.value : '');
    place.afterValue();
    return made instanceof Refusal ? invalid('template-place', made.message, part.start, part.end, made.hint) : made;
  });
  if (!place.isText)
    return invalid('template-place', `the HTML ends ${place.describe()}`, start, end, 'close the tag or the quote');
  const text: Ast.Interp = { type: 'Interp', parts: escaped, start, end };
  return callOf('%html_raw_value', [text], literal);
}
