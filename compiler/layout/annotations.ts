const NAME = /[ \t]*(?:[A-Z][\w\u0080-\uffff]*|nil(?![\w\u0080-\uffff]))\??/y;
const UNION = /[ \t]*\|/y;
const AFTER_PARAMETER = /[ \t\r]*(?:[,)\n#]|=(?![=~>]))/y;

/** Looks like an annotation but may be a value: nil, or a constant. */
const VALUE = /^\s*(?:nil|[A-Z][A-Z0-9_]*)$/;
const DEFAULT = /[ \t\r]*=(?![=~>])/y;

/**
 * End of the type annotation that starts at `at`: a capitalised name, then optionally `?`, `[…]` and `| Type`. −1 if
 * there is none.
 */
export function annotationEnd(text: string, at: number): number {
  let end = at;
  for (;;) {
    NAME.lastIndex = end;
    if (!NAME.test(text)) return -1;
    end = afterArguments(text, NAME.lastIndex);
    UNION.lastIndex = end;
    if (!UNION.test(text)) return end;
    end = UNION.lastIndex;
  }
}

/** Like `annotationEnd`, but for a parameter: only `,`, `)` or `=` may follow the annotation. */
export function parameterAnnotationEnd(text: string, at: number): number {
  const end = annotationEnd(text, at);
  // `opt: nil` and `opt: LIMIT` are named parameters with a default; whether a word in capitals is a type, the resolver
  // decides. If a default follows, it is a type.
  DEFAULT.lastIndex = end;
  if (end < 0 || (VALUE.test(text.slice(at, end)) && !DEFAULT.test(text))) return -1;
  AFTER_PARAMETER.lastIndex = end;
  return AFTER_PARAMETER.test(text) ? end : -1;
}

/** Skips `[…]` and a following `?`. */
function afterArguments(text: string, at: number): number {
  if (text[at] !== '[') return at;
  let depth = 0;
  for (let i = at; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '[') depth++;
    if (text[i] === ']' && --depth === 0) return text[i + 1] === '?' ? i + 2 : i + 1;
  }
  return at;
}
