/** Texts of SQL statements: parameters, statements in one text, words. */
import { Errors, fail } from '../../vm/values/error.js';
import { LimitedMap } from '../limitedmap.js';
import { type Engine, endOfSkipped } from './skipping.js';
import { wellFormed } from '../core/strings/wellformed.js';

export type { Engine };

/** A text whose parameters are in the engine's notation. */
export interface SqlText {
  readonly sql: string;
  /** The text as the program wrote it. */
  readonly written: string;
  /** Number of values that the statement takes. */
  readonly count: number;
  /** For `:name` parameters: the name of each value; null for `?`. */
  readonly names: readonly string[] | null;
  /** Whether the text has more than one statement. */
  readonly isScript: boolean;
  /** The first word, in lower case. */
  readonly verb: string;
  /** The first words of further statements, in lower case; also of those in the bodies of triggers. */
  readonly laterVerbs: ReadonlySet<string>;
}

const NAME = /:([A-Za-z_]\w*)/y;
const NUMBERED = /\$(\d+)/y;
const WORD = /[A-Za-z_]\w*/y;
const BLANK = /\s+/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Reads the parameters of a text. `$1` is left as it is. @throws ArgumentError for a mixture of notations */
function readSql(text: string, engine: Engine): SqlText {
  const reader = new Reader(text, engine);
  reader.read();
  return reader.result();
}

class Reader {
  private at = 0;
  private copied = 0;
  private sql = '';
  private questions = 0;
  private highest = 0;
  private readonly names: string[] = [];
  private verb = '';
  private ended = false;
  private isScript = false;
  private readonly laterVerbs = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly engine: Engine,
  ) {}

  read(): void {
    const { text, engine } = this;
    while (this.at < text.length) {
      const end = endOfSkipped(text, this.at, engine);
      if (end > this.at) this.skip(text.slice(this.at, end));
      else this.token();
    }
  }

  private skip(part: string): void {
    this.at += part.length;
    if (!part.startsWith('--') && !part.startsWith('/*')) this.statement('');
  }

  private token(): void {
    const { text, at } = this;
    const blank = matchAt(BLANK, text, at);
    if (blank !== null) {
      this.at += blank[0].length;
      return;
    }
    const character = text[at];
    if (character === ';') {
      this.ended = true;
      this.at++;
      return;
    }
    const word = matchAt(WORD, text, at);
    this.statement(word?.[0] ?? '');
    if (word !== null) this.at += word[0].length;
    else if (character === '?') this.question();
    else if (character === ':') this.colon();
    else if (character === '$') this.dollar();
    else this.at++;
  }

  /** Notes that a statement goes on or begins. */
  private statement(word: string): void {
    if (this.ended) {
      this.isScript = true;
      this.laterVerbs.add(word.toLowerCase());
    }
    this.ended = false;
    if (this.verb === '' && word !== '') this.verb = word.toLowerCase();
  }

  private replace(length: number, by: string): void {
    this.sql += this.text.slice(this.copied, this.at) + by;
    this.at += length;
    this.copied = this.at;
  }

  private question(): void {
    if (this.text[this.at + 1] === '?') this.replace(2, '?');
    else {
      this.questions++;
      this.replace(1, this.engine === 'postgres' ? `$${this.questions}` : '?');
    }
  }

  private colon(): void {
    const { text, at } = this;
    if (text[at + 1] === ':') {
      this.at += 2;
      return;
    }
    const name = matchAt(NAME, text, at);
    if (name === null) {
      this.at++;
      return;
    }
    if (this.engine === 'sqlite') {
      this.names.push(name[1]);
      this.replace(name[0].length, '?');
      return;
    }
    if (!this.names.includes(name[1])) this.names.push(name[1]);
    this.replace(name[0].length, `$${this.names.indexOf(name[1]) + 1}`);
  }

  private dollar(): void {
    const number = matchAt(NUMBERED, this.text, this.at);
    this.at += number === null ? 1 : number[0].length;
    if (number !== null) this.highest = Math.max(this.highest, Number(number[1]));
  }

  result(): SqlText {
    const { text, names, questions, highest, verb, isScript, laterVerbs } = this;
    const kinds = [questions > 0, names.length > 0, highest > 0].filter(Boolean).length;
    if (kinds > 1) fail(Errors.ArgumentError, 'the statement mixes ?, :name and $1 parameters: use one kind');
    const count = names.length > 0 ? names.length : Math.max(questions, highest);
    const sql = this.sql + text.slice(this.copied);
    return { sql, written: text, count, names: names.length > 0 ? names : null, isScript, verb, laterVerbs };
  }
}

/** Texts kept, and their maximum length: programs have few statements, and build some of them. */
const KEPT = 500;
const KEPT_LENGTH = 10_000;

/** The texts of one database that were read last. */
export class SqlTexts {
  private readonly known = new LimitedMap<string, SqlText>(KEPT);

  constructor(private readonly engine: Engine) {}

  /** @throws ArgumentError, ValueError */
  get(text: string): SqlText {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const read = readSql(wellFormed(text, 'the statement'), this.engine);
    if (text.length <= KEPT_LENGTH) this.known.set(text, read);
    return read;
  }
}

/** A name of a table or column, quoted; `schema.table` has two parts. @throws ArgumentError */
export function quoteName(name: string, what: string): string {
  if (name === '' || name.includes('\0'))
    fail(Errors.ArgumentError, name === '' ? `a ${what} needs a name` : `the name of a ${what} contains a NUL`);
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
}
