// Control characters that mark places in a printed text. They have no width, and a source that holds one is not printed.

/** Before each comment. */
export const COMMENT = '\u0001';
/** After the opener of each heredoc, whose text begins on the next line. */
export const HEREDOC = '\u0002';
/** Before a line break inside a literal. */
export const INSIDE = '\u0003';

const MARKS = /[\u0001-\u0003]/;

export function hasMarks(text: string): boolean {
  return MARKS.test(text);
}

/** A comment that was printed inside a literal of several lines, at the end of its first one, and its other lines. */
const INSIDE_LITERAL = /\u0003( \u0001[^\n]*)((?:\n[^\n]*\u0003(?=\n))*\n[^\n]*)/g;
/** Two comments that were printed on one line. */
const MERGED = /\u0001[^\n]*\u0001/;

/**
 * Removes the marks, moves comments from the inside of literals to their end, and inserts the texts of heredocs. Returns
 * null if two comments are on one line, or if a heredoc is missing.
 */
export function withoutMarks(printed: string, heredocs: readonly string[]): string | null {
  if (!hasMarks(printed)) return heredocs.length === 0 ? printed : null;
  const text = printed.replace(INSIDE_LITERAL, `${INSIDE}$2$1`);
  if (MERGED.test(text)) return null;
  let used = 0;
  let pending = 0;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    pending += line.split(HEREDOC).length - 1;
    lines.push(line.replace(/[\u0001-\u0003]/g, ''));
    if (pending === 0 || line.endsWith(INSIDE)) continue;
    lines.push(...heredocs.slice(used, used + pending));
    used += pending;
    pending = 0;
  }
  return used === heredocs.length ? lines.join('\n') : null;
}
