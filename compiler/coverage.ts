import { lineStarts, positionAt } from '../vm/bytecode/position.js';
import type * as Ast from './ast.js';
import type { ModuleScope } from './symbols.js';

/** A way that a branch can take, and the number of the counter that counts it. */
export interface CoverageArm {
  readonly what: string;
  readonly counter: number;
}

/** A place where a program goes one way or another. */
export interface CoverageBranch {
  readonly line: number;
  /** Offset in the source text. */
  readonly start: number;
  readonly arms: readonly CoverageArm[];
}

/** What is counted in a source file. Each part has the number of its counter. */
export interface CoverageFile {
  readonly path: string;
  readonly statements: { readonly line: number; readonly counter: number }[];
  readonly branches: CoverageBranch[];
  readonly functions: { readonly name: string; readonly line: number; readonly counter: number }[];
}

/** Statements that declare something and do nothing when they are reached. */
const DECLARATIONS: ReadonlySet<string> = new Set([
  'Def',
  'RecordDecl',
  'InterfaceDecl',
  'EnumDecl',
  'ErrorDecl',
  'UseModule',
  'ExportNames',
  'Error',
]);

/** Parts of nodes that are no code of the program: patterns, and types of literal hashes. */
const SKIPPED: ReadonlySet<string> = new Set([
  'pattern',
  'patterns',
  'types',
  'interfaces',
  'targets',
  'params',
  'fields',
]);

/** Numbers the counters of a program. */
export class Coverage {
  readonly files: CoverageFile[] = [];
  private count = 0;

  /** Adds calls that count to the tree of a file. Templates are left as they are. */
  add(module: ModuleScope): void {
    if (module.path.endsWith('.erb')) return;
    const file: CoverageFile = { path: module.path, statements: [], branches: [], functions: [] };
    this.files.push(file);
    new FileCounters(file, lineStarts(module.text), () => this.count++).all(module.tree);
    file.branches.sort((a, b) => a.line - b.line || a.start - b.start);
    file.functions.sort((a, b) => a.line - b.line);
  }
}

/** Adds calls that count to one file. The tree is changed in place, because declarations refer to its nodes. */
class FileCounters {
  constructor(
    private readonly file: CoverageFile,
    private readonly starts: readonly number[],
    private readonly next: () => number,
  ) {}

