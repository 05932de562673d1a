import type * as Ast from '../ast.js';
import type { Checked } from './environment.js';
import { article } from '../annotationtypes.js';
import { unionText } from './possibletypes.js';
import type { Types } from './types.js';
import { walk, walkNodes, walkStatements } from './walk.js';

/** Natives that never return. */
const NO_RETURN = new Set(['halt', 'exit']);

/** Reports statements that follow one that always leaves. */
export function checkReachable(checked: Checked): void {
  walkStatements(checked.module.tree, (stmts) => {
    const at = stmts.findIndex((stmt) => leaves(stmt, checked));
    const behind = stmts.slice(at + 1).filter((stmt) => !DECLARATIONS.has(stmt.type));
    if (at < 0 || behind.length === 0) return;
    checked.report('warning', 'unreachable', behind[0], `this is never reached: ${wording(stmts[at])} before it`);
  });
}

const DECLARATIONS = new Set(['Def', 'RecordDecl', 'InterfaceDecl', 'EnumDecl', 'ErrorDecl', 'UseModule']);

function wording(stmt: Ast.Expr): string {
  switch (stmt.type) {
    case 'Return':
      return '`return` leaves';
    case 'Break':
      return '`break` leaves';
    case 'Next':
      return '`next` leaves';
    case 'Raise':
      return '`raise` leaves';
    case 'While':
      return 'an endless loop runs';
    case 'Call':
      return `${(stmt.callee as Ast.Ident).name}() leaves`;
    default:
      return 'every branch leaves';
  }
}

/** Whether execution never continues after a statement. */
function leaves(node: Ast.Expr, checked: Checked): boolean {
  switch (node.type) {
    case 'Return':
    case 'Break':
    case 'Next':
    case 'Raise':
    case 'Retry':
      return true;
    case 'If':
      return (
        node.else !== null &&
        [...node.clauses.map(({ body }) => body), node.else].every((body) => leavesList(body, checked))
      );
    case 'Case':
      return (
        node.else !== null &&
        [...node.whens.map(({ body }) => body), node.else].every((body) => leavesList(body, checked))
      );
    case 'CaseIn':
      return [...node.clauses.map(({ body }) => body), ...(node.else === null ? [] : [node.else])].every((body) =>
        leavesList(body, checked),
      );
    case 'While':
      return node.cond.type === 'Bool' && node.cond.value && !hasBreak(node);
    case 'Call':
      return node.callee.type === 'Ident' && NO_RETURN.has(nativeName(node.callee, checked) ?? '');
    default:
      return false;
  }
}

function leavesList(body: readonly Ast.Expr[], checked: Checked): boolean {
  return body.some((stmt) => leaves(stmt, checked));
}

function nativeName(node: Ast.Ident, { resolution }: Checked): string | null {
  const symbol = resolution.symbols.get(node);
  return symbol?.kind === 'native' ? symbol.name : null;
}

/** Whether a loop contains a `break`. Counts those of inner loops too: that errs on the side of no finding. */
function hasBreak(loop: Ast.While): boolean {
  let found = false;
  walk(loop.body, (node) => {
    found ||= node.type === 'Break';
  });
  return found;
}

const ROUTES = new Set(['get', 'post', 'put', 'patch', 'delete'].flatMap((name) => [name, `${name}_async`]));

