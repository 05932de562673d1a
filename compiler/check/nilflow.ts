import type * as Ast from '../ast.js';
import type { Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { walk, type Typed, walkFile } from './walk.js';

/** Nodes after which something may have been tested. */
const TESTS = new Set<Typed['type']>([
  'If',
  'Case',
  'CaseIn',
  'While',
  'For',
  'Logical',
  'Match',
  'Return',
  'Break',
  'Next',
  'Raise',
  'Begin',
]);
const OPERATORS = new Set(['+', '-', '*', '/', '//', '%', '**', '<', '<=', '>', '>=']);
/** Iterators that return nil if no element fits. */
const FINDING = new Set(['find', 'detect', 'find_index', 'rindex']);
/** Natives whose call is a test of their arguments. */
const ASSERTING = /^(assert|expect|check|require|ensure|halt)/;

/**
 * Reports values that may be nil where nil fails: results of searches and of functions that are declared to return nil,
 * and parameters of an optional type. Only before the first condition of a function, since what a condition tests is not
 * always visible; and only if a search depends on something other than the program's own constants.
 */
export function checkNil(checked: Checked, types: Types): void {
  const run = (stmts: readonly Ast.Expr[]): void => new Straight(checked, types).statements(stmts);
  run(checked.module.tree.stmts);
  walkFile(checked.module.tree, (node) => {
    if (node.type === 'Def') {
      if (node.body.rescues.length === 0) run(node.body.stmts);
    } else if (node.type === 'Method' && ['SvcApp', 'SvcGroup'].includes(types.of(node.recv) ?? '')) {
      const fn = node.block ?? node.args.find((arg): arg is Ast.Lambda => arg.type === 'Lambda');
      if (fn !== undefined && fn.body.rescues.length === 0) run(fn.body.stmts);
    }
  });
}

/** The statements of a function up to the first condition. */
class Straight {
  /** Variables that a function of the program has seen: it may have tested them. */
  private readonly passed = new Set<Variable>();
  private readonly reported = new Set<Variable>();

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
  ) {}

  statements(stmts: readonly Ast.Expr[]): void {
    for (const stmt of stmts) {
      if (stmt.type === 'Def' || stmt.type === 'RecordDecl' || stmt.type === 'InterfaceDecl') continue;
      if (this.tests(stmt)) return;
      this.uses(stmt);
    }
  }

  private tests(stmt: Ast.Expr): boolean {
    let found = false;
    walk(
      stmt,
      (node) => {
        found ||= TESTS.has(node.type);
        if (node.type === 'Call' && node.callee.type === 'Ident') found ||= ASSERTING.test(node.callee.name);
      },
      true,
    );
    return found;
  }

  private uses(stmt: Ast.Expr): void {
    const nodes: Typed[] = [];
    walk(stmt, (node) => void nodes.push(node), true);
    for (const node of nodes.sort((a, b) => a.end - b.end)) {
      if ((node.type === 'Member' || node.type === 'Method') && !node.safe) {
        if (this.fails(node.name)) this.use(node.recv, `'${node.name}'`);
      } else if (node.type === 'Index' && !node.safe) this.use(node.recv, '`[…]`');
      else if (node.type === 'Binary' && OPERATORS.has(node.op)) {
        this.use(node.left, `\`${node.op}\``);
        this.use(node.right, `\`${node.op}\``);
      } else if (node.type === 'Call') for (const arg of node.args) this.pass(arg);
    }
  }

  /** Whether nil has no method of a name. */
  private fails(name: string): boolean {
    return this.types.method('Nil', name) === null && name !== 'nil?' && name !== 'then';
  }

  private pass(arg: Ast.Arg): void {
    const variable = arg.type === 'Ident' ? this.types.fixed(arg) : null;
    if (variable !== null) this.passed.add(variable);
  }

  private use(node: Ast.Expr, how: string): void {
    const variable = this.types.fixed(node);
    if (variable !== null && (this.passed.has(variable) || this.reported.has(variable))) return;
    const value = variable === null ? node : this.types.valueOf(variable);
    // A variable of an enclosing function may have been tested there.
    const source = value === null ? this.parameter(node) : this.search(value);
    if (source === null) return;
    if (variable !== null) this.reported.add(variable);
    const name = node.type === 'Ident' ? `'${node.name}'` : 'this';
    this.checked.report(
      'warning',
      'may-be-nil',
      node,
      `${name} may be nil, which has no ${how}: ${source}`,
      'test it, use `&.`, or add a default with `or`',
    );
  }

  /** A parameter of an optional type, without a default other than nil. */
  private parameter(node: Ast.Expr): string | null {
    const annotation = this.types.annotation(node);
    return node.type === 'Ident' && annotation !== null && this.types.nilable(node) !== null
      ? `its type is ${annotation}`
      : null;
  }

  /** Why a value may be nil; null if that is not certain. */
  private search(node: Ast.Expr): string | null {
    if (node.type === 'Call') {
      if (this.types.nilable(node) === null || this.isConstant(node)) return null;
      return `${(node.callee as Ast.Ident).name}() returns ${this.types.declared(node)}`;
    }
    if ((node.type !== 'Method' && node.type !== 'Member') || node.safe || this.isConstant(node)) return null;
    const type = this.types.of(node.recv);
    if (type === null) return null;
    if (node.type === 'Method' && node.block !== null)
      return FINDING.has(node.name) && this.checked.resolution.templates.has(node)
        ? `${node.name} returns nil if no element fits`
        : null;
    return this.types.nilable(node) === null ? null : `${node.name} returns ${this.types.declared(node)}`;
  }

  /** Whether a value depends on nothing but literals: the program's author can see that it is found. */
  private isConstant(node: Ast.Expr): boolean {
    let constant = true;
    const inner = new Set<string>();
    walk(node, (part) => {
      if (part.type !== undefined && 'params' in part) for (const { name } of part.params) inner.add(name);
      if ('block' in part && part.block !== null) for (const { name } of part.block.params ?? []) inner.add(name);
    });
    walk(node, (part) => {
      if (part.type !== 'Ident' || inner.has(part.name) || part.name === 'it') return;
      // A call of a library function depends on its arguments.
      if (this.checked.resolution.symbols.get(part)?.kind === 'native') return;
      const variable = this.types.fixed(part);
      const value = variable === null ? null : this.types.valueOf(variable);
      if (value === null || !this.isConstant(value)) constant = false;
    });
    return constant;
  }
}
