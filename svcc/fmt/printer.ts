import { builders } from 'prettier/doc';
import type { TokenType } from '../../compiler/layout/token.js';
import type { Comment, Lexeme } from './lexemes.js';
import { COMMENT, HEREDOC, INSIDE } from './marks.js';

export type Doc = builders.Doc;

const { breakParent, hardline, join, lineSuffix, literallineWithoutBreakParent } = builders;

/**
 * What an expression is, for what stands around it: `list` is a vector or hash, `block` a call that ends with a block,
 * `text` a literal that has lines of its own.
 */
export type Kind = 'atom' | 'text' | 'list' | 'lambda' | 'call' | 'block' | 'chain' | 'operators' | 'control' | 'other';

/** A printed expression or statement. */
export interface Piece {
  doc: Doc;
  kind: Kind;
  /** It has a line break at any width. */
  broken: boolean;
  /** Of a statement: how it is printed if it does not fit on a line. */
  long?: Doc;
}

/** Kinds that may begin on the line of what precedes them and end on a line of their own. */
const HUGGED: ReadonlySet<Kind> = new Set<Kind>(['list', 'lambda', 'block', 'text']);

export function isHugged({ kind }: Piece): boolean {
  return HUGGED.has(kind);
}

/** Whether a literal is so long that a line of its own would not help. */
export function isLongLiteral(doc: Doc): boolean {
  return typeof doc === 'string' && doc.length > 94;
}

/** Comments that precede a token: those on the line of the token before it, and those on lines of their own. */
export interface Lead {
  /** Printed at the end of the line before. */
  suffix: Doc;
  own: readonly Comment[];
  /** An empty line precedes the first of them, or the token if there is none. */
  blank: boolean;
  /** An empty line stands between them and the token. */
  blankAfter: boolean;
}

/** The rules of the grammar that refer to one another from several files. */
export interface Rules {
  statement(printer: Printer): Piece;
  expression(printer: Printer): Piece;
  /** An expression without operators. */
  operand(printer: Printer): Piece;
  block(printer: Printer, use: BlockUse): Piece;
  control(printer: Printer, flat: boolean): Piece;
}

/** Where a block stands: what decides whether `{` and `do` mean the same. */
export interface BlockUse {
  /** `do` instead of `{` would belong to the same call. */
  mayUseDo: boolean;
  /** `{` instead of `do` would open a block. */
  mayUseBrace: boolean;
}

/** Brackets and blocks around the current token, as far as they decide what `do` means. */
export interface Place {
  /** In the header of a loop, whose `do` ends the header. */
  inLoopHeader: boolean;
  /** In the arguments of a call without parentheses, to which a `do` may belong. */
  inCommand: boolean;
}

const NONE: readonly Comment[] = [];
const NOWHERE: Place = { inLoopHeader: false, inCommand: false };

/** Reads lexemes from first to last and prints them; the rules are functions in the other files. */
export class Printer {
  at = 0;
  place: Place = NOWHERE;
  /** Number of line breaks so far that do not depend on the width. */
  breaks = 0;
  /** Number of comments taken so far. */
  commentCount = 0;
  /** A comment or line break stands where the rules have no place for it. */
  isMisplaced = false;

  /** Texts of the heredocs whose openers have been printed, each with its closing line. */
  readonly heredocs: string[] = [];

  constructor(
    readonly text: string,
    readonly lexemes: readonly Lexeme[],
    readonly rules: Rules,
  ) {}

  get next(): Lexeme {
    return this.lexemes[this.at];
  }

  get previous(): Lexeme {
    return this.lexemes[this.at - 1];
  }

  is(type: TokenType): boolean {
    return this.lexemes[this.at].type === type;
  }

  /** The next lexeme, which has this type. @throws Error for another one */
  expect(type: TokenType): Lexeme {
    const { next } = this;
    if (next.type !== type) throw new Error(`expected ${type}, found ${next.type} at ${next.token.start}`);
    this.at++;
    return next;
  }

