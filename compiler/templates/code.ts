/** Where in JavaScript or CSS a position is, as far as strings, comments and regular expressions go. */
export interface CodeState {
  readonly state: 'code' | 'string' | 'template' | 'comment' | 'regular expression';
  /** The character that ends a string, or what ends a comment. */
  readonly end: string;
  /** The last character of code that is no blank: decides whether `/` divides. */
  readonly before: string;
}

export const CODE_START: CodeState = { state: 'code', end: '', before: '' };

/** Words after which a `/` begins a regular expression. */
const KEYWORD = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|instanceof|await|yield)\s*$/;
const ENDS_OPERAND = /[\w$)\]}]/;

/** The state after `text`. */
export function readCode(from: CodeState, text: string, isCss: boolean): CodeState {
  let { state, end, before } = from;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    const two = text.slice(i, i + 2);
    if (state === 'comment') {
      if (end === '\n' ? c === '\n' : two === '*/') {
        state = 'code';
        if (end !== '\n') i++;
      }
    } else if (state !== 'code') {
      if (c === '\\') i++;
      else if (state === 'regular expression' && c === '[') end = ']';
      else if (state === 'regular expression' && end === ']') end = c === ']' ? '/' : end;
      else if (c === end || (c === '\n' && state !== 'template')) {
        state = 'code';
        before = ')';
      }
    } else if (two === '/*' || (two === '//' && !isCss)) {
      state = 'comment';
      end = two === '/*' ? '*/' : '\n';
      i++;
    } else if (c === '"' || c === "'" || (c === '`' && !isCss)) {
      state = c === '`' ? 'template' : 'string';
      end = c;
    } else if (c === '/' && !isCss && beginsRegex(before, text.slice(0, i))) {
      state = 'regular expression';
      end = '/';
    } else if (c.trim() !== '') before = c;
  }
  return { state, end, before };
}

function beginsRegex(before: string, text: string): boolean {
  return !ENDS_OPERAND.test(before) || KEYWORD.test(text);
}
