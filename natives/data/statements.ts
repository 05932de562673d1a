/** The statements of a text of SQL. */
import { type Engine, endOfSkipped } from './skipping.js';

/** A statement and its position in the text. */
export interface Part {
  readonly sql: string;
  /** Index of its first character. */
  readonly start: number;
  /** The first words, in lower case; comments in between are left out. */
  readonly words: readonly string[];
}

/** Number of first words that are kept: `CREATE OR REPLACE TEMPORARY TRIGGER`. */
const KEPT_WORDS = 5;

const WORD = /[A-Za-z_]\w*/y;

/** Splits a text at the semicolons that end statements, not at those in the bodies of triggers and functions. */
export function splitStatements(text: string, engine: Engine): Part[] {
  return new Splitter(text, engine).parts();
}

class Splitter {
  private readonly out: Part[] = [];
  private start = -1;
  private words: string[] = [];
  private parentheses = 0;
  /** Open `BEGIN` and `CASE` in the body of a function. */
  private depth = 0;
  /** The last tokens of a trigger: a semicolon, then `END`. */
  private tail = '';

  constructor(
    private readonly text: string,
    private readonly engine: Engine,
  ) {}

  parts(): Part[] {
    const { text, engine } = this;
    let at = 0;
    while (at < text.length) {
      const end = endOfSkipped(text, at, engine);
      if (end > at) {
        if (!/^(?:--|\/\*)/.test(text.slice(at, at + 2))) this.token(at, '');
        at = end;
        continue;
      }
      WORD.lastIndex = at;
      const word = WORD.exec(text)?.[0] ?? text[at];
      if (!/\s/.test(word)) this.token(at, word.toLowerCase());
      at += word.length;
    }
    this.end(text.length);
    return this.out;
  }

  private token(at: number, word: string): void {
    if (word === ';' && this.endsHere()) {
      this.end(at);
      return;
    }
    if (this.start < 0) this.start = at;
    if (word === '(') this.parentheses++;
    else if (word === ')') this.parentheses--;
    else if (/^\w/.test(word) && this.words.length < KEPT_WORDS) this.words.push(word);
    if (this.isFunction()) this.nest(word);
    this.tail = word === ';' ? ';' : word === 'end' && this.tail === ';' ? ';end' : '';
  }

  /** Whether a semicolon ends the statement. */
  private endsHere(): boolean {
    if (this.engine === 'sqlite') return !this.creates(['trigger']) || this.tail === ';end';
    return this.parentheses <= 0 && this.depth === 0;
  }

  private nest(word: string): void {
    if (word === 'begin' || (word === 'case' && this.depth > 0)) this.depth++;
    else if (word === 'end' && this.depth > 0) this.depth--;
  }

  private isFunction(): boolean {
    return this.engine === 'postgres' && this.creates(['function', 'procedure']);
  }

  /** Whether the statement creates something of these kinds. */
  private creates(kinds: readonly string[]): boolean {
    const [first, ...others] = this.words;
    return (
      first === 'create' && kinds.includes(others.find((word) => !/^(?:or|replace|temp|temporary)$/.test(word)) ?? '')
    );
  }

  private end(at: number): void {
    if (this.start >= 0)
      this.out.push({ sql: this.text.slice(this.start, at).trimEnd(), start: this.start, words: this.words });
    this.start = -1;
    this.words = [];
    this.parentheses = 0;
    this.depth = 0;
    this.tail = '';
  }
}
