import type * as Ast from '../ast.js';
import type { ModuleScope } from '../symbols.js';
import { defSignature, recordSignature } from './describe.js';

export type OutlineKind =
  | 'function'
  | 'method'
  | 'field'
  | 'record'
  | 'interface'
  | 'enum'
  | 'member'
  | 'error'
  | 'constant'
  | 'variable'
  | 'route'
  | 'group'
  | 'test';

/** A part of a file that is worth a line in its outline. */
export interface OutlineItem {
  kind: OutlineKind;
  name: string;
  detail: string;
  start: number;
  end: number;
  nameStart: number;
  nameEnd: number;
  children: OutlineItem[];
}

/** The text and tree of a file: what an outline needs, which is made without resolving names. */
export type Source = Pick<ModuleScope, 'text' | 'tree'>;

const ROUTE = /^(get|post|put|patch|delete|websocket)(_async)?$/;
const TESTS: ReadonlySet<string> = new Set(['test', 'describe', 'test_each']);

/** The declarations, routes and tests of a file. */
export function outlineOf(source: Source): OutlineItem[] {
  const out: OutlineItem[] = [];
  new Outline(source as ModuleScope).statements(source.tree.stmts, out, '', false);
  return out;
}

class Outline {
  private readonly seen = new Set<string>();

  constructor(private readonly module: ModuleScope) {}

  statements(stmts: readonly Ast.Expr[], out: OutlineItem[], prefix: string, isInside: boolean): void {
    for (const node of stmts) this.statement(node, out, prefix, isInside);
  }

  private item(kind: OutlineKind, node: Ast.Node, name: Ast.Name, detail = ''): OutlineItem {
    const end = Math.max(node.end, name.end);
    return {
      kind,
      name: name.name,
      detail,
      start: node.start,
      end,
      nameStart: name.start,
      nameEnd: name.end,
      children: [],
    };
  }

  private statement(node: Ast.Expr, out: OutlineItem[], prefix: string, isInside: boolean): void {
    switch (node.type) {
      case 'Def':
        out.push(this.def(node, 'function'));
        break;
      case 'RecordDecl':
        if (!node.isLiteral) out.push(this.record(node));
        break;
      case 'InterfaceDecl': {
        const item = this.item('interface', node, node.name);
        item.children = [
          ...node.needs.map((need) => this.item('method', need, need)),
          ...node.methods.map((method) => this.def(method, 'method')),
        ];
        out.push(item);
        break;
      }
      case 'EnumDecl': {
        const item = this.item('enum', node, node.name);
        item.children = node.members.map((member) => this.item('member', member, member));
        out.push(item);
        break;
      }
      case 'ErrorDecl':
        out.push(this.item('error', node, node.name, node.parent === null ? '' : `< ${node.parent.name}`));
        break;
      case 'ConstDecl':
        if (!isInside) this.variable('constant', node, node.name, out);
        break;
      case 'Assign':
        this.assignment(node, out, prefix, isInside);
        break;
      case 'Method':
        this.call(node, out, prefix);
        break;
      case 'Call':
        this.testOrBlock(node, out, prefix);
        break;
      case 'If':
        for (const { body } of node.clauses) this.statements(body, out, prefix, true);
        this.statements(node.else ?? [], out, prefix, true);
        break;
      case 'Begin':
        this.statements(node.body.stmts, out, prefix, isInside);
        break;
      default:
        break;
    }
  }

  private variable(kind: OutlineKind, node: Ast.Node, name: Ast.Name, out: OutlineItem[]): void {
    if (this.seen.has(name.name)) return;
    this.seen.add(name.name);
    out.push(this.item(kind, node, name));
  }

  private assignment(
    { start, end, target, value }: Ast.Assign,
    out: OutlineItem[],
    prefix: string,
    isInside: boolean,
  ): void {
    if (target.type === 'Ident' && !isInside)
      this.variable(/^[A-Z]/.test(target.name) ? 'constant' : 'variable', { start, end }, target, out);
    // `admin = app.group("/admin") { … }`
    if (value.type === 'Method') this.call(value, out, prefix);
  }

  private def(node: Ast.Def, kind: OutlineKind): OutlineItem {
    const item = this.item(kind, node, node.name, defSignature(node, this.module).slice(node.name.name.length));
    // Routes and tests may be registered in functions.
    this.statements(node.body.stmts, item.children, '', true);
    return item;
  }

  private record(node: Ast.RecordDecl): OutlineItem {
    const item = this.item('record', node, node.name, recordSignature(node, '', this.module));
    item.children = [
      ...node.fields.map((field) =>
        this.item(
          'field',
          field,
          { name: field.name, start: field.start, end: field.start + field.name.length },
          field.annotation ?? '',
        ),
      ),
      ...node.methods.map((method) => this.def(method, 'method')),
    ];
    return item;
  }

  private inner(node: Ast.Call | Ast.Method): Ast.Expr[] {
    const fn = node.block ?? node.args.find((arg): arg is Ast.Lambda => arg.type === 'Lambda');
    return fn?.body.stmts ?? [];
  }

  /** A route, a group of routes, or another call with a block. */
  private call(node: Ast.Method, out: OutlineItem[], prefix: string): void {
    const [path] = node.args;
    const word = ROUTE.exec(node.name)?.[1];
    if (word !== undefined && path?.type === 'Str' && path.value.startsWith('/') && isHandled(node)) {
      const verb = word === 'websocket' ? 'WEBSOCKET' : word.toUpperCase();
      out.push(this.named('route', node, `${verb} ${joined(prefix, path.value)}`, path));
      return;
    }
    if (node.name === 'group' && path?.type === 'Str') {
      const item = this.named('group', node, joined(prefix, path.value), path);
      this.statements(this.inner(node), item.children, joined(prefix, path.value).replace(/\/+$/, ''), true);
      out.push(item);
    } else this.statements(this.inner(node), out, prefix, true);
  }

  private testOrBlock(node: Ast.Call, out: OutlineItem[], prefix: string): void {
    const [name] = node.args;
    const isTest = node.callee.type === 'Ident' && TESTS.has(node.callee.name) && node.block !== null;
    if (!isTest) {
      this.statements(this.inner(node), out, prefix, true);
      return;
    }
    const text = node.args.find((arg) => arg.type === 'Str') ?? name;
    const item = this.named('test', node, text?.type === 'Str' ? text.value : 'test', text ?? node.callee);
    this.statements(this.inner(node), item.children, prefix, true);
    out.push(item);
  }

  private named(kind: OutlineKind, node: Ast.Node, name: string, { start, end }: Ast.Node): OutlineItem {
    return { ...this.item(kind, node, { name, start, end }), nameStart: start, nameEnd: end };
  }
}

/** Whether a call has a handler after the path: a block or a function. */
function isHandled({ args, block }: Ast.Method): boolean {
  if (block !== null) return true;
  const last = args.at(-1);
  return args.length > 1 && (last?.type === 'Lambda' || last?.type === 'Ident');
}

function joined(prefix: string, path: string): string {
  if (prefix === '') return path;
  return path === '/' ? prefix : prefix + path;
}

/** All items of an outline with the names of those around them. */
export function* flatOutline(
  items: readonly OutlineItem[],
  container = '',
): Generator<{ item: OutlineItem; container: string }> {
  for (const item of items) {
    yield { item, container };
    yield* flatOutline(item.children, item.name);
  }
}
