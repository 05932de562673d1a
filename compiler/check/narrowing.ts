import type * as Ast from '../ast.js';
import type { Variable } from '../symbols.js';
import type { Typed } from './walk.js';

/** What the types of values are known from. */
interface Names {
  /** The variable that a name stands for if it has one value from the start to the end. */
  fixed(node: Ast.Expr): Variable | null;
  /** The type that an expression names, if its values have no other type. */
  typeNamed(node: Ast.Expr): string | null;
}

/** A part of the text in which a variable has a type. */
interface Span {
  from: number;
  to: number;
  type: string;
}

/** Types of nodes that may test the type of a variable. */
export const TESTS = ['If', 'Logical', 'Case', 'CaseIn'] as const;

/** Types of variables that a test around them tells: `case x when Type`, `case x in Type`, `if x is Type`. */
export class Narrowing {
  private readonly spans = new Map<Variable, Span[]>();

  constructor(private readonly names: Names) {}

  /** The type of a variable at a place; null if no test around it tells. */
  of(variable: Variable, { start }: Ast.Node): string | null {
    // Inner tests come later.
    return this.spans.get(variable)?.findLast(({ from, to }) => from <= start && start < to)?.type ?? null;
  }

  /** Notes the tests of a node; nodes come before those inside. */
  note(node: Extract<Typed, { type: (typeof TESTS)[number] }>): void {
    switch (node.type) {
      case 'If':
        for (const { cond, body } of node.clauses) this.condition(cond, body);
        break;
      case 'Logical':
        if (node.op === 'and') this.condition(node.left, [node.right]);
        break;
      case 'Case':
        if (node.subject !== null)
          for (const { patterns, body } of node.whens) this.add(node.subject, this.common(patterns), body);
        break;
      case 'CaseIn':
        for (const { pattern, guard, body } of node.clauses)
          this.add(node.subject, this.ofPattern(pattern), guard === null ? body : [guard, ...body]);
    }
  }

  private condition(cond: Ast.Expr, body: readonly Ast.Expr[]): void {
    if (cond.type === 'Match') this.add(cond.subject, this.ofPattern(cond.pattern), body);
    else if (cond.type === 'Logical' && cond.op === 'and') {
      this.condition(cond.left, body);
      this.condition(cond.right, body);
    }
  }

  private add(subject: Ast.Expr, type: string | null, body: readonly Ast.Expr[]): void {
    const variable = type === null || body.length === 0 ? null : this.names.fixed(subject);
    if (variable === null || type === null) return;
    const spans = this.spans.get(variable) ?? [];
    this.spans.set(variable, spans);
    spans.push({ from: body[0].start, to: body[body.length - 1].end, type });
  }

  private ofPattern(pattern: Ast.MatchPattern): string | null {
    switch (pattern.type) {
      case 'ValueMatch':
        return this.names.typeNamed(pattern.value);
      case 'RecordMatch':
        return this.names.typeNamed(pattern.record);
      case 'NamedMatch':
        return this.ofPattern(pattern.pattern);
      default:
        return null;
    }
  }

  /** The type that all patterns of a clause name. */
  private common(patterns: readonly (Ast.Expr | Ast.Splat)[]): string | null {
    const types = new Set(patterns.map((pattern) => (pattern.type === 'Splat' ? null : this.names.typeNamed(pattern))));
    return types.size === 1 ? [...types][0] : null;
  }
}
