import type * as Ast from '../../ast.js';
import type { Resolution, Symbol, Variable } from '../../symbols.js';
import type { Checked } from '../environment.js';
import { type Typed, walk, walkNodes } from '../walk.js';

/** Values that an expression depends on: variables, and fields of them such as `req.params`. null: too many to follow. */
export type Paths = ReadonlySet<string> | null;

/** Maximum number of variables and fields that are followed from one expression. */
const MAX_PATHS = 100;
/** Conditions around an assignment that are followed. */
const MAX_AROUND = 12;

/** Whether two expressions depend on the same value: on the same path, or one on a part of what the other has. */
export function related(a: Paths, b: Paths): boolean {
  if (a === null || b === null) return true;
  for (const one of a) for (const other of b) if (overlap(one, other)) return true;
  return false;
}

/** Whether a path is the same as another, or leads to a part of it, or contains it. */
export function overlap(one: string, other: string): boolean {
  if (one.length > other.length) return overlap(other, one);
  return other.startsWith(one) && (other.length === one.length || other[one.length] === '.');
}

/** The links of a chain of members, calls and indexes, from its first value outwards. */
function linksOf(node: Ast.Expr): Ast.Expr[] {
  const links: Ast.Expr[] = [];
  let next = node;
  while (next.type === 'Member' || next.type === 'Method' || next.type === 'Index') {
    links.unshift(next);
    next = next.recv;
  }
  return [next, ...links];
}

/** Finds what expressions of a file depend on. */
export class Relations {
  private readonly resolution: Resolution;
  private readonly ids = new Map<Variable, number>();
  private readonly variables: Variable[] = [];
  /** Expressions that decide which value a variable has: those assigned to it, and the conditions around. */
  private readonly decided = new Map<Variable, Ast.Expr[]>();
  private readonly ofPaths = new Map<string, Paths>();
  private readonly ofNodes = new WeakMap<object, Set<string>>();
  private readonly ofDefs = new Map<Ast.Def, Set<string>>();
  private readonly closures = new WeakMap<object, Paths>();
  /** Names of the methods of all records: `cart.full` may read all of `cart`. */
  private readonly methods = new Set<string>();

  constructor(checked: Checked) {
    this.resolution = checked.resolution;
    for (const all of this.resolution.methods.values())
      for (const { name } of all) this.methods.add(name.slice(name.indexOf('.') + 1));
    walkNodes(checked.module.tree, ['Def'], ({ body }) => this.decide(body));
    this.decide(checked.module.tree);
  }

  /** What an expression reads itself. */
  direct(node: object): Set<string> {
    let found = this.ofNodes.get(node);
    if (found === undefined) {
      found = this.mentions(node);
      this.ofNodes.set(node, found);
    }
    return found;
  }

  /** What an expression depends on, also through variables and the conditions under which they were assigned. */
  closure(node: Ast.Expr): Paths {
    const known = this.closures.get(node);
    if (known !== undefined) return known;
    const found = this.follow(this.direct(node));
    this.closures.set(node, found);
    return found;
  }

  /** The path of a variable or of a field; null for other expressions. */
  pathOf(node: Ast.Expr): string | null {
    const [first, ...links] = linksOf(node);
    const variable = first.type === 'Ident' ? this.variableOf(first) : null;
    if (variable === null) return null;
    const names = this.fieldsOf(links);
    return names.length < links.length ? null : [this.id(variable), ...names].join('.');
  }

  /** What the values of a path depend on, without the path itself. */
  behind(path: string): Paths {
    const known = this.ofPaths.get(path);
    if (known !== undefined) return known;
    const all = this.follow(new Set([path]));
    const own = path.split('.')[0];
    const others = all === null ? null : new Set([...all].filter((other) => other !== path && other !== own));
    this.ofPaths.set(path, others);
    return others;
  }

  /** The variable that a name stands for; for a copy in a `spawn`, the original. */
  variableOf(node: Ast.Node): Variable | null {
    const symbol: Symbol | undefined = this.resolution.symbols.get(node);
    return symbol?.kind === 'variable' ? (symbol.variable.copyOf ?? symbol.variable) : null;
  }

  pathOfVariable(variable: Variable): string {
    return this.id(variable);
  }

  /** The variables that a part of the program reads or assigns. */
  mentioned(node: object): Set<string> {
    const found = new Set<string>();
    walk(node, (part) => {
      const variable = this.variableOf(part);
      if (variable !== null) found.add(this.id(variable));
    });
    return found;
  }

  private id(variable: Variable): string {
    let id = this.ids.get(variable);
    if (id === undefined) {
      id = this.variables.push(variable) - 1;
      this.ids.set(variable, id);
    }
    return String(id);
  }

  private fieldsOf(links: readonly Ast.Expr[]): string[] {
    const names: string[] = [];
    for (const link of links) {
      if (link.type !== 'Member' || /[?!]$/.test(link.name) || this.methods.has(link.name)) break;
      names.push(link.name);
    }
    return names;
  }

