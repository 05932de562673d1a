import type * as Ast from '../../ast.js';
import { eachPart } from '../../matchparts.js';
import { spineOf } from '../../spine.js';
import type { DefSymbol, Symbol, Variable } from '../../symbols.js';
import { fits } from '../../annotationtypes.js';
import type { Checked } from '../environment.js';
import type { Types } from '../types.js';
import { type Typed, walk, walkNodes } from '../walk.js';
import { parameterFor, valueOf } from './nilarguments.js';
import { NilSources } from './nilsources.js';
import { type Cause, NilState } from './nilstate.js';
import { fitsNil, safeTest, testOf } from './niltests.js';
import { Relations } from './relations.js';

const OPERATORS = new Set(['+', '-', '*', '/', '//', '%', '**', '<', '<=', '>', '>=']);
/** Natives whose call is a test of their arguments. */
const ASSERTING = /^(assert|expect|check|require|ensure|halt)/;
/** Natives that never return. */
const NO_RETURN = new Set(['halt', 'exit']);
/** Links of a chain that are skipped after an `&.` of nil. */
const CONTINUES = new Set<Ast.Expr['type']>(['Member', 'Method', 'Index', 'Call']);
/** Maximum depth to which expressions and statements are followed. */
const MAX_DEPTH = 120;

/** A function, or the top level of a file. */
interface Run {
  params: readonly Ast.Param[];
  body: Ast.Body | null;
  stmts: readonly Ast.Expr[];
}

/**
 * Reports values that may be nil where nil fails: results of searches, of functions that return nil, and parameters of
 * an optional type. Follows each function from its start to its end. A value is not reported where a test, or a
 * condition that depends on the same values as the search, may have excluded nil.
 */
export function checkNil(checked: Checked, types: Types): void {
  const relations = new Relations(checked);
  const sources = new NilSources(checked, types, relations);
  const run = ({ params, body, stmts }: Run): void => {
    if (body === null || body.rescues.length === 0)
      new Flow(checked, types, relations, sources).run(params, stmts, body);
  };
  run({ params: [], body: null, stmts: checked.module.tree.stmts });
  walkNodes(checked.module.tree, ['Def', 'Lambda', 'Method', 'Call'], (node) => {
    if (node.type === 'Def' || node.type === 'Lambda')
      run({ params: node.params, body: node.body, stmts: node.body.stmts });
    else if (node.block !== null) {
      const { params, body } = node.block;
      if (!checked.resolution.scopes.has(node.block) && !runsAtOnce(node, checked))
        run({ params: params ?? [], body, stmts: body.stmts });
    }
  });
}

/** Whether the block of a call is followed as a part of the function around it. */
function runsAtOnce(call: Ast.Method | Ast.Call, { resolution }: Checked): boolean {
  if (call.block !== null && resolution.scopes.has(call.block)) return true;
  return call.type === 'Method' && resolution.templates.has(call);
}

/** What is known after a condition: where it holds, and where it does not. */
interface Ways {
  yes: NilState | null;
  no: NilState | null;
}

/** A loop or block that is being followed. */
interface Loop {
  breaks: (NilState | null)[];
  label: string | null;
}

