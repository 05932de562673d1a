import { heredocCloser } from '../../compiler/layout/heredoc.js';
import { HTML, type Token, type TokenType } from '../../compiler/layout/token.js';

/** A comment, with its `#`. Lines and columns start at 0. */
export interface Comment {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** Nothing but blanks precede it on its line. */
  readonly ownLine: boolean;
  /** An empty line precedes it. */
  readonly blank: boolean;
}

/**
 * A token of the layout pass together with what the pass does not keep: comments and empty lines before it, and text
 * that no token covers, such as annotations. Strings with interpolation are one lexeme of type LIT.
 */
export class Lexeme {
  readonly type: TokenType;
  /** As written, up to blanks; empty for tokens without text. */
  readonly text: string;
  readonly token: Token;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  /** An empty line precedes it, after the last comment. */
  readonly blank: boolean;
  comments: readonly Comment[];
  /** Offsets of its text. */
  readonly start: number;
  readonly end: number;
  /** Of a heredoc: offset after its closing line, without the newline. −1 for others. */
  heredocEnd = -1;
  heredocStart = -1;
  /** `end` before the `while` of a loop. */
  readonly afterEnd: boolean;

  constructor(token: Token, text: string, start: number, end: number, endLine: number, gap: Gap) {
    this.type = token.type === 'STR_BEG' ? 'LIT' : token.type;
    this.token = token;
    this.text = text;
    this.start = start;
    this.end = end;
    this.line = gap.line;
    this.column = gap.column;
    this.endLine = endLine;
    this.blank = gap.newlines > 1;
    this.comments = gap.comments;
    this.afterEnd = gap.words === 'end';
  }
}

/** What stands between two tokens. */
interface Gap {
  comments: readonly Comment[];
  /** Number of newlines since the last comment or token. */
  newlines: number;
  /** Position of the token after it. */
  line: number;
  column: number;
  words: string;
}

const NO_COMMENTS: readonly Comment[] = [];
const NAME = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y;
const BLANKS = /\s*/y;
const HAS_LABEL: ReadonlySet<string> = new Set(['for', 'while', 'until', 'loop', 'break', 'next']);

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Turns the tokens of a correct program into lexemes. */
class Reader {
  private at = 0;
  private line = 0;
  private lineStart = 0;
  private pending: Lexeme[] = [];
  readonly lexemes: Lexeme[] = [];

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
  ) {}

  read(): void {
    const { tokens } = this;
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i];
      const last = token.type === 'STR_BEG' ? endOfString(tokens, i) : i;
      this.add(token, tokens[last].end);
      i = last;
    }
    const { comments } = this.skip(this.text.length, null);
    // Comments at the end precede a token that the text does not have.
    const end = this.text.length;
    this.lexemes.push(
      new Lexeme(ending(end), '', end, end, this.line, {
        comments,
        newlines: 0,
        line: this.line,
        column: 0,
        words: '',
      }),
    );
  }

  private add(token: Token, tokenEnd: number): void {
    const { text } = this;
    const isHtml = token.extra === HTML && text.startsWith('html', token.start - 4);
    const start = isHtml ? token.start - 4 : token.start;
    const gap = this.skip(start, token);
    const end = this.endOf(token, tokenEnd);
    this.countLines(end);
    const lexeme = new Lexeme(token, this.textOf(token, start, end), start, end, this.line, gap);
    this.lexemes.push(lexeme);
    if (lexeme.text.startsWith('<<') && lexeme.type === 'LIT') this.pending.push(lexeme);
  }

  /** Moves to `end`, past the line breaks of a token or heredoc. */
  private countLines(end: number): void {
    for (let at = this.at; at < end; at++) {
      if (this.text.charCodeAt(at) !== 10) continue;
      this.line++;
      this.lineStart = at + 1;
    }
    this.at = end;
  }

  /** End of a token with the text after it that belongs to it. */
  private endOf({ type, text: word, start, extra }: Token, end: number): number {
    const { text } = this;
    if (type === 'LABEL') return end + 1;
    if (type === 'TLABEL') return matchEnd(BLANKS, text, end + 1) + extra.length;
    if (type === 'THEN') {
      if (word === '=') return start + 1;
      if (word !== '\n' && text.startsWith(word, start)) return start + word.length;
      return start;
    }
    if (extra !== '' && HAS_LABEL.has(word)) return matchEnd(NAME, text, matchEnd(BLANKS, text, end) + 1);
    return end;
  }

  private textOf({ type, text: word, extra }: Token, start: number, end: number): string {
    if (type === 'SEP' || start === end) return '';
    if (type === 'TLABEL') return `${word}: ${extra}`;
    if (type === 'DEF') return word.replace(/\s+/, ' ');
    if (extra !== '' && HAS_LABEL.has(word)) return `${word} :${extra}`;
    return this.text.slice(start, end);
  }

  /** Reads from the end of the previous token to `to`, the start of `token`. */
  private skip(to: number, token: Token | null): Gap {
    const { text } = this;
    let comments: Comment[] | null = null;
    let newlines = 0;
    let words = '';
    while (this.at < to) {
      const code = text.charCodeAt(this.at);
      if (code === 10) {
        this.newline();
        newlines++;
      } else if (code === 35) {
        const comment = this.comment(newlines);
        (comments ??= []).push(comment);
        newlines = 0;
      } else if (code === 45 && token?.type === 'THEN' && text[this.at + 1] === '>') {
        this.at = matchEnd(BLANKS, text, this.at + 2) + token.extra.length;
      } else {
        const end = matchEnd(NAME, text, this.at);
        if (end > this.at) words += text.slice(this.at, end);
        this.at = Math.max(end, this.at + 1);
      }
    }
    return { comments: comments ?? NO_COMMENTS, newlines, line: this.line, column: this.at - this.lineStart, words };
  }

  /** Moves past a newline, and past the heredocs opened on the line. */
  private newline(): void {
    const { text } = this;
    this.at++;
    for (const opener of this.pending) {
      const closer = heredocCloser(text, this.at, opener.text);
      if (closer === null) throw new Error('a heredoc is not closed');
      opener.heredocStart = this.at;
      opener.heredocEnd = text[closer.end - 1] === '\n' ? closer.end - 1 : closer.end;
      this.countLines(closer.end);
    }
    this.pending = [];
    this.line++;
    this.lineStart = this.at;
  }

  private comment(newlines: number): Comment {
    const { text, at } = this;
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    this.at = end;
    return {
      text: text.slice(at, end).trimEnd(),
      line: this.line,
      column: at - this.lineStart,
      ownLine: text.slice(this.lineStart, at).trim() === '',
      blank: newlines > 1,
    };
  }
}

/** Index of the STR_END that belongs to the STR_BEG at `from`. */
function endOfString(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const { type } = tokens[i];
    if (type === 'STR_BEG') depth++;
    else if (type === 'STR_END' && --depth === 0) return i;
  }
  throw new Error('a string is not closed');
}

function ending(at: number): Token {
  return { type: 'SEP', text: '', start: at, end: at, extra: '' };
}

/** The lexemes of a correct program; the last has no text, and the comments at the end of the program. */
export function lexemesOf(text: string, tokens: readonly Token[]): Lexeme[] {
  const reader = new Reader(text, tokens);
  reader.read();
  return reader.lexemes;
}