  /** Prints the next lexeme. */
  word(): Doc {
    const { next } = this;
    const before = this.placeless();
    this.at++;
    const doc = this.textOf(next);
    return before === '' ? doc : [before, doc];
  }

  /** Prints the next lexeme, which has this type. */
  wordOf(type: TokenType): Doc {
    this.expect(type);
    this.at--;
    return this.word();
  }

  /**
   * Takes the comments before the next lexeme, in a place where no rule expects any. They move to the end of the line
   * and break nothing, because a second run finds them there.
   */
  placeless(): Doc {
    const { comments } = this.next;
    if (comments.length === 0) return '';
    this.next.comments = [];
    return this.suffixes(comments);
  }

  /** Text of a lexeme; its line breaks stay. */
  private textOf({ text, heredocStart, heredocEnd }: Lexeme): Doc {
    if (heredocEnd >= 0) {
      this.heredocs.push(this.text.slice(heredocStart, heredocEnd));
      return `${text}${HEREDOC}`;
    }
    return text.includes('\n') ? inLines(text) : text;
  }

  /** Comments where no rule expects any, at the end of the line that is being printed. */
  private suffixes(comments: readonly Comment[]): Doc {
    if (comments.some(({ ownLine }) => ownLine)) this.isMisplaced = true;
    this.commentCount += comments.length;
    return comments.map((comment) => lineSuffix(` ${commentText(comment)}`));
  }

  /** A comment at the end of the line that is being printed. */
  private suffix({ text }: Comment): Doc {
    this.breaks++;
    return [lineSuffix(` ${COMMENT}${text}`), breakParent];
  }

  /** Takes the comments before the next lexeme. */
  lead(): Lead {
    const { comments, blank } = this.next;
    if (comments.length === 0) return { suffix: '', own: [], blank, blankAfter: false };
    this.next.comments = [];
    this.commentCount += comments.length;
    const own = comments.filter(({ ownLine }) => ownLine);
    if (own.length > 0) this.breaks++;
    const others = comments.filter(({ ownLine }) => !ownLine);
    return {
      suffix: others.length === 0 ? '' : others.map((comment) => this.suffix(comment)),
      own,
      blank: own.length === 0 ? blank : own[0].blank,
      blankAfter: own.length > 0 && blank,
    };
  }

  /** Takes the comments before the next lexeme, which follows the previous one on its line if none has its own. */
  trailing(): Lead {
    const { comments, blank } = this.next;
    if (comments.length === 0 || comments.some(({ ownLine }) => ownLine)) return this.lead();
    return { suffix: this.placeless(), own: NONE, blank, blankAfter: false };
  }

  /** Runs a rule in another place. */
  within<T>(place: Partial<Place>, rule: () => T): T {
    const outer = this.place;
    this.place = { ...NOWHERE, ...place };
    const result = rule();
    this.place = outer;
    return result;
  }

  /** A piece made by `rule`. */
  piece(kind: Kind, rule: () => Doc): Piece {
    const { breaks } = this;
    const doc = rule();
    return { doc, kind, broken: this.breaks > breaks };
  }

  /** Notes a line break that does not depend on the width. */
  noteBreak(): void {
    this.breaks++;
  }
}

export function commentText({ text }: Comment): string {
  return `${COMMENT}${text}`;
}

/** Comments on lines of their own, each with a line break after it. */
export function ownLines({ own, blankAfter }: Lead): Doc {
  if (own.length === 0) return '';
  const docs = own.map((comment, index) => [
    comment.blank && index > 0 ? hardline : '',
    commentText(comment),
    hardline,
  ]);
  return blankAfter ? [docs, hardline] : docs;
}

/** Text with line breaks that stay as they are. */
export function inLines(text: string): Doc {
  return join([INSIDE, literallineWithoutBreakParent], text.split('\n'));
}
