import type * as Ast from '../../ast.js';
import { walk } from '../walk.js';

/** What a function returns, as far as its text shows. */
export interface Returned {
  /** Places where it returns nil. */
  nils: Ast.Node[];
  /** Calls and fields whose value it returns. */
  values: Ast.Expr[];
}

/**
 * Finds the values that a function returns. Leaves out those that it returns because a parameter is nil or of another
 * type: only callers that pass such a value receive them.
 */
export function returnedBy({ params, body }: Ast.Def): Returned {
  const tails = new Tails(new Set(params.map(({ name }) => name)));
  tails.body(body);
  return tails;
}

class Tails implements Returned {
  readonly nils: Ast.Node[] = [];
  readonly values: Ast.Expr[] = [];

  constructor(private readonly params: ReadonlySet<string>) {}

  body(body: Ast.Body): void {
    this.returns(body);
    this.ends(body, false);
  }

  private ends(body: Ast.Body, guarded: boolean): void {
    this.last(body.else ?? body.stmts, guarded);
    for (const rescue of body.rescues) this.last(rescue.body, guarded);
  }

  /** All `return` statements. Iterative, because trees may be deep. */
  private returns(body: Ast.Body): void {
    const stack: { node: unknown; guarded: boolean }[] = [{ node: body, guarded: false }];
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      const { node, guarded } = item;
      if (node === null || typeof node !== 'object') continue;
      const { type } = node as Ast.Expr;
      if (type === 'Def' || type === 'Lambda' || ('params' in node && 'body' in node)) continue;
      if (type === 'Return') this.returned(node as Ast.Return, guarded);
      const isGuarded = guarded || this.asks(node as Ast.Expr);
      for (const value of Object.values(node)) stack.push({ node: value, guarded: isGuarded });
    }
  }

  private returned(node: Ast.Return, guarded: boolean): void {
    if (node.value !== null) this.tail(node.value, guarded);
    else if (!guarded) this.nils.push(node);
  }

  private last(stmts: readonly Ast.Expr[], guarded: boolean): void {
    if (stmts.length > 0) this.tail(stmts[stmts.length - 1], guarded);
  }

  private tail(node: Ast.Expr, around: boolean): void {
    const guarded = around || this.asks(node);
    switch (node.type) {
      case 'Nil':
        if (!guarded) this.nils.push(node);
        break;
      case 'If':
        for (const { body } of node.clauses) this.last(body, guarded);
        if (node.else !== null) this.last(node.else, guarded);
        else if (node.clauses.length === 1 && !guarded) this.nils.push(node);
        break;
      case 'Case':
        for (const { body } of node.whens) this.last(body, guarded);
        if (node.else !== null) this.last(node.else, guarded);
        break;
      case 'CaseIn':
        for (const { body } of node.clauses) this.last(body, guarded);
        if (node.else !== null) this.last(node.else, guarded);
        break;
      case 'Begin':
        this.ends(node.body, guarded);
        break;
      case 'Logical':
        if (node.op === 'or') this.tail(node.right, guarded);
        break;
      case 'Assign':
        this.tail(node.value, guarded);
        break;
      case 'Call':
      case 'Method':
      case 'Member':
        if (!guarded) this.values.push(node);
        break;
      default:
    }
  }

  /** Whether the branches of a node depend on what kind of value a parameter, or a part of it, is. */
  private asks(node: Ast.Expr): boolean {
    if (node.type === 'If') return node.clauses.some(({ cond }) => this.asksIn(cond));
    if (node.type === 'Case') return node.subject !== null && this.isParameter(node.subject);
    return node.type === 'CaseIn' && this.isParameter(node.subject);
  }

  private asksIn(cond: Ast.Expr): boolean {
    let found = false;
    walk(cond, (node) => {
      found ||= this.isTest(node);
    });
    return found || this.isParameter(cond);
  }

  private isTest(node: { type: string }): boolean {
    const part = node as Ast.Expr;
    switch (part.type) {
      case 'Unary':
        return part.op === 'not' && this.isParameter(part.operand);
      case 'Logical':
        return this.isParameter(part.left) || this.isParameter(part.right);
      case 'Match':
        return this.isParameter(part.subject);
      case 'Member':
        return part.name === 'nil?' && this.isParameter(part.recv);
      case 'Binary':
        if (part.op !== '==' && part.op !== '!=') return false;
        return part.right.type === 'Nil' ? this.isParameter(part.left) : part.left.type === 'Nil';
      default:
        return false;
    }
  }

  private isParameter(node: Ast.Expr): boolean {
    let first = node;
    while (first.type === 'Member' || first.type === 'Index' || first.type === 'Method') first = first.recv;
    return first.type === 'Ident' && (this.params.has(first.name) || first.name === 'self');
  }
}
