import { lineStarts, positionAt } from '../vm/bytecode/position.js';
import type { Expr, Module } from './ast.js';
import { findInvalid, invalidNodes } from './build/invalid.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { type Problem, problem } from './diagnostics/problem.js';
import { parseStatement } from './earley.js';
import { explainForeign } from './errors/foreign/index.js';
import { parseRecovering, type SourceFacts } from './errors/recover.js';
import { cutMissingQuote, Repairs } from './layout/repairs.js';
import type { Token } from './layout/token.js';
import { type Tokens, tokenize } from './layout/tokenize.js';
import { prepareSource } from './source.js';

/** Maximum number of errors reported per file. */
const MAX_ERRORS = 10;

/** Maximum rounds over a text with a missing quote; a long one is read once. */
const MAX_ROUNDS = 5;
const LONG_TEXT_THRESHOLD = 200_000;

/** Trees of statements that were parsed before, for programs that parse a text again after each change. */
export interface ParsedStatements {
  /** The tree of the statement that these tokens make; null if it is not known. */
  find(tokens: readonly Token[], from: number, to: number): Expr | null;
  keep(tokens: readonly Token[], from: number, to: number, tree: Expr): void;
}

/** A text that was parsed. */
export interface ParsedFile {
  module: Module;
  diagnostics: Diagnostic[];
}

/** Parses a whole program. Never throws: what cannot be parsed becomes an `Error` node and a diagnostic. */
export function parse(file: string, original: string, known: ParsedStatements | null = null): ParsedFile {
  const { module, diagnostics } = parseWithTokens(file, original, known);
  return { module, diagnostics };
}

/** As `parse`, with the tokens that were read; null if the compiler failed. */
export function parseWithTokens(
  file: string,
  original: string,
  known: ParsedStatements | null = null,
): ParsedFile & { read: Tokens | null } {
  const { text, problems: textProblems } = prepareSource(original);
  let starts: number[] | null = null;
  const lineOf = (offset: number): number => positionAt((starts ??= lineStarts(text)), offset).line;
  const { stmts, problems, read } = parseSafely(text, lineOf, known);
  const found = [...textProblems, ...problems];
  const diagnostics =
    found.length === 0
      ? []
      : select(found, lineOf).map((problem): Diagnostic => ({ ...problem, file, severity: 'error' }));
  return { module: { start: 0, end: original.length, stmts }, diagnostics, read };
}

/** All problems of a text, also those that are consequences of others. */
export function problemsOf(original: string): readonly Problem[] {
  const { text, problems } = prepareSource(original);
  const starts = lineStarts(text);
  return [...problems, ...parseSafely(text, (offset) => positionAt(starts, offset).line, null).problems];
}

interface Parsed {
  stmts: Expr[];
  problems: Problem[];
  read: Tokens | null;
}

/** Turns a bug of the compiler into a diagnostic, so that embedding programs need not catch exceptions. */
function parseSafely(text: string, lineOf: (offset: number) => number, known: ParsedStatements | null): Parsed {
  try {
    return parseText(text, lineOf, known);
  } catch (error) {
    return {
      read: null,
      stmts: [],
      problems: [
        problem(
          'internal-error',
          `the compiler failed: ${String(error)}`,
          0,
          0,
          [],
          'please report it together with this program',
        ),
      ],
    };
  }
}

/**
 * Parses the text. If the result shows that a quote is missing, reads the text again with that string cut at the end of
 * its line.
 */
function parseText(text: string, lineOf: (offset: number) => number, known: ParsedStatements | null): Parsed {
  const repairs = new Repairs();
  for (let round = 1; ; round++) {
    const read = tokenize(text, repairs);
    const parsed = parseStatements(read, { text, spanning: read.spanning, lineOf }, known);
    const missing = parsed.problems.find(
      ({ code, start }) => code === 'unterminated-string' && !repairs.cuts.has(start),
    );
    if (missing === undefined || round === MAX_ROUNDS || text.length > LONG_TEXT_THRESHOLD)
      return {
        read,
        stmts: parsed.stmts,
        problems: explainForeign([...read.problems, ...parsed.problems], text, read.tokens, lineOf),
      };
    cutMissingQuote(repairs, missing.start, '"');
  }
}

function parseStatements(
  { tokens, ends }: Tokens,
  facts: SourceFacts,
  known: ParsedStatements | null,
): Omit<Parsed, 'read'> {
  const stmts: Expr[] = [];
  const problems: Problem[] = [];
  let from = 0;
  for (const to of ends) {
    invalidNodes.seen = false;
    const before = known?.find(tokens, from, to) ?? null;
    const { tree, failure } = before === null ? parseStatement(tokens, from, to) : { tree: before, failure: null };
    if (failure === null) {
      stmts.push(tree as Expr);
      if (invalidNodes.seen) problems.push(...findInvalid(tree));
      else if (before === null) known?.keep(tokens, from, to, tree as Expr);
    } else {
      const recovered = parseRecovering(tokens.slice(from, to), facts, MAX_ERRORS);
      stmts.push(recovered.tree);
      problems.push(...recovered.problems);
    }
    from = to;
    if (problems.length >= MAX_ERRORS) break;
  }
  return { stmts, problems };
}

/**
 * The first problems in source order. Drops a syntax error on the line of another problem: it is mostly a consequence.
 */
function select(problems: Problem[], lineOf: (offset: number) => number): Problem[] {
  const sorted = [...problems].sort(
    (a, b) => a.start - b.start || Number(a.code === 'syntax-error') - Number(b.code === 'syntax-error'),
  );
  const others = new Set(sorted.filter(({ code }) => code !== 'syntax-error').map(({ start }) => lineOf(start)));
  const kept = sorted.filter(({ code, start }, index) => {
    if (code !== 'syntax-error') return true;
    const line = lineOf(start);
    const previous = sorted[index - 1];
    return !others.has(line) && !(previous?.code === 'syntax-error' && lineOf(previous.start) === line);
  });
  return kept.slice(0, MAX_ERRORS);
}
