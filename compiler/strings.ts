const SIMPLE: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  e: '\u001b',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '#': '#',
};
const SURROGATES = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/g;
const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r?\n|([^]))/g;

/** Value of text between double quotes. An unknown escape keeps its backslash, so that `"\d+"` works as a pattern. */
export function unescape(raw: string): string {
  const text = normalizeLines(raw);
  if (!text.includes('\\')) return text;
  // A surrogate pair written as two escapes, as in JSON, is one character.
  const joined = text.replace(SURROGATES, (_, high: string, low: string) => {
    const code = (Number.parseInt(high, 16) - 0xd800) * 0x400 + Number.parseInt(low, 16) - 0xdc00 + 0x10000;
    return `\\u{${code.toString(16)}}`;
  });
  return joined.replace(ESCAPE, (whole: string, braced?: string, four?: string, two?: string, letter?: string) => {
    if (letter !== undefined) return SIMPLE[letter] ?? whole;
    const digits = braced ?? four ?? two;
    if (digits === undefined) return ''; // a backslash at the end of a line joins it to the next
    const code = Number.parseInt(digits, 16);
    return isCharacter(code) ? String.fromCodePoint(code) : whole;
  });
}

function isCharacter(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/** Value of text between single quotes: only `\\` and `\'` are escapes. */
export function unescapeSingle(raw: string): string {
  return normalizeLines(raw).replace(/\\([\\'])/g, '$1');
}

/** Normalises line ends, so that a program means the same with LF and CRLF. */
export function normalizeLines(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/**
 * Removes the common indentation from the texts of a `<<~` heredoc; interpolations separate the texts. Blank lines do
 * not count, unless they contain an interpolation.
 */
export function dedent(texts: readonly string[]): string[] {
  const normalized = texts.map(normalizeLines);
  const width = commonIndent(normalized);
  return normalized.map((text, index) => stripIndent(text, width, index === 0));
}

function commonIndent(texts: readonly string[]): number {
  let width = Infinity;
  texts.forEach((text, index) => {
    const lines = text.split('\n');
    lines.forEach((line, number) => {
      const startsLine = number > 0 || index === 0;
      const meetsInterpolation = number === lines.length - 1 && index < texts.length - 1;
      const indent = leadingBlanks(line);
      if (startsLine && (indent < line.length || meetsInterpolation)) width = Math.min(width, indent);
    });
  });
  return width === Infinity ? 0 : width;
}

function stripIndent(text: string, width: number, startsLine: boolean): string {
  const lines = text.split('\n');
  return lines
    .map((line, number) => (number > 0 || startsLine ? line.slice(Math.min(width, leadingBlanks(line))) : line))
    .join('\n');
}

function leadingBlanks(line: string): number {
  let count = 0;
  while (line[count] === ' ' || line[count] === '\t') count++;
  return count;
}