  private mentions(root: object): Set<string> {
    const found = new Set<string>();
    const inChains = new Set<Ast.Node>();
    const visit = (node: Typed): void => {
      if ((node.type === 'Member' || node.type === 'Method' || node.type === 'Index') && !inChains.has(node)) {
        const links = linksOf(node);
        for (const link of links) inChains.add(link);
        if (links[0].type === 'Ident') this.mention(links[0], this.fieldsOf(links.slice(1)), found);
      } else if (node.type === 'Ident') {
        if (!inChains.has(node)) this.mention(node, [], found);
        const symbol = this.resolution.symbols.get(node);
        if (symbol?.kind === 'def' && symbol.node.type === 'Def' && found.size <= MAX_PATHS)
          for (const path of this.globalsOf(symbol.node)) found.add(path);
      }
    };
    walk(root, visit);
    return found;
  }

  /** What a function reads beside its parameters. */
  private globalsOf(def: Ast.Def): Set<string> {
    let found = this.ofDefs.get(def);
    if (found !== undefined) return found;
    // A function that calls itself reads nothing more.
    this.ofDefs.set(def, new Set());
    found = new Set([...this.direct(def.body)].filter((path) => this.variableIn(path).scope.isModuleRoot));
    this.ofDefs.set(def, found);
    return found;
  }

  private variableIn(path: string): Variable {
    return this.variables[Number(path.split('.')[0])];
  }

  private mention(node: Ast.Ident, fields: readonly string[], found: Set<string>): void {
    const variable = this.variableOf(node);
    if (variable !== null && found.size <= MAX_PATHS) found.add([this.id(variable), ...fields].join('.'));
  }

  private follow(start: ReadonlySet<string>): Paths {
    const found = new Set(start);
    const seen = new Set<Variable>();
    // Entries that are added during the loop are visited, too.
    for (const path of found) {
      const variable = this.variableIn(path);
      if (seen.has(variable)) continue;
      seen.add(variable);
      for (const node of this.decided.get(variable) ?? []) for (const other of this.direct(node)) found.add(other);
      if (found.size > MAX_PATHS) return null;
    }
    return found;
  }

  // ---- what decides which value a variable has

  /** Notes all assignments in a function, with the conditions around them. Iterative, because trees may be deep. */
  private decide(root: object): void {
    const stack: { node: unknown; around: readonly Ast.Expr[] }[] = [{ node: root, around: [] }];
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      const { node, around } = item;
      if (node === null || typeof node !== 'object') continue;
      if ((node as Typed).type === 'Def') continue;
      const enter = (inner: unknown, more: readonly Ast.Expr[] = around): void =>
        void stack.push({ node: inner, around: more.slice(-MAX_AROUND) });
      if (Array.isArray(node)) statements(node as Typed[], around, enter);
      else this.entries(node as Typed, around, enter);
    }
  }

  private entries(node: Typed, around: readonly Ast.Expr[], enter: Enter): void {
    this.assigned(node, around);
    if (node.type === 'If') {
      const conds = [...around];
      for (const { cond, body } of node.clauses) {
        enter(cond);
        conds.push(cond);
        enter(body, conds);
      }
      enter(node.else, conds);
    } else if (node.type === 'While') {
      enter(node.cond);
      enter(node.body, [...around, node.cond]);
    } else if (node.type === 'Logical') {
      enter(node.left);
      enter(node.right, [...around, node.left]);
    } else if ((node.type === 'Case' || node.type === 'CaseIn') && node.subject !== null) {
      const inside = [...around, node.subject];
      for (const value of Object.values(node)) enter(value, value === node.subject ? around : inside);
    } else for (const value of Object.values(node)) if (typeof value === 'object') enter(value);
  }

  private assigned(node: Typed, around: readonly Ast.Expr[]): void {
    switch (node.type) {
      case 'Assign':
      case 'OpAssign':
        this.note(node.target, [node.value, ...around]);
        break;
      case 'MultiAssign':
        walk(node.targets, (target) => this.note(target, [node.value, ...around]));
        break;
      case 'HashDestructure':
        for (const { name } of node.entries) this.note(name, [node.value, ...around]);
        break;
      // `errors << "no user"` and `errors.push(…)` may change the value of a variable.
      case 'Binary':
        if (node.op === '<<') this.note(node.left, around);
        break;
      case 'Method':
        this.note(node.recv, around);
        break;
      default:
    }
  }

  private note(target: Ast.Node, by: readonly Ast.Expr[]): void {
    const [first] = linksOf(target as Ast.Expr);
    const variable = this.variableOf(first);
    if (variable === null || by.length === 0) return;
    const all = this.decided.get(variable) ?? [];
    this.decided.set(variable, all);
    if (all.length <= MAX_PATHS) all.push(...by);
  }
}

type Enter = (inner: unknown, around?: readonly Ast.Expr[]) => void;

/** Statements after one that may leave depend on its conditions. */
function statements(nodes: readonly Typed[], around: readonly Ast.Expr[], enter: Enter): void {
  let before = around;
  for (const node of nodes) {
    enter(node, before);
    if (node !== null && node.type === 'If' && mayLeave(node))
      before = [...before, ...node.clauses.map(({ cond }) => cond)].slice(-MAX_AROUND);
  }
}

function mayLeave(node: Ast.If): boolean {
  let found = false;
  walk(
    node.clauses.map(({ body }) => body),
    ({ type }) => {
      found ||= type === 'Return' || type === 'Break' || type === 'Next' || type === 'Raise';
    },
    true,
  );
  return found;
}
