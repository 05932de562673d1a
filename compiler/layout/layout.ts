import { lineStarts, positionAt } from '../../vm/bytecode/position.js';
import type { Code } from '../diagnostics/codes.js';
import { type Label, type Problem, problem } from '../diagnostics/problem.js';
import type { LexState, RawLexer, RawToken } from '../lexer.js';
import { Frame, type FrameKind } from './frame.js';
import { type Names } from './localnames.js';
import type { Repairs } from './repairs.js';
import { ENDS_VALUE, HTML, Token, type TokenType } from './token.js';

/** Maximum nesting of brackets, blocks and right-nesting operators, because later passes recurse over the tree. */
export const MAX_NESTING = 400;
/** Maximum length of a top-level statement in tokens; parsing that many takes about a second. */
const MAX_STATEMENT = 300_000;
/** Maximum number of problems; the rest of the text is not read after that. */
const MAX_PROBLEMS = 50;

const STATE_AFTER: Partial<Record<TokenType, LexState>> = {
  IDENT: 'operator',
  LIT: 'operator',
  RPAREN: 'operator',
  RBRACK: 'operator',
  RBRACE: 'operator',
  END: 'operator',
  STR_END: 'operator',
  DOT: 'operator',
};
const IN_CHAIN: ReadonlySet<TokenType> = new Set<TokenType>(['IDENT', 'DOT', 'LCALL', 'LINDEX', 'RPAREN', 'RBRACK']);

/** Brackets inside a pattern that hold patterns themselves. */
const HOLDS_PATTERNS: ReadonlySet<FrameKind> = new Set<FrameKind>(['paren', 'call', 'vector', 'hash']);

/** State of the layout pass; the other files of this folder act on it. */
export class Layout {
  readonly text: string;
  lexer: RawLexer;
  readonly repairs: Repairs;
  readonly names: Names;
  tokens: Token[] = [];
  /** Index after the last token of each top-level statement. */
  ends: number[] = [];
  problems: Problem[] = [];
  frames: Frame[];
  top: Frame;
  prev: Token | null = null;
  /** The next token starts a statement. */
  atStart = true;
  state: LexState = 'value';
  /** Heredocs opened on this line, each with the index of the token before which its body is inserted. */
  heredocs: { opener: Token; at: number }[] = [];
  /** Plain strings that span lines: candidates if a quote turns out to be missing. */
  spanning: { start: number; end: number }[] = [];
  /** Set when an `end` with another indentation closed a block. */
  mismatched = false;
  stopped = false;
  private statementStart = 0;
  private lineTable: number[] | null = null;

  constructor(text: string, lexer: RawLexer, repairs: Repairs, names: Names) {
    this.text = text;
    this.lexer = lexer;
    this.repairs = repairs;
    this.names = names;
    this.top = new Frame('top', new Token('SEP', '', -1, -1), 0, 0);
    this.frames = [this.top];
  }

  /** Appends a token, and sets the lexer state for the next one. */
  /** Marks the next string as HTML. */
  html = false;

  /** Whether the string that begins is HTML. */
  takeHtml(): string {
    const { html } = this;
    this.html = false;
    return html ? HTML : '';
  }

  emit(type: TokenType, raw: RawToken, extra = ''): Token {
    return this.push(new Token(type, raw.text, raw.offset, raw.offset + raw.text.length, extra));
  }

  push(token: Token): Token {
    const count = this.tokens.push(token);
    if (count - this.statementStart > MAX_STATEMENT) this.tooLong(token);
    this.prev = token;
    this.atStart = false;
    if (this.top.chain && !IN_CHAIN.has(token.type)) this.top.chain = false;
    this.state = STATE_AFTER[token.type] ?? 'value';
    return token;
  }

  /** Whether a value has just ended, so an operator may follow. */
  endsValue(): boolean {
    return this.prev !== null && ENDS_VALUE.has(this.prev.type);
  }

  /** Ends the current statement. */
  separate(at: number): void {
    this.tokens.push(new Token('SEP', '\n', at, at));
    this.startStatement();
    if (this.frames.length === 1) {
      this.ends.push(this.tokens.length);
      this.statementStart = this.tokens.length;
    }
  }

  /** Ends the current block's header; `returns` is the return type of a `def`. */
  then(at: number, text = 'then', returns = ''): void {
    this.tokens.push(new Token('THEN', text, at, at, returns));
    this.top.header = false;
    this.startStatement();
  }

  startStatement(): void {
    this.top.startStatement(this.tokens.length);
    this.atStart = true;
    this.prev = null;
    this.state = 'value';
  }

  /** Opens a frame for a bracket or block whose token has just been emitted. */
  open(kind: FrameKind, opener: Token): Frame {
    const outer = this.top;
    const weight = kind === 'string' ? 0 : 1;
    const frame = new Frame(kind, opener, outer.level + outer.rights + outer.run + weight, this.names.count);
    if (frame.level > MAX_NESTING) this.tooDeep(opener);
    if (outer.pattern !== null && HOLDS_PATTERNS.has(kind) && opener.text !== '') frame.pattern = 'clause';
    this.frames.push(frame);
    this.top = frame;
    frame.first = this.tokens.length;
    if (frame.statements) this.atStart = true;
    return frame;
  }

  /** Closes the innermost frame. */
  close(): Frame {
    const frame = this.frames.pop() as Frame;
    this.top = this.frames[this.frames.length - 1];
    if (frame.kind === 'def' || frame.kind === 'do' || frame.kind === 'brace') this.names.forget(frame.names);
    return frame;
  }

  /** Counts an operator that nests to the right. */
  nest(token: Token, kind: 'rights' | 'run'): void {
    const { top } = this;
    top[kind]++;
    if (top.level + top.rights + top.run > MAX_NESTING) this.tooDeep(token);
  }

  /** Inserts a token without text before the one at `index`. */
  insert(type: TokenType, index: number): void {
    const { start } = this.tokens[index];
    this.tokens.splice(index, 0, new Token(type, '', start, start));
    for (const heredoc of this.heredocs) if (heredoc.at > index) heredoc.at++;
  }

  report(code: Code, message: string, start: number, end: number, labels: Label[] = [], hint = ''): void {
    this.problems.push(problem(code, message, start, end, labels, hint));
    if (this.problems.length >= MAX_PROBLEMS) this.stopped = true;
  }

  lineOf(offset: number): number {
    this.lineTable ??= lineStarts(this.text);
    return positionAt(this.lineTable, offset).line;
  }

  private tooDeep(token: Token): void {
    this.stop(
      'nesting-too-deep',
      `nesting is deeper than ${MAX_NESTING} levels`,
      token.start,
      token.end,
      'move the inner part into a variable or a function of its own',
    );
  }

  private tooLong(token: Token): void {
    this.stop(
      'statement-too-long',
      `one statement has more than ${MAX_STATEMENT} words`,
      token.start,
      token.end,
      'read large data from a file',
    );
  }

  /** Stops reading: the current top-level statement becomes an error, and the rest of the text is ignored. */
  private stop(code: Code, message: string, start: number, end: number, hint = ''): void {
    if (this.stopped) return;
    this.stopped = true;
    this.report(code, message, start, end, [], hint);
  }

  /** Replaces the unfinished top-level statement by one that failed. */
  abandonStatement(): void {
    const first = this.tokens[this.statementStart];
    this.tokens.length = this.statementStart;
    this.frames.length = 1;
    this.top = this.frames[0];
    const start = first?.start ?? this.text.length;
    this.push(new Token('ERROR', '', start, this.text.length));
    this.separate(this.text.length);
  }
}
