import { Errors, fail } from '../../vm/values/error.js';

/** Maximum characters of a file; a larger one is no list of settings. */
const MAX_SIZE = 1 << 20;

const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const SINGLE = /'([^']*)'/y;
const DOUBLE = /"([^"\\]*(?:\\[^][^"\\]*)*)"/y;
const REST = /[^\n]*/y;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Parses a .env file: `NAME=value`, optionally after `export`; comments start with `#`. Single quotes hold literal
 * text, double quotes know `\n \r \t \" \\`; both may span lines. @throws ValueError with the line
 */
export function parseDotenv(source: string): [name: string, value: string][] {
  if (source.length > MAX_SIZE) fail(Errors.ValueError, `a settings file may have at most ${MAX_SIZE} characters`);
  return new DotenvReader(source.replaceAll('\r\n', '\n')).pairs();
}

class DotenvReader {
  private pos = 0;

  constructor(private readonly text: string) {}

  pairs(): [string, string][] {
    const pairs: [string, string][] = [];
    while (this.pos < this.text.length) {
      if (this.take(NOTHING) !== null) continue;
      const name = this.take(NAME)?.[1] ?? this.invalid('expected NAME=value');
      const from = this.pos;
      const value = this.value();
      if (value.includes('\0')) {
        // No environment of a process could hold it.
        this.pos = from;
        this.invalid('a value cannot contain a NUL character');
      }
      pairs.push([name, value]);
    }
    return pairs;
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.pos;
    const match = pattern.exec(this.text);
    if (match !== null) this.pos = pattern.lastIndex;
    return match;
  }

  private value(): string {
    const quote = this.text[this.pos];
    if (quote !== '"' && quote !== "'") return this.bare();
    const inner = this.take(quote === '"' ? DOUBLE : SINGLE)?.[1] ?? this.invalid('the quote is not closed');
    if (this.take(NOTHING) === null) this.invalid('text after the closing quote');
    return quote === '"'
      ? inner.replace(/\\([^])/g, (escape, c: string) => ESCAPES[c] ?? ('"\\$'.includes(c) ? c : escape))
      : inner;
  }

  /** Reads a value without quotes; a comment starts at a `#` after a blank. */
  private bare(): string {
    const line = this.take(REST)![0];
    this.pos++;
    const comment = /(^|[ \t])#/.exec(line);
    return (comment === null ? line : line.slice(0, comment.index)).trim();
  }

  private invalid(what: string): never {
    return fail(Errors.ValueError, `line ${this.text.slice(0, this.pos).split('\n').length}: ${what}`);
  }
}
