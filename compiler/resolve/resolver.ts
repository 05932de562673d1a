import { exitVariable, runsLater } from './blockexits.js';
import { leavesBlock } from './dispatched.js';
import type * as Ast from '../ast.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { eachPart } from '../matchparts.js';
import { spineOf } from '../spine.js';
import {
  FunctionScope,
  Scope,
  type DefSymbol,
  type ModuleScope,
  type Resolution,
  type Symbol,
  nameOfRecord,
  type Variable,
} from '../symbols.js';
import { settleAnnotation } from './annotations.js';
import { checkDeclarations, checkExports, checkRepeated } from './declarations.js';
import { ForeignWords } from './foreignnames.js';
import { checkAssigned, membersOf, type Members } from './recordmembers.js';
import { moduleSymbol, type Names } from './outernames.js';

/**
 * Resolves every name and decides where every variable lives, by the rules of docs/language.md, "Scope". Walks the tree
 * in the order of execution, because a block's variables begin at their first assignment. Bodies of `def` come last,
 * because they see all variables of the file.
 */
export class Resolver {
  scope: Scope;
  /** Number of loops and branches around the current place, within the function. */
  loopDepth = 0;
  branchDepth = 0;
  private readonly pending: Ast.Def[] = [];
  /** Variables that are the implicit `it` of a block. */
  private readonly implicitVariables = new Set<Variable>();
  private readonly implicitBlocks: { block: Ast.Block; scope: Scope }[] = [];
  private readonly foreign = new ForeignWords();
  /** The record whose methods are being resolved. */
  private members: Members | null = null;
  private readonly report = this.error.bind(this);

  constructor(
    readonly module: ModuleScope,
    readonly resolution: Resolution,
    readonly names: Names,
    private readonly diagnostics: Diagnostic[],
  ) {
    this.scope = module.main.root;
  }

  /** Resolves a single function. */
  define(def: Ast.Def): void {
    this.pending.push(def);
    this.pendingBodies();
  }

  run(): void {
    this.resolution.functions.set(this.module.tree, this.module.main);
    checkDeclarations(this.module, this.names, this.report);
    this.statements(this.module.tree.stmts);
    checkExports(this.module, this.report);
    this.pendingBodies();
    for (const [, symbol] of this.module.symbols)
      if (symbol.kind === 'def' && symbol.node.type === 'RecordDecl') {
        this.recordFields(symbol.node);
        this.recordMethods(symbol, symbol.node);
      }
  }

  error(code: string, node: Ast.Node, message: string, hint = ''): void {
    this.diagnostics.push({
      code,
      severity: 'error',
      message,
      file: this.module.path,
      start: node.start,
      end: node.end,
      labels: [],
      hint,
    });
  }

  get fn(): FunctionScope {
    return this.scope.fn;
  }

  statements(nodes: readonly Ast.Expr[]): void {
    for (const node of nodes) this.expr(node);
  }

  /** Resolves code that may be skipped at run time. */
  branch(resolve: () => void): void {
    this.branchDepth++;
    resolve();
    this.branchDepth--;
  }

  private maybe(skipped: boolean, resolve: () => void): void {
    if (skipped) this.branch(resolve);
    else resolve();
  }

  loop(resolve: () => void): void {
    this.loopDepth++;
    this.branch(resolve);
    this.loopDepth--;
  }

  /** Resolves one expression; left-deep chains iteratively. */
  expr(node: Ast.Expr): void {
    const chain = spineOf(node);
    const [, second] = chain;
    if (this.members !== null && second?.type === 'Call') this.ownCall(second);
    this.leaf(chain[0]);
    for (let i = 1; i < chain.length; i++) this.link(chain[i]);
  }

