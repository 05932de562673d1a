import type { LexState } from '../lexer.js';
import type { Token } from './token.js';

export type BlockKind =
  'def' | 'if' | 'unless' | 'while' | 'for' | 'loop' | 'case' | 'begin' | 'do' | 'doLoop' | 'interface';
export type FrameKind =
  'top' | 'paren' | 'call' | 'params' | 'vector' | 'index' | 'hash' | 'brace' | 'interpolation' | 'string' | BlockKind;

const BLOCKS: ReadonlySet<FrameKind> = new Set<FrameKind>([
  'def',
  'if',
  'unless',
  'while',
  'for',
  'loop',
  'case',
  'begin',
  'do',
  'doLoop',
  'interface',
]);

/** Frames that may contain statements. */
const HOLDS_STATEMENTS: ReadonlySet<FrameKind> = new Set<FrameKind>([
  ...BLOCKS,
  'top',
  'brace',
  'paren',
  'interpolation',
]);

/** An open bracket, string or keyword block, and the state of the statement inside it. */
export class Frame {
  kind: FrameKind;
  readonly opener: Token;
  /** Closed by `end`. */
  readonly block: boolean;
  /** Newlines end statements here. */
  readonly lines: boolean;
  readonly statements: boolean;
  /** Nesting depth: brackets, blocks, and the operators around them. */
  readonly level: number;
  /** Number of declared names when the frame was opened. */
  names: number;
  /** Of a string: the lexer's state for its text. */
  inside: LexState = 'heredoc';
  /** Inside the header of a block: `THEN` has not been emitted yet. */
  header = false;
  /** A `def` with `=` after its head: the end of its statement is its end. */
  oneLine = false;
  /** The current statement may still begin a command call. */
  open: boolean;
  /** Only names, dots and closed brackets so far, so `a.b` may still become a command call. */
  chain: boolean;
  /** Last word of the command call in the current statement, if any. */
  command: Token | null = null;
  /** Number of `?` of ternaries whose `:` has not come yet. */
  ternaries = 0;
  /**
   * Number of operators of the current statement that nest to the right: ternaries, assignments, `not`, postfix
   * conditions.
   */
  rights = 0;
  /** Length of the current run of prefix operators and `**`. */
  run = 0;
  /** Between the bars of `|a, b|`. */
  pipes = false;
  /** Whether a pattern is being read: that of a `case` clause up to its guard or body, or the operand of an `in`. */
  pattern: 'clause' | 'operand' | null = null;
  /** Between the parentheses that hold the fields of a record. */
  ofRecord = false;
  /** A hash whose values may be types. */
  ofTypes = false;
  /** Between the parentheses of an `enum`. */
  variants = false;
  /** A `{` at the start of a statement: may become a destructuring. */
  atStart = false;
  label = '';
  /** Index of the current statement's first token. */
  first = 0;
  /** Whether the current statement assigns to a single target, so that a comma or `*` starts several values. */
  assigns = false;
  /** Number of commas of the current statement outside brackets. */
  commas = 0;

  constructor(kind: FrameKind, opener: Token, level: number, names: number) {
    this.kind = kind;
    this.opener = opener;
    this.block = BLOCKS.has(kind);
    this.statements = HOLDS_STATEMENTS.has(kind);
    this.lines = this.block || kind === 'top' || kind === 'brace';
    this.level = level;
    this.names = names;
    this.open = this.statements;
    this.chain = this.statements;
  }

  /** Resets the state for the next statement, whose first token will have index `first`. */
  startStatement(first: number): void {
    this.first = first;
    this.commas = 0;
    this.assigns = false;
    this.open = this.statements;
    this.chain = this.statements;
    this.command = null;
    this.ternaries = 0;
    this.rights = 0;
    this.run = 0;
    this.pattern = null;
  }
}
