const DOC_LINE = /^[ \t]*##[ \t]?/;

/** Start of the line that contains `offset` if only white space precedes it, else −1. Lines may be very long. */
function startIfFirst(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--;
  return start === 0 || text[start - 1] === '\n' ? start : -1;
}

export function isFirstOnLine(text: string, offset: number): boolean {
  return startIfFirst(text, offset) >= 0;
}

/**
 * Text of the `##` lines directly above the line whose first word is at `offset`, joined by newlines, without the `##`.
 */
export function docComment(text: string, offset: number): string {
  const lines: string[] = [];
  let start = startIfFirst(text, offset);
  while (start > 0) {
    const previous = text.lastIndexOf('\n', start - 2) + 1;
    const line = text.slice(previous, start - 1);
    if (!DOC_LINE.test(line)) break;
    lines.push(line.replace(DOC_LINE, '').trimEnd());
    start = previous;
  }
  return lines.reverse().join('\n');
}

/**
 * Offset of the next character that is not white space, a comment or a joined line; `\` before a newline joins lines.
 */
export function skipBlanks(text: string, at: number): number {
  for (let i = at; ; i++) {
    const code = text.charCodeAt(i);
    if (code === 32 || code === 9 || code === 13 || code === 12 || code === 11) continue;
    if (code === 35) {
      const end = text.indexOf('\n', i);
      return end < 0 ? text.length : end;
    }
    if (code !== 92) return i;
    const after = text.charCodeAt(i + 1) === 13 ? i + 2 : i + 1;
    if (text.charCodeAt(after) !== 10) return i;
    i = after;
  }
}

/**
 * Whether the next line that is neither blank nor a comment starts with `.`, `&.` or `|>`, and so continues the
 * statement.
 */
export function continuesBelow(text: string, at: number): boolean {
  for (let i = at; ; i++) {
    i = skipBlanks(text, i);
    const code = text.charCodeAt(i);
    if (code === 10) continue;
    const next = text.charCodeAt(i + 1);
    if (code === 46) return next !== 46;
    if (code === 38) return next === 46;
    return code === 124 && next === 62;
  }
}