  /** Resolves the rest of a chain's node; its left part is already resolved. */
  private link(node: Ast.Expr): void {
    switch (node.type) {
      case 'Binary':
        this.expr(node.right);
        break;
      case 'Logical':
        this.branch(() => this.expr(node.right));
        break;
      case 'Index':
        this.maybe(node.safe, () => this.indexes(node.args));
        break;
      case 'Member':
        this.namespaceMember(node);
        break;
      case 'Method':
        this.namespaceMember(node);
        this.maybe(node.safe, () => this.methodRest(node));
        break;
      case 'Call':
        this.args(node.args);
        this.callBlock(node);
        break;
      default:
        break;
    }
  }

  /** A variable of another file that is accessed through its namespace. */
  private namespaceMember({ recv, name }: Ast.Method | Ast.Member): void {
    const symbol = recv.type === 'Ident' ? this.resolution.symbols.get(recv) : undefined;
    const variable = symbol?.kind === 'namespace' ? symbol.module.main.root.names.get(name) : undefined;
    if (variable === undefined || symbol?.kind !== 'namespace' || !symbol.module.offers(name)) return;
    variable.captured = true;
    variable.global = true;
  }

  private methodRest(node: Ast.Method): void {
    this.args(node.args);
    if (node.index !== undefined) this.args([node.index]);
    if (node.block !== null) this.methodBlock(node, node.block);
  }

  private indexes(args: readonly (Ast.Expr | Ast.Splat)[]): void {
    for (const arg of args) {
      if (arg.type === 'Splat')
        this.error(
          'splat-in-index',
          arg,
          `\`${arg.double ? '**' : '*'}\` cannot stand in an index; write the index itself, or a range for several elements`,
        );
      this.expr(arg.type === 'Splat' ? arg.value : arg);
    }
  }

  args(args: readonly Ast.Arg[]): void {
    let isNamed = false;
    for (const arg of args) {
      if (arg.type === 'NamedArg') isNamed = true;
      else if (isNamed && arg.type !== 'Splat')
        this.error('argument-order', arg, 'positional arguments come before the named ones');
      this.expr(arg.type === 'NamedArg' || arg.type === 'Splat' ? arg.value : arg);
    }
  }

  private leaf(node: Ast.Expr): void {
    switch (node.type) {
      case 'Ident':
        this.read(node);
        break;
      case 'Interp':
      case 'Regex':
        this.statements(node.parts);
        break;
      case 'Vector':
        this.args(node.items);
        break;
      case 'Hash':
        this.hashLiteral(node);
        break;
      case 'Range':
        this.expr(node.lo);
        if (node.hi !== null) this.expr(node.hi);
        break;
      case 'Lambda':
        this.lambda(node);
        break;
      case 'Unary':
      case 'Await':
        this.expr(node.operand);
        break;
      case 'Assign':
      case 'OpAssign':
      case 'MultiAssign':
      case 'HashDestructure':
      case 'ConstDecl':
        this.assignment(node);
        break;
      case 'Return':
      case 'Break':
      case 'Next':
        if (node.value !== null) this.expr(node.value);
        break;
      case 'Raise':
        this.args(node.args);
        break;
      case 'Def':
        this.pending.push(node);
        break;
      case 'UseModule':
      case 'ExportNames':
      case 'RecordDecl':
      case 'InterfaceDecl':
      case 'EnumDecl':
        break;
      default:
        this.control(node);
    }
  }

  private control(node: Ast.Expr): void {
    switch (node.type) {
      case 'If':
        this.conditional(node);
        break;
      case 'While':
        this.loop(() => {
          this.expr(node.cond);
          this.statements(node.body);
        });
        break;
      case 'For':
        this.forLoop(node);
        break;
      case 'Case':
        this.caseOf(node);
        break;
      case 'CaseIn':
        this.caseIn(node);
        break;
      case 'Match':
        this.expr(node.subject);
        this.branch(() => this.matchPattern(node.pattern));
        break;
      case 'Begin':
        this.body(node.body);
        break;
      default:
        break;
    }
  }

