/**
 * Ends of quoted parts and comments of SQL. They are searched for: a regular expression with a choice in a loop, such as
 * `(?:[^']|'')*`, needs room on the stack for each character, and fails for some millions of them.
 */

export type Engine = 'sqlite' | 'postgres';

/** Openings of parts in which nothing is a parameter: comments, texts, quoted names. */
const OPENING: Readonly<Record<Engine, RegExp>> = {
  sqlite: /['"`[]|--|\/\*/y,
  postgres: /\b[eE]'|['"]|--|\/\*|\$\w*\$/y,
};

/** End of the part whose opening quote is before `from`. A doubled quote belongs to the part, which may go to the end. */
export function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 2))
    if (text[at + 1] !== quote) return at + 1;
  return text.length;
}

const ESCAPE_OR_QUOTE = /['\\]/g;

/** The same for a text of PostgreSQL in which a backslash escapes the next character: `E'…'`. */
function endOfEscaped(text: string, from: number): number {
  ESCAPE_OR_QUOTE.lastIndex = from;
  for (let found = ESCAPE_OR_QUOTE.exec(text); found !== null; found = ESCAPE_OR_QUOTE.exec(text)) {
    const at = found.index;
    if (found[0] === "'" && text[at + 1] !== "'") return at + 1;
    ESCAPE_OR_QUOTE.lastIndex = at + 2;
  }
  return text.length;
}

/** End of the comment that begins at `start`. @param isNested whether it may hold others, as in PostgreSQL */
export function endOfComment(text: string, start: number, isNested: boolean): number {
  if (!isNested) return endAfter(text, '*/', start + 2);
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

/** Index after the next `mark`, or the end of the text. */
export function endAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/**
 * End of the text, quoted name or comment that begins at `at`; `at` itself if none does. One that never ends goes to the
 * end.
 */
export function endOfSkipped(text: string, at: number, engine: Engine): number {
  const pattern = OPENING[engine];
  pattern.lastIndex = at;
  const opening = pattern.exec(text)?.[0];
  if (opening === undefined) return at;
  const from = at + opening.length;
  switch (opening[0]) {
    case '-':
      return endOfLine(text, from);
    case '/':
      return endOfComment(text, at, engine === 'postgres');
    case '[':
      return endAfter(text, ']', from);
    case '$':
      return endAfter(text, opening, from);
    case 'e':
    case 'E':
      return endOfEscaped(text, from);
    default:
      return endOfQuoted(text, from, opening);
  }
}
