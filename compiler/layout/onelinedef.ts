import type { Layout } from './layout.js';
import { Token } from './token.js';

const ASSIGNED = /[ \t]*=(?![=~>])/y;

/** Whether a single `=` follows. */
export function isAssigned({ lexer, text }: Layout): boolean {
  ASSIGNED.lastIndex = lexer.index;
  return ASSIGNED.test(text);
}

/** `def f(a) = a + 1`: reads the `=`; the rest of the statement is the body. `returns` is the return type. */
export function oneLineDef(layout: Layout, returns = ''): void {
  const { lexer, text, top } = layout;
  const at = text.indexOf('=', lexer.index);
  layout.then(at, '=', returns);
  top.oneLine = true;
  lexer.index = at + 1;
}

/** Ends each `def` whose statement has ended, if it has no `end` of its own; reports one without an expression. */
export function closeOneLine(layout: Layout, at: number): void {
  while (layout.top.oneLine) {
    const last = layout.tokens[layout.tokens.length - 1];
    if (last.type === 'THEN' && last.text === '=') reportMissing(layout, last.end + last.text.length);
    if (!layout.atStart) layout.separate(at);
    layout.close();
    layout.push(new Token('END', 'end', at, at));
    layout.separate(at);
  }
}

function reportMissing(layout: Layout, at: number): void {
  layout.report('syntax-error', 'unexpected end of the line: expected an expression', at, at);
}