  private hashLiteral(node: Ast.HashLit): void {
    for (const entry of node.entries) {
      if (entry.type === 'Pair') this.expr(entry.key);
      this.expr(entry.value);
    }
  }

  private conditional(node: Ast.If): void {
    node.clauses.forEach((clause, i) => {
      if (i === 0) this.expr(clause.cond);
      else this.branch(() => this.expr(clause.cond));
      this.branch(() => this.statements(clause.body));
    });
    const otherwise = node.else;
    if (otherwise !== null) this.branch(() => this.statements(otherwise));
  }

  private caseOf(node: Ast.Case): void {
    if (node.subject !== null) this.expr(node.subject);
    this.branch(() => {
      for (const when of node.whens) {
        this.args(when.patterns);
        this.statements(when.body);
      }
      if (node.else !== null) this.statements(node.else);
    });
  }

  private caseIn(node: Ast.CaseIn): void {
    this.expr(node.subject);
    this.branch(() => {
      for (const { pattern, guard, body } of node.clauses) {
        this.matchPattern(pattern);
        if (guard !== null) this.expr(guard);
        this.statements(body);
      }
      if (node.else !== null) this.statements(node.else);
    });
  }

  private matchPattern(pattern: Ast.MatchPattern): void {
    checkRepeated(pattern, this.report);
    eachPart(
      pattern,
      (value) => this.expr(value),
      (name) => this.assign(name, name.name as string),
    );
  }

  private forLoop(node: Ast.For): void {
    this.expr(node.iter);
    this.loop(() => {
      for (const target of node.targets) this.pattern(target, true);
      this.statements(node.body);
    });
  }

  body(body: Ast.Body): void {
    const guarded = body.rescues.length > 0 || body.ensure !== null;
    const resolve = (): void => {
      this.statements(body.stmts);
      for (const rescue of body.rescues) this.rescue(rescue);
      if (body.else !== null) this.statements(body.else);
    };
    // `retry` runs the body again, so a body with handlers counts as a loop.
    if (body.rescues.length > 0) this.loop(resolve);
    else if (guarded) this.branch(resolve);
    else resolve();
    if (body.ensure !== null) this.statements(body.ensure);
  }

  private rescue(rescue: Ast.Rescue): void {
    this.statements(rescue.types);
    if (rescue.name !== null) this.assign(rescue.name, rescue.name.name);
    this.statements(rescue.body);
  }

  // ---- names

  /** What a name refers to where it is read. */
  symbolOf(node: Ast.Node, name: string): Symbol {
    const variable = this.find(name);
    if (variable !== null) {
      // Read in the value of its own first assignment: it must be nil there, in every iteration.
      if (variable.assignments === 0) variable.conditional = true;
      return { kind: 'variable', variable: this.reach(variable, node) };
    }
    return this.names.lookup(name, this.module, this.scope);
  }

  private read(node: Ast.Ident): void {
    if (this.members !== null && this.ownMember(node)) return;
    if (node.name === '_1' && this.find('_1') === null && this.implicitBlocks.length > 0) node.name = 'it';
    const implicit = node.name === 'it' && this.meansOwnIt() ? this.implicitParameter(node) : null;
    let symbol = implicit ?? this.symbolOf(node, node.name);
    if (symbol.kind === 'unknown' && node.name === 'it') symbol = this.implicitParameter(node) ?? symbol;
    this.resolution.symbols.set(node, symbol);
    if (symbol.kind !== 'unknown' || this.module.isPrelude) return;
    const foreign = this.foreign.find(node, this.module.text);
    if (foreign !== null) this.error('foreign-form', node, foreign.message, foreign.hint);
  }

  /**
   * Whether `it` must be a new parameter: the visible `it` belongs to an outer block, and the innermost block without
   * parameters has none yet.
   */
  private meansOwnIt(): boolean {
    const visible = this.find('it');
    const inner = this.implicitBlocks[this.implicitBlocks.length - 1];
    return (
      visible !== null && inner !== undefined && this.implicitVariables.has(visible) && inner.scope !== visible.scope
    );
  }

