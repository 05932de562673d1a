import { walkFile } from '../check/walk.js';
import { lineStarts, positionAt } from '../../vm/bytecode/position.js';
import type { Source } from './outline.js';

/** Lines that an editor can hide, counted from 0; the first one stays visible. */
export interface Fold {
  from: number;
  to: number;
  kind: 'code' | 'comment' | 'imports';
}

const FOLDED: ReadonlySet<string> = new Set([
  'Def',
  'RecordDecl',
  'InterfaceDecl',
  'EnumDecl',
  'If',
  'While',
  'For',
  'Case',
  'CaseIn',
  'Begin',
  'Lambda',
  'Vector',
  'Hash',
  'Str',
  'Interp',
  'Regex',
  'Call',
  'Method',
]);

/** Blocks, literals, comments and lists of `require` that span several lines. */
export function foldsIn({ text, tree }: Source): Fold[] {
  const starts = lineStarts(text);
  const lineOf = (offset: number): number => positionAt(starts, offset).line - 1;
  const byLine = new Map<number, Fold>();
  const add = (from: number, to: number, kind: Fold['kind']): void => {
    const before = byLine.get(from);
    if (to > from && (before === undefined || before.to < to)) byLine.set(from, { from, to, kind });
  };
  walkFile(tree, (node) => {
    if (!FOLDED.has(node.type)) return;
    const block = node.type === 'Call' || node.type === 'Method' ? node.block : null;
    const end = lineOf(Math.max(0, node.end - 1));
    const from = lineOf(block?.start ?? node.start);
    // The line with the closing word stays visible.
    const closes = /^[ \t]*(?:end|[)\]}])/.test(text.slice(starts[end], starts[end] + 200));
    add(from, closes ? end - 1 : end, 'code');
  });
  comments(text, starts, add);
  imports(tree.stmts, lineOf, add);
  return [...byLine.values()].sort((a, b) => a.from - b.from);
}

type Add = (from: number, to: number, kind: Fold['kind']) => void;

function comments(text: string, starts: readonly number[], add: Add): void {
  let first = -1;
  for (let line = 0; line <= starts.length; line++) {
    const isComment =
      line < starts.length &&
      /^[ \t]*#/.test(text.slice(starts[line], Math.min(starts[line] + 200, starts[line + 1] ?? text.length)));
    if (isComment && first < 0) first = line;
    else if (!isComment && first >= 0) {
      add(first, line - 1, 'comment');
      first = -1;
    }
  }
}

function imports(
  stmts: readonly { type: string; start: number; end: number }[],
  lineOf: (offset: number) => number,
  add: Add,
): void {
  for (let i = 0; i < stmts.length; i++) {
    if (stmts[i].type !== 'UseModule') continue;
    let last = i;
    while (stmts[last + 1]?.type === 'UseModule') last++;
    add(lineOf(stmts[i].start), lineOf(stmts[last].end), 'imports');
    i = last;
  }
}
