import moo from 'moo';

/** A token from moo; the layout pass turns it into a `Token`. */
export interface RawToken {
  type?: string;
  text: string;
  offset: number;
}

/** Two undocumented fields of moo's lexer that the layout pass sets (moo is pinned to 0.5). */
export interface RawLexer {
  index: number;
  buffer: string;
  reset(text: string): unknown;
  setState(state: LexState): void;
  next(): RawToken | undefined;
}

/**
 * `value`: an operand may start here, so `/` opens a regex and `:x` is a symbol. `operator`: a value has just ended.
 * The others are inside `"…"`, `"""…"""`, heredocs, interpolating regexes, and those with the flag x over several lines.
 */
export type LexState = 'value' | 'operator' | 'quoted' | 'tripled' | 'heredoc' | 'regex' | 'extended';

// Single characters come first, as plain strings: moo matches those without a regular expression.
const PUNCTUATION = {
  newline: { match: '\n', lineBreaks: true },
  open: ['(', '[', '{'],
  close: [')', ']', '}'],
  comma: ',',
  semicolon: ';',
};

// Words match every character beyond ASCII; `unknown.ts` checks them later, because compiling a class of all letters
// takes V8 ten milliseconds. V8 keeps backtracking state for each iteration of a loop over alternatives, on a stack of
// limited size. So runs of plain characters are inner loops, and the outer loops are bounded: strings with more escapes
// are read in pieces, or by hand.
const LITERALS = {
  word: /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*(?:\?(?!=[^=~>])|!(?!=))?/,
  number: /0[xXbBoO]\w*|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9][0-9_]*)?\w*/,
  triple: /"""/,
  string: {
    match: [
      /'''[^'\\]*(?:(?:\\[^]|'(?!''))[^'\\]*){0,1000}'''/,
      /:?"[^"\\#]*(?:(?:\\[^]|#(?!\{))[^"\\#]*){0,1000}"/,
      /'(?!'')[^'\\]*(?:\\[^][^'\\]*){0,1000}'/,
    ],
    lineBreaks: true,
  },
  quote: /:?"|'''|'/,
};

const TAIL = { error: moo.error };
const INTERPOLATION = /#\{/;

const VALUE = {
  ...PUNCTUATION,
  ...LITERALS,
  heredoc: /<<[~-]?(?:[A-Z_][A-Za-z0-9_]*|'[A-Za-z_][A-Za-z0-9_]*'|"[A-Za-z_][A-Za-z0-9_]*")/,
  symbol: /:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*(?:[?!](?!=))?/,
  words: { match: /%w(?:\[[^\]]*\]|\([^)]*\)|\{[^}]*\})/, lineBreaks: true },
  regex:
    /\/[^/\\\n[#]*(?:(?:\\[^\n]|#(?!\{)|\[[^\]\\\n#]*(?:(?:\\[^\n]|#(?!\{))[^\]\\\n#]*){0,100}\])[^/\\\n[#]*){0,1000}\/[imsx]*/,
  arrow: /->/,
  fatArrow: /=>/,
  range: /\.\.\.?/,
  operator: /\*\*|\|\||\|>|&&|<=>|<<|>>|[<>=!]=|=~|!~|[-+*%|&^!~<>]/,
  slash: /\//,
  assign: /=/,
  dot: /&?\./,
  question: /\?/,
  colon: /:/,
  ...TAIL,
};

const OPERATOR = {
  ...PUNCTUATION,
  range: /\.\.\.?/,
  dot: /&?\./,
  ...LITERALS,
  opAssign: /(?:\*\*|\/\/|\|\||&&|<<|>>|[-+*/%|&^])=/,
  fatArrow: /=>/,
  arrow: /->/,
  operator: /\*\*|\/\/|==|!=|<=>|<=|>=|=~|!~|&&|\|\||\|>|<<|>>|[-<>+*/%|&^!]/,
  assign: /=/,
  question: /\?/,
  colon: /:/,
  ...TAIL,
};

const inside = (text: RegExp, end: RegExp | null) => ({
  text: { match: text, lineBreaks: true },
  interpolation: INTERPOLATION,
  ...(end === null ? {} : { stringEnd: { match: end, lineBreaks: true } }),
  ...TAIL,
});

/** Text of a regex with the flag x: a class, or a comment to the end of the line, may hold a slash. */
const EXTENDED = /(?:[^/\\#[]+|\\[^]|#(?!\{)(?:[^\n#]|#(?!\{))*|\[(?:[^\]\\#]|\\[^]|#(?!\{)){0,100}\]|\[){1,1000}/;

const EXTENDED_PART = new RegExp(`${EXTENDED.source}|#\\{|/`, 'y');
const PLAIN_LINE = /\/(?:[^/\\\n[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,100}\]|\[){0,1000}\//y;
const WITH_X = /\/[imsx]*x[imsx]*(?!\w)/y;

/** Whether the slash at `start` opens a regex that ends on a later line, with the flag x. */
export function isExtended(text: string, start: number): boolean {
  PLAIN_LINE.lastIndex = start;
  if (PLAIN_LINE.test(text)) return false;
  let at = start + 1;
  // Braces open since an interpolation began.
  let braces = 0;
  for (;;) {
    if (braces > 0) {
      const brace = /[{}]/g;
      brace.lastIndex = at;
      const found = brace.exec(text);
      if (found === null) return false;
      braces += found[0] === '{' ? 1 : -1;
      at = found.index + 1;
      continue;
    }
    EXTENDED_PART.lastIndex = at;
    const part = EXTENDED_PART.exec(text);
    if (part === null) return false;
    if (part[0] === '/') {
      WITH_X.lastIndex = at;
      return WITH_X.test(text);
    }
    if (part[0] === '#{') braces = 1;
    at = EXTENDED_PART.lastIndex;
  }
}

const prototype = moo.states(
  {
    value: VALUE,
    operator: OPERATOR,
    quoted: inside(/(?:[^"\\#]+|\\[^]|#(?!\{)){1,1000}/, /"/),
    tripled: inside(/(?:[^"\\#]+|\\[^]|#(?!\{)|"(?!"")){1,1000}/, /"""/),
    heredoc: inside(/(?:[^\\#]+|\\[^]|#(?!\{)){1,1000}/, null),
    // The limit on the length between brackets keeps the time for a line of many `[` linear.
    regex: inside(/(?:[^/\\\n#[]+|\\[^\n]|#(?!\{)|\[(?:[^\]\\\n#]|\\[^\n]){0,100}\]|\[+){1,1000}/, /\/[imsx]*|\n/),
    extended: inside(EXTENDED, /\/[imsx]*/),
  } as unknown as Parameters<typeof moo.states>[0],
  'value',
);

/** A new lexer over `text`. */
export function createLexer(text: string): RawLexer {
  const lexer = (prototype as unknown as { clone(): RawLexer }).clone();
  lexer.reset(text);
  return lexer;
}
