import type { Token, TokenType } from '../layout/token.js';

/** Tokens around a mistake: a statement, or the condition in a block's header. */
export interface Region {
  start: number;
  end: number;
  kind: 'statement' | 'header';
}

/** An open block, or a bracket. Statements inside brackets are not tracked. */
interface Level {
  block: boolean;
  start: number;
  kind: 'statement' | 'header' | 'whole';
}

const HEADERS: ReadonlySet<TokenType> = new Set<TokenType>(['IF', 'UNLESS', 'WHILE', 'CASE']);
/** Headers that are not expressions: without them the block cannot be kept. */
const NAMING_HEADERS: ReadonlySet<TokenType> = new Set<TokenType>(['FOR', 'DEF', 'LOOP']);
const BODIES: ReadonlySet<TokenType> = new Set<TokenType>(['BEGIN', 'DO_LOOP', 'DO_BLOCK', 'DO_CMD', 'LBLOCK']);
const STARTS: ReadonlySet<TokenType> = new Set<TokenType>(['THEN', 'ELSE', 'ENSURE', 'SEP']);
const OPENERS: ReadonlySet<TokenType> = new Set<TokenType>([
  'LPAREN',
  'LCALL',
  'LPARAM',
  'LBRACK',
  'LINDEX',
  'LBRACE',
  'LDESTR',
  'IBEG',
  'STR_BEG',
]);
const CLOSERS: ReadonlySet<TokenType> = new Set<TokenType>(['RPAREN', 'RBRACK', 'RBRACE', 'IEND', 'STR_END']);

/**
 * Finds the innermost statement or header around the token at `failed`; null if that part cannot be removed on its own.
 */
export function regionAround(tokens: readonly Token[], failed: number): Region | null {
  const levels: Level[] = [{ block: true, start: 0, kind: 'statement' }];
  let found: { level: Level; start: number; kind: Level['kind'] } | null = null;
  for (let i = 0; i < tokens.length; i++) {
    const { type } = tokens[i];
    const block = innermostBlock(levels);
    const ends = type === 'SEP' || type === 'THEN';
    if (i === failed) found = { level: block, start: block.start, kind: block.kind };
    if (found !== null && ends && block === found.level) {
      return found.kind === 'whole' ? null : { start: found.start, end: i, kind: found.kind };
    }
    step(levels, block, type, i);
  }
  return null;
}

function innermostBlock(levels: Level[]): Level {
  return levels.findLast(({ block }) => block) as Level;
}

function step(levels: Level[], block: Level, type: TokenType, index: number): void {
  const start = index + 1;
  if (HEADERS.has(type)) levels.push({ block: true, start, kind: 'header' });
  else if (NAMING_HEADERS.has(type)) levels.push({ block: true, start, kind: 'whole' });
  else if (BODIES.has(type)) levels.push({ block: true, start, kind: 'statement' });
  else if (OPENERS.has(type)) levels.push({ block: false, start, kind: 'statement' });
  else if (type === 'ELSIF' || type === 'WHEN' || type === 'IN_CASE') Object.assign(block, { start, kind: 'header' });
  else if (type === 'RESCUE') Object.assign(block, { start, kind: 'whole' });
  else if (STARTS.has(type)) Object.assign(block, { start, kind: 'statement' });
  else if (type === 'PIPE') {
    const opensParameters = block.kind === 'statement' && block.start === index;
    Object.assign(block, { start, kind: opensParameters ? 'whole' : 'statement' });
  } else if (type === 'END' || type === 'DO_WHILE') closeBlock(levels);
  else if (CLOSERS.has(type) && levels.length > 1) levels.pop();
}

function closeBlock(levels: Level[]): void {
  while (levels.length > 1 && !(levels.at(-1) as Level).block) levels.pop();
  if (levels.length > 1) levels.pop();
}
