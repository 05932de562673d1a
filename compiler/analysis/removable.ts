import type * as Ast from '../ast.js';
import { walk, walkNodes, walkStatements } from '../check/walk.js';
import { heredocCloser } from '../layout/heredoc.js';
import type { ModuleScope } from '../symbols.js';
import { lineAround } from './patch.js';

/** Values without effects. */
const PLAIN: ReadonlySet<string> = new Set(['Nil', 'Bool', 'Int', 'Float', 'Decimal', 'Str', 'Ident', 'Lambda']);

/**
 * The lines of an assignment that stands alone in them, whose value has no effects, and which is not the value of what
 * is around it; null if there is none at `start`.
 */
export function removable({ tree, text }: ModuleScope, start: number): { start: number; end: number } | null {
  let found: Ast.Assign | null = null;
  walkNodes(tree, ['Assign'], (node) => {
    if (node.start === start && PLAIN.has(node.value.type)) found = node;
  });
  const statement = found as Ast.Assign | null;
  if (statement === null || !dropped(tree).has(statement)) return null;
  const first = lineAround(text, statement.start);
  const last = lineAround(text, statement.end);
  const isAlone =
    text.slice(first.start, statement.start).trim() === '' && text.slice(statement.end, last.end).trim() === '';
  if (!isAlone) return null;
  const next = text.indexOf('\n', last.end);
  if (next < 0) return { start: first.start, end: text.length };
  const end = afterHeredocs(text, statement, last.start, next + 1);
  return end === null ? null : { start: first.start, end };
}

/** The statements whose values are not used, also at the ends of branches. */
function dropped(tree: Ast.Module): ReadonlySet<Ast.Expr> {
  const out = new Set<Ast.Expr>();
  const rest: Ast.Expr[] = [...tree.stmts];
  walkStatements(tree, (stmts) => rest.push(...stmts.slice(0, -1)));
  walkNodes(tree, ['While', 'For'], ({ body }) => rest.push(...body));
  for (let stmt = rest.pop(); stmt !== undefined; stmt = rest.pop()) {
    if (out.has(stmt)) continue;
    out.add(stmt);
    for (const branch of branchesOf(stmt)) rest.push(...branch.slice(-1));
  }
  return out;
}

/** The lists of statements of which the last one is the value of a statement. */
function branchesOf(stmt: Ast.Expr): readonly (readonly Ast.Expr[])[] {
  switch (stmt.type) {
    case 'If':
    case 'CaseIn':
      return [...stmt.clauses.map(({ body }) => body), stmt.else ?? []];
    case 'Case':
      return [...stmt.whens.map(({ body }) => body), stmt.else ?? []];
    case 'Begin': {
      const { stmts, rescues, else: otherwise } = stmt.body;
      return [stmts, ...rescues.map(({ body }) => body), otherwise ?? []];
    }
    default:
      return [];
  }
}

/**
 * Where the heredocs end that a statement opens in its last line; `from` if there are none, null if that is not clear.
 *
 * @param line where the statement's last line starts
 * @param from where the next line starts
 */
function afterHeredocs(text: string, statement: Ast.Assign, line: number, from: number): number | null {
  const openers: number[] = [];
  let isClear = true;
  walk(statement, (node) => {
    if ((node.type !== 'Str' && node.type !== 'Interp') || node.end <= line) return;
    if (text.startsWith('<<', node.start)) openers.push(node.start);
    else if (text.slice(node.start, node.end).includes('<<')) isClear = false;
  });
  if (!isClear) return null;
  let end = from;
  for (const start of openers.filter((at) => at >= line).sort((a, b) => a - b)) {
    const closer = heredocCloser(text, end, text.slice(start, from));
    if (closer === null) return null;
    end = closer.end;
  }
  return end;
}
