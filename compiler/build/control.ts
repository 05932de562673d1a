import type { Begin, Case, Expr, For, If, IfClause, NamedArg, Pattern, Splat, Unary, When, While } from '../ast.js';
import type { Token } from '../layout/token.js';
import { body, type Parts } from './bodies.js';
import { List, type MaybeList, toArray } from './list.js';
import { namedToHash } from './literals.js';

type Stmts = MaybeList<Expr>;

/** `if … elsif … else … end` */
export function ifElse(
  word: Token,
  cond: Expr,
  stmts: Stmts,
  elsifs: MaybeList<IfClause>,
  otherwise: Expr[] | null,
  close: Token,
): If {
  const clauses = [{ cond, body: toArray(stmts) }, ...toArray(elsifs)];
  return { type: 'If', start: word.start, end: close.end, clauses, else: otherwise };
}

export function elsif(list: MaybeList<IfClause>, cond: Expr, stmts: Stmts): List<IfClause> {
  return new List(list, { cond, body: toArray(stmts) });
}

export function elseBody(stmts: Stmts): Expr[] {
  return toArray(stmts);
}

function not(operand: Expr): Unary {
  return { type: 'Unary', start: operand.start, end: operand.end, op: 'not', operand };
}

export function unless(word: Token, cond: Expr, stmts: Stmts, otherwise: Expr[] | null, close: Token): If {
  return {
    type: 'If',
    start: word.start,
    end: close.end,
    clauses: [{ cond: not(cond), body: toArray(stmts) }],
    else: otherwise,
  };
}

/**
 * A statement followed by `if`, `unless`, `while` or `until`. `begin … end while c` runs its body before the first
 * test.
 */
export function modifier(stmt: Expr, word: Token, cond: Expr): If | While {
  const { start } = stmt;
  const { end } = cond;
  const test = word.text === 'unless' || word.text === 'until' ? not(cond) : cond;
  if (word.text === 'if' || word.text === 'unless')
    return { type: 'If', start, end, clauses: [{ cond: test, body: [stmt] }], else: null };
  const doWhile = stmt.type === 'Begin';
  return { type: 'While', start, end, cond: test, body: doWhile ? bodyOf(stmt) : [stmt], label: null, doWhile };
}

/** The statements of a plain `begin … end`. One with handlers stays a single `Begin` node. */
function bodyOf(begin: Begin): Expr[] {
  const { rescues, ensure, stmts } = begin.body;
  return rescues.length === 0 && ensure === null ? stmts : [begin];
}

export function whileLoop(word: Token, cond: Expr, stmts: Stmts, close: Token): While {
  return {
    type: 'While',
    start: word.start,
    end: close.end,
    cond: word.text === 'until' ? not(cond) : cond,
    body: toArray(stmts),
    label: labelOf(word),
    doWhile: false,
  };
}

export function doWhile(open: Token, stmts: Stmts, word: Token, cond: Expr): While {
  return {
    type: 'While',
    start: open.start,
    end: cond.end,
    cond: word.text === 'until' ? not(cond) : cond,
    body: toArray(stmts),
    label: null,
    doWhile: true,
  };
}

/** `loop :outer do`: becomes an endless `while`, because only loops have labels. */
export function loop(word: Token, stmts: Stmts, close: Token): While {
  const { start, end } = word;
  const cond: Expr = { type: 'Bool', start, end, value: true };
  return { type: 'While', start, end: close.end, cond, body: toArray(stmts), label: labelOf(word), doWhile: false };
}

export function forLoop(word: Token, targets: List<Pattern>, iter: Expr, stmts: Stmts, close: Token): For {
  return {
    type: 'For',
    start: word.start,
    end: close.end,
    targets: toArray(targets),
    iter,
    body: toArray(stmts),
    label: labelOf(word),
  };
}

function labelOf({ extra }: Token): string | null {
  return extra === '' ? null : extra;
}

export function caseBare(word: Token, whens: List<When>, otherwise: Expr[] | null, close: Token): Case {
  return { type: 'Case', start: word.start, end: close.end, subject: null, whens: toArray(whens), else: otherwise };
}

export function caseOf(word: Token, subject: Expr, whens: List<When>, otherwise: Expr[] | null, close: Token): Case {
  return { type: 'Case', start: word.start, end: close.end, subject, whens: toArray(whens), else: otherwise };
}

export function when(word: Token, list: List<Expr | Splat | NamedArg>, then: Token, stmts: Stmts): When {
  const bodyStmts = toArray(stmts);
  return {
    start: word.start,
    end: bodyStmts.at(-1)?.end ?? then.start,
    patterns: namedToHash(toArray(list)),
    body: bodyStmts,
  };
}

export function begin(word: Token, parts: Parts, close: Token): Begin {
  return { type: 'Begin', start: word.start, end: close.end, body: body(word, parts, close) };
}

/** `statement rescue value`: the value if the statement raises an error. An assignment assigns it. */
export function rescueModifier(stmt: Expr, word: Token, value: Expr): Expr {
  switch (stmt.type) {
    case 'Assign':
    case 'OpAssign':
    case 'ConstDecl':
    case 'MultiAssign':
    case 'HashDestructure':
      return { ...stmt, end: value.end, value: rescued(stmt.value, word, value) };
    case 'Return':
    case 'Break':
    case 'Next':
      if (stmt.value !== null) return { ...stmt, end: value.end, value: rescued(stmt.value, word, value) };
  }
  return rescued(stmt, word, value);
}

function rescued(stmt: Expr, word: Token, value: Expr): Begin {
  const { start } = stmt;
  const { end } = value;
  const rescues = [{ start: word.start, end, types: [], name: null, body: [value] }];
  return { type: 'Begin', start, end, body: { start, end, stmts: [stmt], rescues, else: null, ensure: null } };
}
