/** Comparisons and clauses that can never be true, because of the types of their values. */
import type * as Ast from '../ast.js';
import { article } from '../annotationtypes.js';
import type { Checked } from './environment.js';
import { Constants } from './constants.js';
import { enumMembers, mayBe, mayEqual } from './fitting.js';
import { unionText } from './possibletypes.js';
import type { Types } from './types.js';
import { SCALARS } from './values.js';
import { walkNodes } from './walk.js';

/** Reports `==`, `is` and `in` that are never true, and clauses of a `case` that never fit. */
export function checkImpossible(checked: Checked, types: Types): void {
  const impossible = new Impossible(checked, types);
  walkNodes(checked.module.tree, ['Binary', 'Match', 'Case', 'CaseIn'], (node) => {
    if (node.type === 'Match') impossible.match(node);
    else if (node.type === 'CaseIn') impossible.clauses(node);
    else if (node.type === 'Binary') {
      if (node.op === '==' || node.op === '!=') impossible.comparison(node);
    } else if (node.subject !== null) impossible.whens(node, node.subject);
  });
}

class Impossible {
  private readonly constants: Constants;

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
  ) {
    this.constants = new Constants(checked, types);
  }

  comparison(node: Ast.Binary): void {
    const { left, right, op } = node;
    const text = this.noMember(right, left) ?? this.noMember(left, right);
    if (text !== null) this.never(node, op, text);
    // The author of a comparison of constants can see what it returns.
    if (text !== null || (this.constants.are(left) && this.constants.are(right))) return;
    const [a, b] = [this.types.possible(left), this.types.possible(right)];
    if (a === null || b === null || isNil(a) || isNil(b)) return;
    if ([...a].some((one) => [...b].some((other) => mayEqual(one, other, this.types)))) return;
    this.never(node, op, `${article(unionText(a))} never equals ${article(unionText(b))}`);
  }

  /** `x is Type`, `x in pattern` */
  match(node: Ast.Match): void {
    const all = this.valuesOf(node.subject);
    if (all === null || !new Patterns(all, this.types).never(node.pattern)) return;
    this.never(node, 'in', `the value is ${article(unionText(all))}`);
  }

  whens(node: Ast.Case, subject: Ast.Expr): void {
    const all = this.valuesOf(subject);
    const patterns = all === null ? null : new Patterns(all, this.types);
    for (const when of node.whens) {
      const texts = when.patterns.map((one) => (one.type === 'Splat' ? null : this.noMember(one, subject)));
      const [first] = texts;
      if (texts.every((text) => text !== null) && first !== null) this.unreachable(when, first);
      else if (all !== null && when.patterns.every((one) => one.type !== 'Splat' && patterns?.neverValue(one)))
        this.unreachable(when, `the value is ${article(unionText(all))}`);
    }
  }

  clauses(node: Ast.CaseIn): void {
    const all = this.valuesOf(node.subject);
    if (all === null) return;
    const patterns = new Patterns(all, this.types);
    for (const { pattern, start } of node.clauses)
      if (patterns.never(pattern)) this.unreachable({ start }, `the value is ${article(unionText(all))}`);
  }

  /** The types that the subject of a test may have; null if they are not known, or the program tests a constant. */
  private valuesOf(subject: Ast.Expr): ReadonlySet<string> | null {
    return this.constants.are(subject) ? null : this.types.possible(subject);
  }

  /** Says that a text is no member of the enum that another value is of; null if it may be one. */
  private noMember(text: Ast.Expr, value: Ast.Expr): string | null {
    if (text.type !== 'Str') return null;
    const declared = enumMembers(this.types.annotation(value), this.checked);
    if (declared === null || declared.members.includes(text.value)) return null;
    return `${JSON.stringify(text.value)} is not a member of ${declared.name}: ${declared.members.join(', ')}`;
  }

  private never({ start, end }: Ast.Node, op: string, reason: string): void {
    this.checked.report('warning', 'never-true', { start, end }, `this is always ${op === '!='}: ${reason}`);
  }

  private unreachable({ start }: Pick<Ast.Node, 'start'>, reason: string): void {
    const message = `this clause never fits: ${reason}`;
    this.checked.report('warning', 'unreachable-clause', { start, end: start + 2 }, message);
  }
}

/** Whether a value is always nil. A comparison with nil is a test. */
function isNil(all: ReadonlySet<string>): boolean {
  return all.size === 1 && all.has('Nil');
}

/** What the values of known types do not fit. */
class Patterns {
  constructor(
    private readonly all: ReadonlySet<string>,
    private readonly types: Types,
  ) {}

  never(pattern: Ast.MatchPattern): boolean {
    switch (pattern.type) {
      case 'ValueMatch':
        return this.neverValue(pattern.value);
      case 'RecordMatch':
        return this.neverType(this.types.typeNamed(pattern.record));
      case 'NamedMatch':
        return this.never(pattern.pattern);
      case 'AnyMatch':
        return pattern.options.every((option) => this.never(option));
      case 'VectorMatch':
      case 'HashMatch':
        return [...this.all].every((type) => SCALARS.has(type));
      default:
        return false;
    }
  }

  /** Whether none of the values fits a value or a type after `when`. */
  neverValue(value: Ast.Expr): boolean {
    const named = this.types.typeNamed(value);
    if (named !== null) return this.neverType(named);
    const type = value.type === 'Str' || value.type === 'Bool' || value.type === 'Int' ? this.types.of(value) : null;
    return type !== null && [...this.all].every((one) => !mayEqual(one, type, this.types));
  }

  private neverType(wanted: string | null): boolean {
    if (wanted === null || wanted === 'Nil') return false;
    return [...this.all].every((type) => !mayBe(type, wanted, this.types));
  }
}
