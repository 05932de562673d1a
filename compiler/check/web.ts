import { lineStarts, positionAt } from '../../vm/bytecode/position.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import type * as Ast from '../ast.js';
import type { Variable } from '../symbols.js';
import { article } from '../annotationtypes.js';
import type { Checked } from './environment.js';
import { isOfRequest } from './requesttexts.js';
import type { Types } from './types.js';
import { walkNodes } from './walk.js';

/** Reports unknown settings of applications, and values that are no numbers. */
export function checkSettings({ module, env, report }: Checked, types: Types): void {
  walkNodes(module.tree, ['Method'], (node) => {
    if (node.name !== 'set' || types.of(node.recv) !== 'SvcApp') return;
    const [name, value] = node.args;
    if (name?.type !== 'Str') return;
    if (!env.settings.includes(name.value)) {
      const near = nearest(name.value, env.settings);
      const hint = near === null ? `; there are ${env.settings.join(', ')}` : `, did you mean '${near}'?`;
      report('error', 'unknown-setting', name, `there is no setting '${name.value}'${hint}`);
      return;
    }
    const type = value === undefined || value.type === 'Splat' || value.type === 'NamedArg' ? null : types.of(value);
    const wanted = name.value === 'bus' || name.value === 'refusals' ? 'String' : 'Integer';
    if (type === null || type === wanted || (type === 'Boolean' && name.value === 'trust_proxy')) return;
    report(
      'error',
      'wrong-type',
      value,
      `setting '${name.value}' must be ${article(wanted)}, this is ${article(type)}`,
    );
  });
}

const ROUTE = /^(get|post|put|patch|delete)(_async)?$/;

/** An application, by its variable's name, and the prefix of a group in it. */
interface Place {
  app: string;
  prefix: string;
}

/** Reports routes that are registered twice in a file: those of the top level and of groups there. */
export function checkRoutes(checked: Checked, types: Types): void {
  new Routes(checked, types).statements(checked.module.tree.stmts);
}

class Routes {
  private readonly seen = new Map<string, Ast.Node>();
  private readonly starts: readonly number[];
  /** The parameters of groups' blocks. */
  private readonly groups = new Map<Variable, Place>();

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
  ) {
    this.starts = lineStarts(checked.module.text);
  }

  statements(stmts: readonly Ast.Expr[]): void {
    for (const node of stmts) {
      if (node.type !== 'Method') continue;
      const place = this.placeOf(node.recv);
      if (place === null) continue;
      if (node.name === 'group') this.group(node, place);
      else this.route(node, place);
    }
  }

  /** Where the routes of a receiver are registered; null if that is unknown. */
  private placeOf(recv: Ast.Expr): Place | null {
    const variable = this.types.fixed(recv);
    if (variable === null) return null;
    const known = this.groups.get(variable);
    if (known !== undefined) return known;
    const value = this.types.valueOf(variable);
    if (value?.type === 'Method' && value.name === 'group') {
      const outer = this.placeOf(value.recv);
      return outer === null ? null : inside(outer, value);
    }
    return this.types.of(recv) === 'SvcApp' ? { app: variable.name, prefix: '' } : null;
  }

  private group(node: Ast.Method, outer: Place): void {
    const place = inside(outer, node);
    const fn = node.block ?? node.args.find((arg): arg is Ast.Lambda => arg.type === 'Lambda');
    const param = fn?.params?.[0];
    const symbol = param === undefined ? undefined : this.checked.resolution.symbols.get(param);
    if (fn === undefined || place === null || symbol?.kind !== 'variable') return;
    this.groups.set(symbol.variable, place);
    this.statements(fn.body.stmts);
  }

  private route(node: Ast.Method, { app, prefix }: Place): void {
    const { report } = this.checked;
    const method = ROUTE.exec(node.name)?.[1] ?? (node.name === 'websocket' ? 'websocket' : null);
    const [path] = node.args;
    if (method === null || path?.type !== 'Str') return;
    const whole = joined(prefix, path.value);
    // The names of parameters make no difference.
    const key = `${app} ${method} ${whole.replace(/([:*])\w*/g, '$1')}`;
    const first = this.seen.get(key);
    if (first === undefined) {
      this.seen.set(key, node);
      return;
    }
    const { line } = positionAt(this.starts, first.start);
    const what = `${method === 'websocket' ? 'WebSocket' : method.toUpperCase()} ${whole}`;
    report(
      'warning',
      'duplicate-route',
      path,
      `${what} is already registered in line ${line}; requests reach that one`,
    );
  }
}

/** The place of a group; null if its prefix is no literal. */
function inside({ app, prefix }: Place, { args: [given] }: Ast.Method): Place | null {
  return given?.type === 'Str' ? { app, prefix: prefix + given.value.replace(/\/+$/, '') } : null;
}

function joined(prefix: string, path: string): string {
  return path === '/' && prefix !== '' ? prefix : prefix + path;
}

/** Functions whose first argument is HTML. */
const HTML = new Set(['html_response']);

/** Reports interpolations of a request's texts into HTML. */
export function checkHtml({ module, resolution, report }: Checked, types: Types): void {
  walkNodes(module.tree, ['Call'], (node) => {
    if (node.callee.type !== 'Ident' || !HTML.has(node.callee.name)) return;
    if (resolution.symbols.get(node.callee)?.kind !== 'native') return;
    for (const part of inserted(node.args[0], types))
      if (isOfRequest(part, types))
        report(
          'warning',
          'unescaped-text',
          part,
          'this text of the request becomes part of the HTML',
          'escape it: `html_escape(…)`',
        );
  });
}

/** The values that are inserted into a text. */
function inserted(node: Ast.Arg | undefined, types: Types): Ast.Expr[] {
  if (node === undefined || node.type === 'NamedArg' || node.type === 'Splat') return [];
  if (node.type === 'Interp') return node.parts.filter(({ type }) => type !== 'Str');
  if (node.type === 'Binary' && node.op === '+')
    return [node.left, node.right].flatMap((side) =>
      side.type === 'Interp' || side.type === 'Binary' ? inserted(side, types) : side.type === 'Str' ? [] : [side],
    );
  const variable = types.fixed(node);
  const value = variable === null ? null : types.valueOf(variable);
  return value?.type === 'Interp' ? inserted(value, types) : [];
}
