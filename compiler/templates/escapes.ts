import type * as Ast from '../ast.js';
import { type HtmlPlace, type Place, Refusal } from './htmlplace.js';

/** The functions that escape values, by place. */
const ESCAPES: Readonly<Record<Exclude<Place, 'script' | 'script-attribute' | 'attributes'>, string>> = {
  text: '%html_text',
  attribute: '%html_attribute',
  url: '%html_url',
  'url-path': '%html_url_path',
  'url-query': '%html_url_query',
  urls: '%html_urls',
  document: '%html_document',
};

/** A call that escapes a value for its place. `next` is the text behind it. */
export function escapedAt(place: HtmlPlace, value: Ast.Expr, next: string): Ast.Expr | Refusal {
  const kind = place.place(next);
  if (kind instanceof Refusal) return kind;
  if (kind === 'script' || kind === 'script-attribute') {
    const args = argumentsOf(value, 'json');
    return args === null
      ? new Refusal(
          `a value cannot stand ${place.describe()} as it is`,
          place.language === 'CSS'
            ? 'write `json(number)` for a number; for names and colors, choose a class with `if`'
            : 'write `json(value)`: JavaScript reads it as that value',
        )
      : callOf(kind === 'script' ? '%json_script' : '%json_attribute', args, value);
  }
  if (kind === 'attributes') {
    const args = argumentsOf(value, 'attributes');
    return args === null
      ? new Refusal(
          'a value cannot stand between the attributes of a tag',
          'write name="…", or `attributes({name: value})`, which leaves out those that are nil or false',
        )
      : callOf('%html_raw', [callOf('%html_attributes', args, value)], value);
  }
  const escaped = callOf(ESCAPES[kind], [value], value);
  const guard = kind === 'url-path' || kind === 'url-query' ? place.startGuard(next) : null;
  if (guard === null) return escaped;
  const [after, filler] = [guard.after, guard.filler].map((text): Ast.Str => ({
    type: 'Str',
    value: text,
    start: value.start,
    end: value.start,
  }));
  return callOf('%html_url_start', [escaped, after, filler], value);
}

/** The arguments of a call of the function `name`; null for other expressions. */
function argumentsOf(node: Ast.Expr, name: string): Ast.Arg[] | null {
  return node.type === 'Call' && node.callee.type === 'Ident' && node.callee.name === name ? node.args : null;
}

/** A call of a native that the compiler adds. */
export function callOf(name: string, args: Ast.Arg[], { start, end }: Ast.Node): Ast.Call {
  return { type: 'Call', callee: { type: 'Ident', name, start, end: start }, args, block: null, start, end };
}