/** Reports route handlers that return a value on some paths and none on others. */
export function checkHandlers(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Method'], (node) => {
    if (!ROUTES.has(node.name)) return;
    const [path, handler] = node.args;
    if (path?.type !== 'Str' || !/^[/*]/.test(path.value)) return;
    const fn = node.block ?? (handler?.type === 'Lambda' ? handler : null);
    if (fn === null) return;
    const second = fn.params?.filter(({ kind, default: value }) => kind === 'plain' && value === null)[1];
    if (second !== undefined) surplus(second, checked);
    const ends = new Ends(types, checked);
    ends.body(fn.body);
    const ofLoops = nextsOfLoops(fn.body);
    walk(
      fn.body,
      (inner) => {
        if (inner.type === 'Return' || (inner.type === 'Next' && !ofLoops.has(inner))) ends.leave(inner);
      },
      true,
    );
    for (const value of ends.values) response(value, checked, types);
    if (!ends.hasValue) return;
    for (const [place, when] of ends.empty) {
      checked.report(
        'warning',
        'handler-without-value',
        place,
        `this handler returns nothing ${when}, so the response is an empty 204`,
        'return a value on every path; write `nil` where no value is intended',
      );
    }
  });
}

function surplus(param: Ast.Param, { report }: Checked): void {
  const message = `a handler receives the request alone, so '${param.name}' gets nothing`;
  report('error', 'wrong-arguments', param, message, 'return the response: a text, a hash, or `response(…)`');
}

/** Types of values that are no response. */
const NO_RESPONSE = new Set(
  'Task Duration Date Range Regex Set Function Channel Shared Database Lazy Sequence JobQueue'.split(' '),
);

/** Reports the value of a handler if no response can be made of it. */
function response(value: Ast.Expr, { report }: Checked, types: Types): void {
  const all = types.possible(value);
  // A program may have a record of that name.
  if (all === null || ![...all].every((type) => NO_RESPONSE.has(type) && types.record(type) === null)) return;
  const hint = all.has('Task') ? 'return what it computes: `await task`' : 'return a text, bytes, a hash or a vector';
  report('error', 'wrong-type', value, `a handler cannot return ${article(unionText(all))}`, hint);
}

/** The `next` statements that continue a loop instead of ending the function. */
function nextsOfLoops(body: Ast.Body): Set<Ast.Node> {
  const out = new Set<Ast.Node>();
  walk(
    body,
    (loop) => {
      if (loop.type === 'While' || loop.type === 'For')
        walk(
          loop.body,
          (node) => {
            if (node.type === 'Next') out.add(node);
          },
          true,
        );
    },
    true,
  );
  return out;
}

/** How a body can end: with a value, or without one and where. */
class Ends {
  readonly empty = new Map<Ast.Node, string>();
  hasValue = false;
  readonly values: Ast.Expr[] = [];

  constructor(
    private readonly types: Types,
    private readonly checked: Checked,
  ) {}

  body(body: Ast.Body): void {
    this.list(body.else ?? body.stmts, body);
    for (const rescue of body.rescues) this.list(rescue.body, rescue);
  }

  leave(node: Ast.Return | Ast.Next): void {
    if (node.value === null) this.empty.set(node, 'here');
    else this.tail(node.value);
  }

  private list(stmts: readonly Ast.Expr[], owner: Ast.Node): void {
    const last = stmts[stmts.length - 1];
    if (last === undefined) this.empty.set(owner, 'here');
    else if (!leavesList(stmts, this.checked)) this.tail(last);
  }

  private tail(node: Ast.Expr): void {
    switch (node.type) {
      case 'If':
        for (const { body } of node.clauses) this.list(body, node);
        if (node.else === null) this.empty.set(node, 'when no condition holds');
        else this.list(node.else, node);
        break;
      case 'Case':
        for (const { body } of node.whens) this.list(body, node);
        if (node.else === null) this.empty.set(node, 'when nothing matches');
        else this.list(node.else, node);
        break;
      case 'CaseIn':
        for (const { body } of node.clauses) this.list(body, node);
        if (node.else !== null) this.list(node.else, node);
        break;
      case 'Begin':
        this.body(node.body);
        break;
      case 'While':
      case 'For':
        this.empty.set(node, 'after this loop');
        break;
      // A nil that is written out is intended.
      case 'Nil':
        break;
      default:
        if (leaves(node, this.checked)) return;
        // A method that returns nil may always raise an error instead.
        if (node.type !== 'Method' && node.type !== 'Member' && this.types.of(node) === 'Nil')
          this.empty.set(node, 'here');
        else {
          this.hasValue = true;
          this.values.push(node);
        }
    }
  }
}