  /** Iterative, because trees may be deep. */
  all(tree: Ast.Module): void {
    const stack: object[] = [tree];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      for (const [key, value] of Object.entries(node) as [string, unknown][])
        if (value !== null && typeof value === 'object' && !SKIPPED.has(key)) stack.push(value);
      if ('type' in node) this.branch(node as Ast.Expr);
      if ('stmts' in node) this.body(node as Ast.Body | Ast.Module);
      else if ('params' in node && 'body' in node && !('type' in node)) this.entered('block', node as Ast.Block);
    }
  }

  private lineOf({ start }: Ast.Node): number {
    return positionAt(this.starts, start).line;
  }

  private placeOf(node: Ast.Node): { line: number; start: number } {
    return { line: this.lineOf(node), start: node.start };
  }

  /** The statements of a function, a block, `begin` or a file. */
  private body(body: Ast.Body | Ast.Module): void {
    this.statements(body.stmts);
    if (!('rescues' in body)) return;
    if (body.rescues.length > 0)
      this.file.branches.push({
        ...this.placeOf(body.rescues[0]),
        arms: body.rescues.map((clause, i) => ({ what: `rescue ${i + 1}`, counter: this.enter(clause.body, clause) })),
      });
    for (const { body: stmts } of body.rescues) this.statements(stmts);
    if (body.else !== null) this.statements(body.else);
    if (body.ensure !== null) this.statements(body.ensure);
  }

  private branch(node: Ast.Expr): void {
    switch (node.type) {
      case 'If':
        for (const clause of node.clauses) {
          clause.cond = this.asked(clause.cond, ['true', 'false']);
          this.statements(clause.body);
        }
        if (node.else !== null) this.statements(node.else);
        break;
      case 'While':
        node.cond = this.asked(node.cond, ['true', 'false']);
        this.statements(node.body);
        break;
      case 'For':
        this.statements(node.body);
        break;
      case 'Logical':
        node.left = this.asked(
          node.left,
          node.op === 'and' ? ['right side', 'left side only'] : ['left side only', 'right side'],
        );
        break;
      case 'OpAssign':
        if (node.op === '||' || node.op === '&&') node.counter = this.ways(node, ['replaced', 'kept']);
        break;
      case 'Member':
      case 'Method':
      case 'Index':
        if (node.safe) node.recv = this.asked(node.recv, ['a value', 'nil'], '%branch_nil');
        break;
      case 'Case':
        this.cases(node, node.whens);
        break;
      case 'CaseIn':
        this.cases(node, node.clauses);
        break;
      case 'Def':
        this.function(node);
        break;
      case 'Lambda':
        this.entered('lambda', node);
    }
  }

  /** The clauses of a `case`. One without `else` gets one that counts, except where no fitting clause is an error. */
  private cases(node: Ast.Case | Ast.CaseIn, clauses: readonly (Ast.When | Ast.InClause)[]): void {
    const arms = clauses.map(({ body }, i) => ({ what: `clause ${i + 1}`, counter: this.enter(body, node) }));
    for (const { body } of clauses) this.statements(body);
    if (node.else === null && node.type === 'Case') {
      node.else = [];
      arms.push({ what: 'no clause', counter: this.enter(node.else, node) });
    } else if (node.else !== null) {
      arms.push({ what: 'else', counter: this.enter(node.else, node) });
      this.statements(node.else);
    }
    this.file.branches.push({ ...this.placeOf(node), arms });
  }

  private function(node: Ast.Def): void {
    const counter = this.enter(node.body.stmts, node);
    this.file.functions.push({ name: node.name.name, line: this.lineOf(node), counter });
  }

  /** A block or a lambda: whether it runs. */
  private entered(what: string, node: Ast.Block | Ast.Lambda): void {
    const counter = this.enter(node.body.stmts, node.body);
    this.file.branches.push({ ...this.placeOf(node), arms: [{ what, counter }] });
  }

  /** Counts each of the statements before it runs. */
  private statements(stmts: Ast.Expr[]): void {
    const counted = stmts.flatMap((stmt) => {
      if (DECLARATIONS.has(stmt.type) || isCounter(stmt)) return [stmt];
      const counter = this.next();
      this.file.statements.push({ line: this.lineOf(stmt), counter });
      return [counting(counter, stmt), stmt];
    });
    stmts.splice(0, stmts.length, ...counted);
  }

  /** Counts at the beginning of statements; returns the counter. */
  private enter(stmts: Ast.Expr[], { start, end }: Ast.Node): number {
    const counter = this.next();
    if (stmts.length === 0) stmts.push({ type: 'Nil', start: -1, end });
    stmts.unshift(counting(counter, { start, end }));
    return counter;
  }

  /** A condition whose outcomes `native` counts. */
  private asked(cond: Ast.Expr, names: readonly [string, string], native = '%branch'): Ast.Expr {
    return call(native, [int(this.ways(cond, names), cond), cond], cond);
  }

  /** A branch with two ways; returns the counter of the first. That of the second follows. */
  private ways(node: Ast.Expr, names: readonly [string, string]): number {
    const counter = this.next();
    this.next();
    this.file.branches.push({ ...this.placeOf(node), arms: names.map((what, i) => ({ what, counter: counter + i })) });
    return counter;
  }
}

/** Whether a statement was added here: a counter, or the value of an empty body. */
function isCounter(stmt: Ast.Expr): boolean {
  return (
    (stmt.type === 'Nil' && stmt.start < 0) ||
    (stmt.type === 'Call' && stmt.callee.type === 'Ident' && stmt.callee.name === '%cover')
  );
}

function int(value: number, { start, end }: Ast.Node): Ast.Int {
  return { type: 'Int', value, start, end };
}

function call(name: string, args: Ast.Expr[], { start, end }: Ast.Node): Ast.Call {
  return { type: 'Call', callee: { type: 'Ident', name, start, end }, args, block: null, start, end };
}

function counting(counter: number, at: Ast.Node): Ast.Call {
  return call('%cover', [int(counter, at)], at);
}
