import type { Program } from './program.js';

/** Maximum length of a displayed line, in code points. */
const MAX_CODE_POINTS = 120;

/**
 * Characters that must not reach a terminal: control characters, direction marks, line separators, unpaired surrogates.
 */
const UNSHOWN = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r' };

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** A source line for a terminal: cut after 120 characters, with control characters escaped. */
function shown(line: string): string {
  // Slice first, so that a line of a million characters is not split into code points.
  const start = [...line.slice(0, 2 * MAX_CODE_POINTS + 2)];
  const text = start.length > MAX_CODE_POINTS ? `${start.slice(0, MAX_CODE_POINTS).join('')}…` : line;
  return text.trimEnd().replace(UNSHOWN, escaped);
}

/** The lines of a program's sources, if their texts are available. */
export class SourceLines {
  private readonly lines = new Map<number, string[]>();

  constructor(private readonly program: Program) {}

  /** Line `row` (starting at 1) of source number `source` for a listing; null if there is no such line or no text. */
  at(source: number, row: number): string | null {
    let lines = this.lines.get(source);
    if (lines === undefined) this.lines.set(source, (lines = this.program.sources[source].text?.split('\n') ?? []));
    return row >= 1 && row <= lines.length ? shown(lines[row - 1]) : null;
  }
}
