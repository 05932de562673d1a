import { constraintsEnd } from '../constraints.js';

/** A type, perhaps of an imported file: `shop.Money`. */
const NAME = /[ \t]*(?:(?:[a-z_][\w\u0080-\uffff]*\.)?[A-Z][\w\u0080-\uffff]*|nil(?![\w\u0080-\uffff]))\??/y;
/** Maximum nesting of type arguments and function types. */
const MAX_DEPTH = 20;
const OPENING = /[ \t]*\(/y;
const CLOSING = /[ \t]*\)/y;
/** The end of a function type in parentheses that may be nil. */
const CLOSING_OPTIONAL = /[ \t]*\)\?/y;
const COMMA = /[ \t]*,/y;
const ARROW = /[ \t]*->/y;
const UNION = /[ \t]*\|/y;
const AFTER_PARAMETER = /[ \t\r]*(?:[,)\n#]|=(?![=~>]))/y;

/** Looks like an annotation but may be a value: nil, or a constant. */
const VALUE = /^\s*(?:nil|(?:[a-z_][\w\u0080-\uffff]*\.)?[A-Z][A-Z0-9_]*)$/;
/** A default, perhaps below comments. */
const DEFAULT = /(?:[ \t\r\n]|#[^\n]*\n)*=(?![=~>])/y;
const AFTER_ENTRY = /[ \t\r]*(?:[,}\n#]|=(?![=~>]))/y;

/**
 * End of the type annotation that starts at `at`: alternatives separated by `|`, each a capitalised name, optionally with
 * type arguments in `<…>` or `[…]`, or a function type such as `(Int) -> Bool`, and optionally `?`. −1 if there is none.
 * With `constrained`, a type may be followed by constraints, as in `String(1..200)`.
 */
export function annotationEnd(text: string, at: number, depth = 0, constrained = false): number {
  if (depth > MAX_DEPTH) return -1;
  let end = at;
  for (;;) {
    const isFunction = skip(OPENING, text, end);
    NAME.lastIndex = end;
    if (isFunction >= 0) end = functionTypeEnd(text, isFunction, depth + 1);
    else if (NAME.test(text)) end = afterArguments(text, NAME.lastIndex, constrained);
    else return -1;
    if (end < 0) return -1;
    if (constrained) end = afterConstraints(text, end);
    UNION.lastIndex = end;
    if (!UNION.test(text)) return end;
    end = UNION.lastIndex;
  }
}

/** The index after what a sticky pattern finds at `at`; −1 if it finds nothing. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * End of a function type, from after its `(`: `Int, String) -> Bool`. Also of one in parentheses that may be nil:
 * `(Int) -> Bool)?`. −1 for anything else in parentheses.
 */
function functionTypeEnd(text: string, at: number, depth: number): number {
  if (depth > MAX_DEPTH) return -1;
  const inner = skip(OPENING, text, at);
  if (inner >= 0) {
    const end = functionTypeEnd(text, inner, depth + 1);
    return end < 0 ? -1 : skip(CLOSING_OPTIONAL, text, end);
  }
  let end = skip(CLOSING, text, at);
  for (let from = at; end < 0;) {
    const type = annotationEnd(text, from, depth);
    if (type < 0) return -1;
    from = skip(COMMA, text, type);
    if (from < 0) {
      end = skip(CLOSING, text, type);
      if (end < 0) return -1;
    }
  }
  const result = skip(ARROW, text, end);
  return result < 0 ? -1 : annotationEnd(text, result, depth);
}

/** Skips constraints, and a following `?`. */
function afterConstraints(text: string, at: number): number {
  const end = text[at] === '(' ? constraintsEnd(text, at) : -1;
  if (end < 0) return at;
  return text[end] === '?' ? end + 1 : end;
}

/**
 * Like `annotationEnd`, but for a parameter: only `,`, `)` or `=` may follow the annotation. A record's field may have
 * constraints.
 */
export function parameterAnnotationEnd(text: string, at: number, ofRecord: boolean): number {
  const end = annotationEnd(text, at, 0, ofRecord);
  // `opt: nil` and `opt: LIMIT` are named parameters with a default; whether a word in capitals is a type, the resolver
  // decides. If a default follows, it is a type.
  DEFAULT.lastIndex = end;
  if (end < 0 || (VALUE.test(text.slice(at, end)) && !DEFAULT.test(text))) return -1;
  AFTER_PARAMETER.lastIndex = end;
  return AFTER_PARAMETER.test(text) ? end : -1;
}

/**
 * End of the annotation of an entry in a hash of types; only `,`, `}` or `=` may follow it. −1 if the entry has a value.
 */
export function entryAnnotationEnd(text: string, at: number): number {
  const end = annotationEnd(text, at, 0, true);
  DEFAULT.lastIndex = end;
  if (end < 0 || (VALUE.test(text.slice(at, end)) && !DEFAULT.test(text))) return -1;
  AFTER_ENTRY.lastIndex = end;
  return AFTER_ENTRY.test(text) ? end : -1;
}

/** Skips type arguments, `<…>` or `[…]`, and a following `?`. The `>` of `->` closes nothing. */
function afterArguments(text: string, at: number, constrained: boolean): number {
  if (text[at] !== '[' && text[at] !== '<') return at;
  let depth = 0;
  for (let i = at; i < text.length && text[i] !== '\n'; i++) {
    const end = constrained && text[i] === '(' ? constraintsEnd(text, i) : -1;
    if (end >= 0) i = end;
    if ((text[i] === '[' || text[i] === '<') && ++depth > MAX_DEPTH) return at;
    if ((text[i] === ']' || (text[i] === '>' && text[i - 1] !== '-')) && --depth === 0)
      return text[i + 1] === '?' ? i + 2 : i + 1;
  }
  return at;
}