  /** The visible variable with this name, or null. */
  find(name: string): Variable | null {
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent) {
      const variable = scope.names.get(name);
      if (variable !== undefined) return variable;
    }
    return null;
  }

  /** Records that the current function uses `variable`. Inside a `spawn` block it uses a copy. */
  reach(variable: Variable, node: Ast.Node): Variable {
    let target = variable;
    const path: FunctionScope[] = [];
    for (let fn = this.fn; fn !== variable.scope.fn; fn = fn.parent) {
      path.unshift(fn);
      if (fn.parent === null) break;
    }
    for (const fn of path)
      target = fn.kind === 'spawn' && !target.isConstant ? this.copyInto(fn, target) : this.capture(fn, target, node);
    return target;
  }

  private copyInto(fn: FunctionScope, variable: Variable): Variable {
    const copy = fn.root.declare(variable.name, false, variable);
    copy.assignments = 1;
    return copy;
  }

  private capture(fn: FunctionScope, variable: Variable, node: Ast.Node): Variable {
    variable.captured = true;
    if (variable.assignments === 0) variable.shared = true;
    if (variable.scope.isModuleRoot && fn.owner.kind === 'def') {
      variable.global = true;
      if (!fn.owner.globalReads.has(variable.name)) fn.owner.globalReads.set(variable.name, node);
    }
    if (!fn.captures.includes(variable)) fn.captures.push(variable);
    return variable;
  }

  /** Finds or declares the variable that an assignment to `name` sets. */
  assign(node: Ast.Node, name: string, isConstant = false): Variable {
    let variable = this.find(name);
    if (this.members !== null)
      checkAssigned(this.members, node, name, variable === null || !this.mayAssign(variable), this.report);
    if (variable !== null && !this.mayAssign(variable)) {
      this.checkGlobalRead(name);
      variable = null;
    }
    if (variable === null) variable = this.merged(name);
    if (variable !== null && variable.scope.fn.module !== this.module) {
      variable.shared = true;
    } else if (variable === null) {
      variable = this.scope.declare(name, isConstant);
      variable.conditional = this.branchDepth > this.scope.branchDepth;
    } else if (variable.scope.fn !== this.fn) {
      variable = this.reach(variable, node);
    }
    if (variable.scope.fn === this.fn && this.loopDepth > variable.scope.loopDepth) variable.shared = true;
    variable.assignments++;
    this.resolution.symbols.set(node, { kind: 'variable', variable });
    return variable;
  }

  /**
   * The variable of a file that this one requires. Its names are merged into this file, so the top level may assign
   * them.
   */
  private merged(name: string): Variable | null {
    if (this.fn.owner.kind !== 'main' || this.module.symbols.has(name)) return null;
    const symbol = moduleSymbol(name, this.module, new Set());
    return symbol?.kind === 'variable' ? symbol.variable : null;
  }

  /** A `def` never assigns variables of the file: a name it assigns is local. */
  private mayAssign(variable: Variable): boolean {
    return variable.scope.fn.owner === this.fn.owner;
  }

  private checkGlobalRead(name: string): void {
    const read = this.fn.owner.globalReads.get(name);
    if (read === undefined) return;
    this.error(
      'local-before-assignment',
      read,
      `'${name}' is read here before this function assigns it`,
      `an assignment makes '${name}' a local of the function; pass the top-level '${name}' as an argument, or use another name`,
    );
  }

  private implicitParameter(node: Ast.Node): Symbol | null {
    const inner = this.implicitBlocks[this.implicitBlocks.length - 1];
    if (inner === undefined) return null;
    const variable = inner.scope.declare('it');
    variable.assignments = 1;
    this.implicitVariables.add(variable);
    this.resolution.implicit.set(inner.block, variable);
    return { kind: 'variable', variable: this.reach(variable, node) };
  }

  pattern(pattern: Ast.Pattern, perIteration = false): void {
    if (pattern.type === 'GroupPattern') {
      for (const item of pattern.items) this.pattern(item, perIteration);
      return;
    }
    if (pattern.name === null) return;
    const known = this.find(pattern.name);
    const fresh = known === null || !this.mayAssign(known);
    const variable = this.assign(pattern, pattern.name);
    if (perIteration && fresh) {
      variable.perIteration = true;
      variable.shared = false;
    }
  }

  // ---- assignments

  private assignment(node: Ast.Assign | Ast.OpAssign | Ast.MultiAssign | Ast.HashDestructure | Ast.ConstDecl): void {
    switch (node.type) {
      case 'Assign':
        this.plainAssignment(node);
        break;
      case 'OpAssign':
        this.opAssignment(node);
        break;
      case 'ConstDecl':
        this.constant(node);
        break;
      case 'MultiAssign':
        this.expr(node.value);
        for (const target of node.targets) this.target(target);
        break;
      default:
        this.expr(node.value);
        for (const { name } of node.entries) this.assign(name, name.name);
    }
  }

  private plainAssignment(node: Ast.Assign): void {
    if (node.target.type !== 'Ident') {
      this.target(node.target);
      this.expr(node.value);
      return;
    }
    // The name is declared before its value is resolved, so that a function in the value can call itself.
    const { name } = node.target;
    const existing = this.find(name) ?? this.merged(name);
    if (existing !== null) {
      this.expr(node.value);
      if (this.keepsValue(existing)) this.resolution.reassigned.add(node);
      else this.assign(node.target, name);
      return;
    }
    const variable = this.assign(node.target, name);
    variable.assignments = 0;
    this.expr(node.value);
    // Its value assigns it, perhaps in a loop that does not run, so reads in the value must find nil.
    if (variable.assignments > 0) variable.conditional = true;
    variable.assignments++;
  }

  private opAssignment(node: Ast.OpAssign): void {
    const { target } = node;
    if (target.type !== 'Ident') {
      this.target(target);
    } else {
      const variable = this.find(target.name) ?? this.merged(target.name);
      if (variable !== null && node.op !== '||' && node.op !== '&&' && this.keepsValue(variable)) {
        this.resolution.reassigned.add(node);
        this.expr(node.value);
        return;
      }
      if (variable !== null && variable.scope.fn.module === this.module && !this.mayAssign(variable))
        this.reach(variable, target);
      const assigned = this.assign(target, target.name);
      if (assigned.assignments === 1) assigned.conditional = true;
    }
    if (node.op === '||' || node.op === '&&') this.branch(() => this.expr(node.value));
    else this.expr(node.value);
  }

  private constant(node: Ast.ConstDecl): void {
    this.expr(node.value);
    const existing = this.find(node.name.name) ?? this.merged(node.name.name);
    if (existing !== null && this.keepsValue(existing)) {
      this.resolution.reassigned.add(node);
      return;
    }
    const variable = this.assign(node.name, node.name.name, true);
    if (this.loopDepth > variable.scope.loopDepth) {
      this.resolution.repeated.add(node);
      variable.conditional = true;
    }
  }

  /** Whether a variable is a constant visible in this scope, which keeps its first value. */
  private keepsValue(variable: Variable): boolean {
    return variable.isConstant && (variable.scope.fn.module !== this.module || this.mayAssign(variable));
  }

  target(target: Ast.Target | Ast.SplatTarget | Ast.GroupTarget): void {
    switch (target.type) {
      case 'Ident':
        this.assign(target, target.name);
        break;
      case 'Member':
        this.expr(target.recv);
        break;
      case 'Index':
        this.expr(target.recv);
        this.indexes(target.args);
        break;
      case 'SplatTarget':
        if (target.target !== null) this.target(target.target);
        break;
      default:
        for (const inner of target.targets) this.target(inner);
    }
  }

  // ---- functions

  /** Resolves in a new function. Its body starts outside all loops and branches. */
  inFunction(node: Ast.Node, fn: FunctionScope, resolve: () => void): void {
    this.resolution.functions.set(node, fn);
    const { scope, loopDepth, branchDepth } = this;
    this.scope = fn.root;
    this.loopDepth = 0;
    this.branchDepth = 0;
    resolve();
    this.scope = scope;
    this.loopDepth = loopDepth;
    this.branchDepth = branchDepth;
  }

  private lambda(node: Ast.Lambda): void {
    this.inFunction(node, new FunctionScope('lambda', this.fn, this.scope, this.module), () => {
      this.params(node.params);
      this.body(node.body);
    });
  }

  params(params: readonly Ast.Param[]): void {
    const seen = new Set<string>();
    for (const param of params) {
      settleAnnotation(param, (name) =>
        this.find(name) === null ? this.names.lookup(name, this.module, this.scope) : null,
      );
      if (param.default !== null) this.branch(() => this.expr(param.default as Ast.Expr));
      if (
        (param.kind === 'rest' || param.kind === 'options') &&
        param !== params.find(({ kind }) => kind === param.kind)
      )
        this.error(
          'duplicate-parameter',
          param,
          `only one parameter can be a \`${param.kind === 'rest' ? '*' : '**'}\` parameter`,
        );
      if (param.pattern !== null) for (const item of param.pattern) this.parameterPattern(item, seen);
      else this.parameter(param, param.name, seen);
    }
  }

  /** Declares a parameter. A second `_` becomes a variable without a name. */
  private parameter(node: Ast.Node, name: string, seen: Set<string>): void {
    const again = seen.has(name);
    if (again && name !== '_')
      this.error(
        'duplicate-parameter',
        node,
        `duplicate parameter '${name}'`,
        'give it another name; only `_` may repeat',
      );
    seen.add(name);
    const variable = this.scope.declare(again ? '' : name);
    variable.assignments = 1;
    this.resolution.symbols.set(node, { kind: 'variable', variable });
  }

  private parameterPattern(pattern: Ast.Pattern, seen: Set<string>): void {
    if (pattern.type === 'GroupPattern') for (const item of pattern.items) this.parameterPattern(item, seen);
    else if (pattern.name !== null) this.parameter(pattern, pattern.name, seen);
  }

  private pendingBodies(): void {
    for (let def = this.pending.shift(); def !== undefined; def = this.pending.shift()) this.defBody(def);
  }

  private defBody(node: Ast.Def): void {
    this.inFunction(node, new FunctionScope('def', this.module.main, this.module.main.root, this.module), () => {
      this.params(node.params);
      this.body(node.body);
    });
  }

  private recordFields(node: Ast.RecordDecl): void {
    const names = node.fields.map(({ name }) => name);
    const again = node.fields.filter(({ name }, i) => names.indexOf(name) < i);
    for (const field of again)
      this.error(
        'duplicate-field',
        field,
        `duplicate field '${field.name}' of ${node.isLiteral ? '' : 'record '}${nameOfRecord(node)}`,
        'remove it, or give it another name',
      );
    if (again.length > 0) return;
    this.inFunction(node, new FunctionScope('def', this.module.main, this.module.main.root, this.module), () =>
      this.params(node.fields),
    );
  }

  private recordMethods(record: DefSymbol, node: Ast.RecordDecl): void {
    const { symbols, members } = membersOf(record, node, this.resolution, this.report);
    this.resolution.methods.set(node, symbols);
    for (const symbol of symbols) this.in(symbol.module).method(symbol.node as Ast.Def, members);
  }

  /** A resolver for code of another file, such as the methods of its interfaces. */
  private in(module: ModuleScope): Resolver {
    return module === this.module ? this : new Resolver(module, this.resolution, this.names, this.diagnostics);
  }

  private method(node: Ast.Def, members: Members): void {
    this.members = members;
    this.defBody(node);
    this.members = null;
    this.pendingBodies();
  }

  /**
   * In a method: a name that is no variable of the method but a field or method of the record means that of `self`.
   * Changes the node accordingly.
   */
  private ownMember(node: Ast.Ident): boolean {
    const { members } = this;
    const { name, start, end } = node;
    if (members === null || !(members.fields.has(name) || members.methods.has(name))) return false;
    const self = this.find('self');
    const local = this.find(name);
    if (self === null || (local !== null && this.mayAssign(local))) return false;
    const recv: Ast.Ident = { type: 'Ident', name: 'self', start, end };
    Object.assign(node, { type: 'Member', recv, name, nameStart: start, safe: false });
    this.resolution.symbols.set(recv, { kind: 'variable', variable: this.reach(self, node) });
    return true;
  }

  /** `name(…)` for a method of the record itself: becomes `self.name(…)`. */
  private ownCall(node: Ast.Call): Ast.Method | null {
    const { callee, args, block } = node;
    if (callee.type !== 'Ident' || this.members?.methods.has(callee.name) !== true || !this.ownMember(callee))
      return null;
    const { recv, name, nameStart } = callee as unknown as Ast.Member;
    Object.assign(node, { type: 'Method', recv, name, nameStart, args, block, safe: false });
    return node as unknown as Ast.Method;
  }

  // ---- blocks

  private callBlock(node: Ast.Call): void {
    const { block, callee } = node;
    if (block === null) return;
    const symbol = callee.type === 'Ident' ? this.resolution.symbols.get(callee) : undefined;
    const name = symbol?.kind === 'native' ? symbol.name : '';
    if (name === 'loop') this.inlineBlock(block);
    else if (name === 'spawn') this.blockFunction(block, 'spawn');
    else this.givenBlock(node, block, name);
  }

  private methodBlock(node: Ast.Method, block: Ast.Block): void {
    const template = this.names.templateOf(node, block);
    if (template === null) {
      this.givenBlock(node, block);
      return;
    }
    this.resolution.templates.set(node, template);
    // Only the block of an iterator of the prelude can be left by a jump.
    if (this.names.dispatched.has(node.name) && !leavesBlock(block)) this.givenBlock(node, block);
    else this.inlineBlock(block);
  }

  /** A block that is a function, passed to the call. */
  private givenBlock(call: Ast.Method | Ast.Call, block: Ast.Block, native = ''): void {
    const later = runsLater(call, native, this.names.dispatched);
    this.blockFunction(block, 'block', later ? null : exitVariable(block, this.scope));
  }

  private blockFunction(block: Ast.Block, kind: 'block' | 'spawn', exit: Variable | null = null): void {
    const fn = new FunctionScope(kind, this.fn, this.scope, this.module);
    fn.exit = exit;
    this.inFunction(block, fn, () => {
      if (exit !== null) this.reach(exit, block);
      this.blockInside(block);
    });
  }

  /** A block that is inlined into its function: a scope, created anew in each iteration. */
  private inlineBlock(block: Ast.Block): void {
    const outer = this.scope;
    this.loopDepth++;
    this.branchDepth++;
    this.scope = new Scope(outer, outer.fn, this.loopDepth, this.branchDepth);
    this.resolution.scopes.set(block, this.scope);
    this.blockInside(block);
    this.scope = outer;
    this.branchDepth--;
    this.loopDepth--;
  }

  private blockInside(block: Ast.Block): void {
    if (block.params === null) this.implicitBlocks.push({ block, scope: this.scope });
    this.params(block.params ?? []);
    this.body(block.body);
    if (block.params === null) this.implicitBlocks.pop();
  }
}
