import type { Frame, FrameKind } from './frame.js';
import type { Layout } from './layout.js';
import { Token, type TokenType } from './token.js';

const CLOSER: Partial<Record<FrameKind, [TokenType, string]>> = {
  paren: ['RPAREN', ')'],
  call: ['RPAREN', ')'],
  params: ['RPAREN', ')'],
  vector: ['RBRACK', ']'],
  index: ['RBRACK', ']'],
  hash: ['RBRACE', '}'],
  brace: ['RBRACE', '}'],
  interpolation: ['IEND', '}'],
  string: ['STR_END', '"'],
};

/** Reports that `frame` should have been closed before the offset `start`. */
export function reportUnclosed(layout: Layout, frame: Frame, start: number, end: number): void {
  const { opener } = frame;
  const closer = frame.block ? 'end' : (CLOSER[frame.kind] as [TokenType, string])[1];
  layout.report(
    frame.block ? 'unclosed-block' : 'unclosed-bracket',
    `expected \`${closer}\` to close \`${opener.text}\` opened at line ${layout.lineOf(opener.start)}`,
    start,
    end,
    [
      {
        start: opener.start,
        end: opener.end,
        text: frame.block ? `this \`${opener.text}\` has no \`end\`` : 'opened here',
      },
    ],
  );
}

/** Closes the innermost frame as if its closer were at `at`, so that the grammar sees balanced tokens. */
export function closeBlock(layout: Layout, at: number): void {
  const { top } = layout;
  if (top.block) {
    if (top.header) layout.then(at);
    if (!layout.atStart) layout.separate(at);
    layout.close();
    layout.push(new Token(top.kind === 'doLoop' ? 'DO_WHILE' : 'END', 'end', at, at));
    if (top.kind === 'doLoop') layout.push(new Token('LIT', 'nil', at, at));
    return;
  }
  if (top.kind === 'brace' && !layout.atStart) layout.separate(at);
  const frame = layout.close();
  const [type, text] = CLOSER[frame.kind] as [TokenType, string];
  layout.push(new Token(type, text, at, at, frame.opener.type));
}
