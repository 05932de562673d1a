import { printer as docs } from 'prettier/doc';
import type { Token } from '../../compiler/layout/token.js';
import type { Tokens } from '../../compiler/layout/tokenize.js';
import { type Entry, statement } from './bodies.js';
import { type Comment, lexemesOf, type Lexeme } from './lexemes.js';
import { withoutMarks } from './marks.js';
import { type Doc, Printer } from './printer.js';
import { RULES } from './statements.js';
import { verbatim } from './verbatim.js';

const OPTIONS = { printWidth: 100, tabWidth: 2, useTabs: false, endOfLine: 'lf' } as unknown as Parameters<
  typeof docs.printDocToString
>[1];

/** The top-level statements, each printed on its own. */
export class Program {
  private readonly lexemes: Lexeme[];
  private readonly ends: ReadonlySet<Token>;
  private readonly printer: Printer;
  private readonly out: string[] = [];

  constructor(text: string, { tokens, ends }: Tokens) {
    this.lexemes = lexemesOf(text, tokens);
    this.ends = new Set(ends.map((end) => tokens[end - 1]));
    this.printer = new Printer(text, this.lexemes, RULES);
  }

  comments(): string[] {
    return this.lexemes.flatMap(({ comments }) => comments.map(({ text }) => text));
  }

  print(): string {
    const { printer, lexemes } = this;
    const last = lexemes.length - 1;
    while (printer.at < last) {
      this.printComments();
      this.statement();
    }
    this.printComments();
    const text = this.out.join('\n');
    return text === '' ? '' : `${text}\n`;
  }

  /** Comments before a statement, or at the end. */
  private printComments(): void {
    const { next } = this.printer;
    for (const { text, blank, ownLine } of next.comments) {
      if (ownLine || this.out.length === 0) this.add(text, blank);
      else this.out[this.out.length - 1] += ` ${text}`;
    }
    next.comments = [];
  }

  private add(text: string, blank: boolean): void {
    if (blank && this.out.length > 0) this.out.push('');
    this.out.push(text);
  }

  private statement(): void {
    const { printer, lexemes } = this;
    const from = printer.at;
    const { blank } = printer.next;
    let to = from;
    while (!this.ends.has(lexemes[to].token)) to++;
    const comments = lexemes.slice(from, to + 1).map((lexeme) => lexeme.comments);
    const text = this.tryStatement(to);
    if (text !== null) return this.add(text, blank);
    restore(lexemes, from, comments);
    printer.at = to;
    printer.heredocs.length = 0;
    const entry: Entry = { doc: [verbatim(printer, from, to), printer.placeless()], blank };
    this.add(this.text(entry.doc) as string, blank);
    printer.at = to + 1;
  }

  /** The next statement, which ends with the lexeme `end`; null if the rules have no place for its comments. */
  private tryStatement(end: number): string | null {
    const { printer } = this;
    printer.isMisplaced = false;
    const { doc } = statement(printer);
    return printer.at === end + 1 && !printer.isMisplaced ? this.text(doc) : null;
  }

  private text(doc: Doc): string | null {
    const { heredocs } = this.printer;
    const { formatted } = docs.printDocToString(doc, OPTIONS);
    const text = withoutMarks(formatted, heredocs);
    heredocs.length = 0;
    return text;
  }
}

function restore(lexemes: readonly Lexeme[], from: number, comments: readonly (readonly Comment[])[]): void {
  comments.forEach((list, index) => {
    lexemes[from + index].comments = list;
  });
}
