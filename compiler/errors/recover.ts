import type { Expr } from '../ast.js';
import { findInvalid, invalidNodes } from '../build/invalid.js';
import type { Problem } from '../diagnostics/problem.js';
import { parseStatement } from '../earley.js';
import { Token } from '../layout/token.js';
import { explain } from './explain.js';
import type { Failed } from './failed.js';
import { regionAround } from './region.js';

/** Maximum number of tokens parsed again, over all rounds, to find further mistakes in one statement. */
const MAX_AGAIN = 500_000;

/** Input of `explain`, in addition to the tokens and the failure. */
export type SourceFacts = Omit<Failed, 'tokens' | 'failure'>;

/** A statement's tree. Parts that failed are `Error` nodes. */
export interface Recovered {
  tree: Expr;
  problems: Problem[];
}

/**
 * Parses a statement that may have mistakes. After each failure, replaces the innermost statement around it by an
 * `ERROR` and parses everything again, for at most `limit` mistakes.
 */
export function parseRecovering(statement: readonly Token[], facts: SourceFacts, limit: number): Recovered {
  const problems: Problem[] = [];
  let tokens = statement;
  const rounds = Math.min(limit, 1 + Math.floor(MAX_AGAIN / statement.length));
  while (problems.length < rounds) {
    invalidNodes.seen = false;
    const { tree, failure } = parseStatement(tokens, 0, tokens.length);
    if (failure === null) {
      const invalid = invalidNodes.seen ? findInvalid(tree) : [];
      return { tree: tree as Expr, problems: [...problems, ...invalid] };
    }
    problems.push(explain({ tokens, failure, ...facts }));
    const shorter = cutOut(tokens, failure.at);
    if (shorter === null) break;
    tokens = shorter;
  }
  return { tree: errorNode(statement), problems };
}

/** The tokens, with the statement around the failure replaced; null if that would not help. */
function cutOut(tokens: readonly Token[], failed: number): Token[] | null {
  const region = regionAround(tokens, Math.min(failed, tokens.length - 1));
  if (region === null) return null;
  const first = tokens[region.start];
  if (first.type === 'ERROR' || (region.kind === 'header' && first.text === 'nil' && region.end === region.start + 1))
    return null;
  const last = tokens[Math.max(region.start, region.end - 1)];
  const stand =
    region.kind === 'header'
      ? new Token('LIT', 'nil', first.start, last.end)
      : new Token('ERROR', '', first.start, last.end);
  return [...tokens.slice(0, region.start), stand, ...tokens.slice(region.end)];
}

function errorNode(tokens: readonly Token[]): Expr {
  let { start, end } = tokens[0];
  for (const token of tokens) {
    start = Math.min(start, token.start);
    end = Math.max(end, token.end);
  }
  return { type: 'Error', start, end };
}
