import type { Program } from './program.js';

/** Longest part of a line that is shown, in code points. */
const LONGEST = 120;

/** What must not reach a terminal as it is: control characters, those that turn the direction of writing, line separators, halves of pairs. */
const UNSHOWN = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r' };

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** A line on one line of a terminal: cut behind 120 characters, control characters escaped. */
function shown(line: string): string {
  // Cut twice, so that a line of a million characters is not taken apart for the first of them.
  const start = [...line.slice(0, 2 * LONGEST + 2)];
  const text = start.length > LONGEST ? `${start.slice(0, LONGEST).join('')}…` : line;
  return text.trimEnd().replace(UNSHOWN, escaped);
}

/** The lines of a program's sources, as far as their texts are at hand. */
export class SourceLines {
  private readonly lines = new Map<number, string[]>();

  constructor(private readonly program: Program) {}

  /** Line `row`, from 1, of source number `source`, as a listing shows it; null: there is no such line, or no text. */
  at(source: number, row: number): string | null {
    let lines = this.lines.get(source);
    if (lines === undefined) this.lines.set(source, (lines = this.program.sources[source].text?.split('\n') ?? []));
    return row >= 1 && row <= lines.length ? shown(lines[row - 1]) : null;
  }
}