/** Follows the statements of one function. */
class Flow {
  /** What is known here; null where execution never arrives. */
  private state: NilState | null = NilState.empty();
  private readonly loops: Loop[] = [];
  private readonly reported = new Set<Variable>();
  private conditions = 0;
  private depth = 0;

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
    private readonly relations: Relations,
    private readonly sources: NilSources,
  ) {}

  run(params: readonly Ast.Param[], stmts: readonly Ast.Expr[], body: Ast.Body | null): void {
    for (const param of params) {
      const cause = this.sources.ofParameter(param);
      if (cause !== null) this.assign(param, cause);
    }
    this.statements(stmts);
    if (body?.ensure != null) {
      this.state = NilState.empty();
      this.statements(body.ensure);
    }
  }

  // ---- statements

  private statements(stmts: readonly Ast.Expr[]): void {
    for (const stmt of stmts) {
      if (this.state === null) return;
      this.expr(stmt);
    }
  }

  /** Follows statements from a state; returns the state after them. */
  private from(state: NilState | null, stmts: readonly Ast.Expr[]): NilState | null {
    this.state = state;
    this.statements(stmts);
    return this.state;
  }

  /** Follows one expression; left-deep chains iteratively. */
  private expr(node: Ast.Expr): void {
    if (this.state === null) return;
    if (this.depth >= MAX_DEPTH) {
      this.forget(node);
      return;
    }
    this.depth++;
    const chain = spineOf(node);
    const isSafe = chain.findIndex((link) => 'safe' in link && link.safe);
    this.leaf(chain[0]);
    for (let i = 1; i < chain.length && this.state !== null; i++) {
      if (i === isSafe) {
        const end = chain.findIndex((link, at) => at > i && !CONTINUES.has(link.type));
        i = (end < 0 ? chain.length : end) - 1;
        this.safely(chain.slice(isSafe, i + 1));
      } else this.link(chain[i]);
    }
    this.depth--;
  }

  /** The rest of a chain after `&.`, which is skipped if the value is nil. */
  private safely(links: readonly Ast.Expr[]): void {
    const before = this.state as NilState;
    this.state = before.copy();
    const [first] = links;
    const variable = 'recv' in first ? this.relations.variableOf(first.recv) : null;
    if (variable !== null) this.state.drop(variable);
    for (const link of links) this.link(link);
    this.state = NilState.join([before, this.state], this.conditions);
  }

  private leaf(node: Ast.Expr): void {
    switch (node.type) {
      case 'Interp':
      case 'Regex':
        for (const part of node.parts) this.expr(part);
        break;
      case 'Vector':
        this.args(node.items);
        break;
      case 'Hash':
        for (const entry of node.entries) {
          if (entry.type === 'Pair') this.expr(entry.key);
          this.expr(entry.value);
        }
        break;
      case 'Range':
        this.expr(node.lo);
        if (node.hi !== null) this.expr(node.hi);
        break;
      case 'Lambda':
        this.forget(node);
        break;
      case 'Unary':
        this.expr(node.operand);
        if (node.op !== 'not') this.use(node.operand, `\`${node.op}\``);
        break;
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
      case 'Raise':
      case 'Retry':
        this.leave(node);
        break;
      default:
        this.control(node);
    }
  }

  private link(node: Ast.Expr): void {
    switch (node.type) {
      case 'Binary':
        this.expr(node.right);
        if (OPERATORS.has(node.op)) {
          this.use(node.left, `\`${node.op}\``);
          this.use(node.right, `\`${node.op}\``);
        }
        break;
      case 'Logical': {
        const first = this.conditions;
        const { yes, no } = this.after(node.left);
        const right = node.op === 'and' ? yes : no;
        this.state = right;
        this.expr(node.right);
        this.state = NilState.join([node.op === 'and' ? no : yes, this.state], first);
        break;
      }
      case 'Index':
        this.args(node.args);
        if (!node.safe) this.use(node.recv, '`[…]`');
        break;
      case 'Member':
        if (!node.safe && this.fails(node.name)) this.use(node.recv, `'${node.name}'`);
        break;
      case 'Method':
        if (!node.safe && this.fails(node.name)) this.use(node.recv, `'${node.name}'`);
        this.method(node);
        break;
      case 'Call':
        this.call(node);
        break;
      default:
    }
  }

  private args(args: readonly Ast.Arg[]): void {
    for (const arg of args) this.expr(valueOf(arg));
  }

  private method(node: Ast.Method): void {
    this.args(node.args);
    if (node.index !== undefined) this.expr(node.index);
    const type = this.types.of(node.recv);
    const isKnown = type !== null && this.types.record(type) === null;
    if (!isKnown && node.block === null) {
      this.pass(node.args);
      this.state?.dropTested();
    }
    if (node.block !== null) this.block(node, node.block);
  }

  private call(node: Ast.Call): void {
    this.args(node.args);
    const symbol = this.checked.resolution.symbols.get(node.callee);
    this.arguments(node, symbol);
    if (symbol?.kind === 'native') {
      if (ASSERTING.test(symbol.name)) this.dropMentioned(node.args);
      if (NO_RETURN.has(symbol.name)) this.state = null;
    } else {
      this.pass(node.args);
      this.state?.dropTested();
      // A function may test the variables of its file.
      if (symbol?.kind === 'def') this.passed(this.relations.direct(node.callee));
    }
    if (node.block !== null && this.state !== null) this.block(node, node.block);
  }

  /** Reports arguments that may be nil where the function takes no nil. */
  private arguments({ args }: Ast.Call, symbol: Symbol | undefined): void {
    if (args.some(({ type }) => type === 'Splat')) return;
    args.forEach((arg, i) => {
      const taken = parameterFor(arg, i, symbol, this.checked);
      if (taken === null || fits('Nil', taken.type)) return;
      const { name } = symbol as DefSymbol;
      this.use(valueOf(arg), `${name}() takes ${taken.type} as '${taken.name}'`, 'but');
    });
  }

  /** Arguments of a function that may test them. */
  private pass(args: readonly Ast.Arg[]): void {
    for (const arg of args) {
      const value = valueOf(arg);
      const variable = value.type === 'Ident' ? this.relations.variableOf(value) : null;
      if (variable !== null) this.state?.drop(variable);
    }
  }

  private passed(paths: ReadonlySet<string>): void {
    for (const variable of this.state?.variables() ?? [])
      if (paths.has(this.relations.pathOfVariable(variable))) this.state?.drop(variable);
  }

  private block(call: Ast.Method | Ast.Call, block: Ast.Block): void {
    if (!runsAtOnce(call, this.checked) || block.body.rescues.length > 0) {
      this.forget(block);
      return;
    }
    const on = call.type === 'Method' ? this.relations.closure(call.recv) : new Set<string>();
    const isEndless = call.type === 'Call';
    this.loop(block, null, isEndless ? 'break' : 'never', () => {
      this.state?.enter({ number: this.conditions++, on, path: null }, this.pathOf);
      this.statements(block.body.stmts);
      if (block.body.ensure !== null) this.state = null;
    });
  }

  // ---- leaving

  private leave(node: Ast.Return | Ast.Break | Ast.Next | Ast.Raise | Ast.Retry): void {
    if (node.type === 'Raise') this.args(node.args);
    else if (node.type !== 'Retry' && node.value !== null) this.expr(node.value);
    if (node.type === 'Break' && this.state !== null) {
      const loop = this.loops.findLast(({ label }) => node.label === null || label === node.label);
      loop?.breaks.push(this.state);
    }
    this.state = null;
  }

  private control(node: Ast.Expr): void {
    switch (node.type) {
      case 'If':
        this.conditional(node);
        break;
      case 'While':
        this.whileLoop(node);
        break;
      case 'For': {
        this.expr(node.iter);
        this.use(node.iter, 'elements');
        const on = this.relations.closure(node.iter);
        this.loop(node, node.label, 'never', () => {
          this.state?.enter({ number: this.conditions++, on, path: null }, this.pathOf);
          this.statements(node.body);
        });
        break;
      }
      case 'Case':
        this.caseOf(node);
        break;
      case 'CaseIn':
        this.caseIn(node);
        break;
      case 'Match':
        this.expr(node.subject);
        this.bind(node.pattern);
        break;
      case 'Begin':
        this.begin(node.body);
        break;
      default:
    }
  }

  private conditional(node: Ast.If): void {
    const first = this.conditions;
    const ends: (NilState | null)[] = [];
    for (const { cond, body } of node.clauses) {
      const { yes, no } = this.condition(cond);
      ends.push(this.from(yes, body));
      this.state = no;
    }
    ends.push(node.else === null ? this.state : this.from(this.state, node.else));
    this.state = NilState.join(ends, first, node.else === null && node.clauses.length > 1);
  }

  private whileLoop(node: Ast.While): void {
    const isEndless = node.cond.type === 'Bool' && node.cond.value;
    this.loop(node, node.label, 'test', () => {
      if (node.doWhile) {
        this.statements(node.body);
        if (this.state !== null) this.state = this.condition(node.cond).no;
        return;
      }
      const { yes, no } = this.condition(node.cond);
      this.from(yes, node.body);
      this.state = isEndless ? null : no;
    });
  }

  /**
   * Follows a loop or block once. What is assigned in it is unknown at its start and after it.
   * @param ending `never`: it may not run at all; `test`: `inside` leaves the state after the last test
   */
  private loop(node: object, label: string | null, ending: 'never' | 'test' | 'break', inside: () => void): void {
    if (this.state === null) return;
    const first = this.conditions;
    this.assignedIn(node);
    const before = this.state;
    this.state = before.copy();
    const loop: Loop = { breaks: [], label };
    this.loops.push(loop);
    inside();
    this.loops.pop();
    const end = { never: before, test: this.state, break: null }[ending];
    this.state = NilState.join([end, ...loop.breaks], first);
    if (this.state !== null) this.assignedIn(node);
  }

  private caseOf(node: Ast.Case): void {
    const { subject } = node;
    if (subject !== null) this.expr(subject);
    const first = this.conditions;
    const variable = subject === null ? null : this.relations.variableOf(subject);
    const ends: (NilState | null)[] = [];
    for (const { patterns, body } of node.whens) {
      this.args(patterns);
      const isNil = (pattern: Ast.Arg): boolean => pattern.type === 'Nil';
      const rest = this.clause(
        [subject, ...patterns],
        variable,
        patterns.every(isNil),
        !patterns.some((pattern) => isNil(pattern) || pattern.type === 'Splat' || pattern.type === 'Ident'),
      );
      ends.push(this.from(this.state, body));
      this.state = rest;
    }
    ends.push(node.else === null ? this.state : this.from(this.state, node.else));
    this.state = NilState.join(ends, first, node.else === null);
  }

  private caseIn(node: Ast.CaseIn): void {
    const { subject } = node;
    this.expr(subject);
    const first = this.conditions;
    const variable = this.relations.variableOf(subject);
    if (variable === null) this.dropMentioned(subject);
    const ends: (NilState | null)[] = [];
    for (const { pattern, guard, body } of node.clauses) {
      if (this.state === null) break;
      const fits = fitsNil(pattern);
      const rest: NilState | null = this.clause([subject, guard], variable, fits === 'only', fits === 'never');
      this.bind(pattern);
      if (guard !== null) this.state = this.condition(guard).yes;
      ends.push(this.from(this.state, body));
      this.state = rest;
    }
    if (node.else !== null) ends.push(this.from(this.state, node.else));
    this.state = NilState.join(ends, first);
  }

  /**
   * Enters a clause of a `case`; returns what is known if it does not fit.
   * @param isNil whether the clause fits nil alone
   * @param isOther whether it does not fit nil
   */
  private clause(
    decidedBy: readonly (Ast.Arg | null)[],
    variable: Variable | null,
    isNil: boolean,
    isOther: boolean,
  ): NilState | null {
    if (this.state === null) return null;
    const cond = { number: this.conditions++, on: this.pathsOf(decidedBy), path: null };
    const rest = this.state;
    const yes = rest.copy();
    const fact = variable === null ? undefined : rest.of(variable);
    yes.enter(cond, this.pathOf);
    rest.enter(cond, this.pathOf);
    this.state = yes;
    if (variable === null || fact === undefined) return rest;
    yes.drop(variable);
    if (isNil) yes.put(variable, fact, true);
    rest.drop(variable);
    if (isOther) rest.put(variable, fact, false);
    return rest;
  }

  /** Errors of a body with handlers are caught: nothing in it is reported. */
  private begin(body: Ast.Body): void {
    if (body.rescues.length > 0) {
      this.forget(body);
      return;
    }
    this.statements(body.stmts);
    if (body.ensure === null) return;
    const after: NilState | null = this.state;
    this.state = NilState.empty();
    this.statements(body.ensure);
    this.state = after;
    this.assignedIn(body.ensure);
  }

  private bind(pattern: Ast.MatchPattern): void {
    eachPart(
      pattern,
      (value) => this.expr(value),
      (name) => this.unknown(name),
    );
  }

  // ---- conditions

  /** Follows a condition; returns what is known where it holds, and where it does not. */
  private condition(node: Ast.Expr): Ways {
    if (this.state === null) return { yes: null, no: null };
    if (this.depth >= MAX_DEPTH) {
      this.forget(node);
      return this.after(node);
    }
    this.depth++;
    const ways = this.ways(node);
    this.depth--;
    return ways;
  }

  private ways(node: Ast.Expr): Ways {
    if (node.type === 'Unary' && node.op === 'not') {
      const { yes, no } = this.condition(node.operand);
      return { yes: no, no: yes };
    }
    if (node.type === 'Logical') {
      const first = this.conditions;
      const left = this.condition(node.left);
      this.state = node.op === 'and' ? left.yes : left.no;
      const right = this.condition(node.right);
      return node.op === 'and'
        ? { yes: right.yes, no: NilState.join([left.no, right.no], first) }
        : { yes: NilState.join([left.yes, right.yes], first), no: right.no };
    }
    this.expr(node);
    return this.after(node);
  }

  /** What is known after a condition that has been followed. */
  private after(node: Ast.Expr): Ways {
    const { state } = this;
    if (state === null) return { yes: null, no: null };
    const test = testOf(node);
    const tested = test === null ? null : this.relations.variableOf(test.value);
    const path = test === null || !test.isWhole ? null : this.relations.pathOf(test.value);
    const on = path === null ? this.relations.closure(node) : this.relations.behind(path);
    const number = this.conditions++;
    const side = (isNil: boolean): NilState => {
      const way = state.copy();
      const fact = tested === null ? undefined : way.of(tested);
      way.enter({ number, on, path }, this.pathOf);
      if (tested === null || fact === undefined) return way;
      way.drop(tested);
      if (isNil) way.put(tested, fact, test?.isWhole === true);
      return way;
    };
    const isNilIfTrue = test?.isNil === true;
    return { yes: side(test !== null && isNilIfTrue), no: side(test !== null && !isNilIfTrue) };
  }

  // ---- values

  private assignment(node: Ast.Assign | Ast.OpAssign | Ast.MultiAssign | Ast.HashDestructure | Ast.ConstDecl): void {
    if (node.type === 'OpAssign') {
      this.operatorAssignment(node);
      return;
    }
    this.expr(node.value);
    if (node.type === 'MultiAssign') walk(node.targets, (target) => this.unknown(target));
    else if (node.type === 'HashDestructure') for (const { name } of node.entries) this.unknown(name);
    else if (node.type === 'Assign' && node.target.type === 'Ident') this.assign(node.target, this.causeOf(node.value));
    else if (node.type === 'Assign') this.target(node.target);
  }

  private operatorAssignment(node: Ast.OpAssign): void {
    const { op, target, value } = node;
    if (op === '||' || op === '&&') {
      const first = this.conditions;
      const { yes, no } = this.after(target);
      this.state = op === '&&' ? yes : no;
      this.expr(value);
      this.state = NilState.join([op === '&&' ? no : yes, this.state], first);
      this.unknown(target);
      return;
    }
    if (target.type !== 'Ident') this.target(target);
    this.expr(value);
    if (!OPERATORS.has(op)) return;
    if (safeTest(target) === null) this.use(target, `\`${op}\``);
    this.use(value, `\`${op}\``);
  }

  /** The receiver of a field or an element that is assigned. Where it is nil behind `&.`, nothing is assigned. */
  private target(target: Ast.Target): void {
    if (target.type === 'Ident') return;
    this.expr(target.recv);
    if (target.type === 'Index') this.args(target.args);
    if (safeTest(target) === null) this.use(target.recv, target.type === 'Index' ? '`[…]`' : `'${target.name}'`);
  }

  private assign(node: Ast.Node, cause: Cause | null): void {
    const variable = this.relations.variableOf(node);
    if (variable === null || this.state === null) return;
    this.state.drop(variable);
    // A function inside may assign it at any time.
    const isOwn = !variable.captured || variable.assignments <= 1;
    if (isOwn && cause !== null && !this.state.isKnown(cause)) this.state.add(variable, cause);
  }

  private unknown(node: object): void {
    const variable = this.relations.variableOf(node as Ast.Node);
    if (variable !== null) this.state?.drop(variable);
  }

  /** Why a value may be nil, here. */
  private causeOf(node: Ast.Expr): Cause | null {
    if (node.type === 'Assign') return this.causeOf(node.value);
    if (node.type === 'Nil') return this.sources.ofNil(node);
    if (node.type === 'Logical') return node.op === 'or' ? this.causeOf(node.right) : this.causeOf(node.left);
    if (node.type === 'If') return this.ofBranches(node);
    const safe = safeTest(node)?.value;
    const variable = this.relations.variableOf(safe ?? node);
    if (variable === null) return this.sources.of(safe ?? node);
    const fact = this.state?.of(variable);
    return fact === undefined || fact.held.length > 0 ? null : fact;
  }

  /** Why one of the values of `condition ? a : b` may be nil. */
  private ofBranches(node: Ast.If): Cause | null {
    if (node.else === null || this.depth >= MAX_DEPTH) return null;
    this.depth++;
    const ends = [...node.clauses.map(({ body }) => body), node.else];
    const causes = ends.map((body) => (body.length === 0 ? null : this.causeOf(body[body.length - 1])));
    this.depth--;
    const cause = causes.find((one) => one !== null) ?? null;
    const on = this.pathsOf(node.clauses.map(({ cond }) => cond));
    if (cause === null || cause.on === null || on === null) return null;
    return { ...cause, isSet: false, on: new Set([...cause.on, ...on]) };
  }

  /** Whether nil has no method of a name. */
  private fails(name: string): boolean {
    return this.types.method('Nil', name) === null && name !== 'nil?' && name !== 'then';
  }

  /** Reports a use that fails if the value is nil. */
  private use(node: Ast.Expr, how: string, joint = 'which has no'): void {
    const { state } = this;
    if (state === null) return;
    // A value that is always nil is reported with the operators and methods that nil does not have.
    const cause = this.types.of(node) === 'Nil' ? null : this.causeOf(node);
    const variable = node.type === 'Ident' ? this.relations.variableOf(node) : null;
    if (cause === null || (variable === null && state.isKnown(cause))) return;
    if (variable !== null) {
      state.drop(variable);
      if (this.reported.has(variable)) return;
      this.reported.add(variable);
    }
    const name = node.type === 'Ident' ? `'${node.name}'` : 'this';
    this.checked.report(
      'warning',
      'may-be-nil',
      node,
      `${name} may be nil, ${joint} ${how}: ${cause.reason}`,
      'test it, use `&.`, or add a default with `or`',
    );
  }

  // ---- what is no longer known

  /** Code that is not followed: it may test or assign every variable that it names. */
  private forget(node: object): void {
    this.dropMentioned(node);
    this.state?.dropTested();
  }

  private dropMentioned(node: object): void {
    this.passed(this.relations.mentioned(node));
  }

  private assignedIn(node: object): void {
    const drop = (target: object): void => this.unknown(target);
    walk(node, (part: Typed) => {
      switch (part.type) {
        case 'Assign':
        case 'OpAssign':
          drop(part.target);
          break;
        case 'MultiAssign':
          walk(part.targets, drop);
          break;
        case 'HashDestructure':
          for (const { name } of part.entries) drop(name);
          break;
        case 'For':
          walk(part.targets, drop);
          break;
        case 'CaseIn':
          for (const { pattern } of part.clauses) eachPart(pattern, () => {}, drop);
          break;
        case 'Match':
          eachPart(part.pattern, () => {}, drop);
          break;
        default:
      }
    });
  }

  private pathsOf(nodes: readonly (Ast.Arg | null)[]): ReadonlySet<string> | null {
    const all = new Set<string>();
    for (const node of nodes) {
      const paths = node === null ? [] : this.relations.closure(node as Ast.Expr);
      if (paths === null) return null;
      for (const path of paths) all.add(path);
    }
    return all;
  }

  private readonly pathOf = (variable: Variable): string => this.relations.pathOfVariable(variable);
}
