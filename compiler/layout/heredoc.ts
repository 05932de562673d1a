import type { RawToken } from '../lexer.js';
import type { Layout } from './layout.js';
import { Token } from './token.js';

const OPENER = /^<<([~-]?)(["']?)(\w+)/;

/** Emits a heredoc's opener and closer together. Its body is inserted between them at the end of the line. */
export function heredoc(layout: Layout, raw: RawToken): void {
  const opener = layout.emit('STR_BEG', raw);
  layout.heredocs.push({ opener, at: layout.tokens.length });
  layout.emit('STR_END', raw);
}

/** Reads the text between two offsets into tokens, as the contents of a heredoc. */
export type ReadBody = (layout: Layout, start: number, end: number) => Token[];

/** At the end of a line: reads the bodies of the heredocs opened on it, and moves the lexer past them. */
export function readHeredocs(layout: Layout, readBody: ReadBody): void {
  let inserted = 0;
  const pending = layout.heredocs;
  layout.heredocs = [];
  for (const { opener, at } of pending) {
    const [, , quotes, name] = OPENER.exec(opener.text) as RegExpExecArray;
    const start = layout.lexer.index;
    const closer = heredocCloser(layout.text, start, opener.text);
    if (closer === null) return unterminated(layout, opener, name);
    const body = layout.text.slice(start, closer.start);
    const plain = quotes === "'" || !body.includes('#{');
    const tokens = plain ? [new Token('TEXT', body, start, closer.start)] : readBody(layout, start, closer.start);
    layout.tokens.splice(at + inserted, 0, ...tokens);
    inserted += tokens.length;
    layout.lexer.index = closer.end;
  }
}

const closers = new Map<string, RegExp>();

/** Matches a line that contains only `name`. */
function closerPattern(name: string, indented: boolean): RegExp {
  const source = `^${indented ? '[ \\t]*' : ''}${name}[ \\t]*\\r?$`;
  let pattern = closers.get(source);
  if (pattern === undefined) {
    if (closers.size > 100) closers.clear();
    pattern = new RegExp(source, 'mg');
    closers.set(source, pattern);
  }
  return pattern;
}

/** A line: from its start to the start of the next line. */
interface Line {
  start: number;
  end: number;
}

/** The line that closes the heredoc that `opener` begins, searched from `from`. */
export function heredocCloser(text: string, from: number, opener: string): Line | null {
  const [, indent, , name] = OPENER.exec(opener) as RegExpExecArray;
  return findCloser(text, from, name, indent !== '');
}

function findCloser(text: string, from: number, name: string, indented: boolean): Line | null {
  const line = closerPattern(name, indented);
  line.lastIndex = from;
  const match = line.exec(text);
  if (match === null) return null;
  const newline = text.indexOf('\n', match.index + match[0].length);
  return { start: match.index, end: newline < 0 ? text.length : newline + 1 };
}

function unterminated(layout: Layout, opener: Token, name: string): void {
  const indented = findCloser(layout.text, layout.lexer.index, name, true) !== null;
  layout.report(
    'unterminated-heredoc',
    `expected a line \`${name}\` to close the heredoc opened here`,
    opener.start,
    opener.end,
    [],
    indented
      ? `the line \`${name}\` is indented: write \`<<~${name}\``
      : `put \`${name}\` alone on the line below the text`,
  );
  layout.lexer.index = layout.text.length;
}
