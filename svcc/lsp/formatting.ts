import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextEdit } from 'vscode-languageserver/node';
import { rangeOf } from './convert.js';

/**
 * The edit that formats a program, as `svcc fmt` does: the lines from the first to the last that change. None for texts
 * that do not parse, and for templates.
 */
export async function formattingOf(document: TextDocument, path: string): Promise<TextEdit[]> {
  if (!path.endsWith('.svc')) return [];
  const { formatText } = await import('../fmt/format.js');
  const text = document.getText();
  const formatted = formatText(text, path);
  if (!('text' in formatted) || formatted.text === text) return [];
  const before = text.split(/(?<=\n)/);
  const after = formatted.text.split(/(?<=\n)/);
  let first = 0;
  while (first < before.length && before[first] === after[first]) first++;
  let same = 0;
  const most = Math.min(before.length, after.length) - first;
  while (same < most && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  const length = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);
  const start = length(before.slice(0, first));
  const end = text.length - length(before.slice(before.length - same));
  return [{ range: rangeOf(document, start, end), newText: after.slice(first, after.length - same).join('') }];
}
