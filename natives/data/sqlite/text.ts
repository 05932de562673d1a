import { endAfter, endOfQuoted } from '../skipping.js';

/** What the driver has to know about the text of a statement. */
export interface Shape {
  /** The first word, in capitals; after WITH, the first word of the statement proper. Empty if there is no statement. */
  readonly verb: string;
  /** Whether the statement certainly writes nothing. */
  readonly reads: boolean;
  /** Whether the statement may share a transaction with others. */
  readonly groups: boolean;
  /** Number of parameters that it takes. */
  readonly parameters: number;
  readonly hasNames: boolean;
  /** Whether another statement follows the first one. */
  readonly several: boolean;
}

const READS = new Set(['SELECT', 'VALUES']);
const GROUPS = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE']);

/**
 * Space, openings of comments and of quoted texts and names, parameters, words, other characters. Of longer words the
 * rest is a word of its own, because the stack has room for some millions of characters of one only.
 */
const TOKEN = /\s+|--|\/\*|['"`[]|\?\d*|[:@$#][\w$]{1,10000}|[\p{L}_][\p{L}\p{N}_$]{0,10000}|\d[\w.]{0,10000}|[^]/uy;

/** End of the comment, or the quoted text or name, whose opening ends at `from`; `from` itself for other tokens. */
function endOf(sql: string, opening: string, from: number): number {
  switch (opening) {
    case '--':
      return endAfter(sql, '\n', from);
    case '/*':
      return endAfter(sql, '*/', from);
    case '[':
      return endAfter(sql, ']', from);
    case "'":
    case '"':
    case '`':
      return endOfQuoted(sql, from, opening);
    default:
      return from;
  }
}

const SPACE = /^(?:\s|--|\/\*)/;

class Scanner {
  private depth = 0;
  private ended = false;
  private isTrigger = false;
  private words = 0;
  private first = '';
  verb = '';
  parameters = 0;
  hasNames = false;
  several = false;

  scan(sql: string): void {
    for (let at = 0; at < sql.length;) {
      TOKEN.lastIndex = at;
      const token = (TOKEN.exec(sql) as RegExpExecArray)[0];
      at = endOf(sql, token, TOKEN.lastIndex);
      if (SPACE.test(token)) continue;
      if (token === ';') this.ended ||= this.first !== '' && !this.isTrigger;
      else if (this.ended) this.several = true;
      else this.take(token);
    }
  }

  private take(token: string): void {
    const start = token[0];
    if (start === '(') this.depth++;
    else if (start === ')') this.depth--;
    else if (start === '?') this.parameter(token.slice(1));
    else if (token.length > 1 && ':@$#'.includes(start)) this.hasNames = true;
    else if (/[\p{L}_]/u.test(start)) this.word(token.toUpperCase());
    if (this.first === '') this.first = this.verb = token.toUpperCase();
  }

  /** `?` is numbered one above the largest number so far. */
  private parameter(number: string): void {
    this.parameters = number === '' ? this.parameters + 1 : Math.max(this.parameters, Number(number));
  }

  private word(word: string): void {
    this.words++;
    if (this.first === 'CREATE' && word === 'TRIGGER' && this.words <= 3) this.isTrigger = true;
    if (this.verb === 'WITH' && this.depth === 0 && (READS.has(word) || GROUPS.has(word))) this.verb = word;
  }
}

/** Reads the text of a statement; nothing is checked that SQLite checks. */
export function shapeOf(sql: string): Shape {
  const scanner = new Scanner();
  scanner.scan(sql);
  const { verb, parameters, hasNames, several } = scanner;
  return { verb, reads: READS.has(verb), groups: GROUPS.has(verb), parameters, hasNames, several };
}

/** Quotes the name of a table or column. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
