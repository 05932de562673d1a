import type { Range } from './client.js';

export interface TextEdit {
  range: Range;
  newText: string;
}

/** A text after changes, as an editor makes them. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const sorted = edits
    .map(({ range: { start, end }, newText }) => ({
      from: starts[start.line] + start.character,
      to: starts[end.line] + end.character,
      newText,
    }))
    .sort((a, b) => b.from - a.from);
  return sorted.reduce((out, { from, to, newText }) => out.slice(0, from) + newText + out.slice(to), text);
}
