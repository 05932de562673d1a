import type * as Ast from '../ast.js';
import type { Checked } from './environment.js';
import { walkNodes } from './walk.js';

/** Maximum number of functions that are followed to the one that makes a response. */
const MAX_CALLS = 5;

/** Reports responses that a function makes and does not return: `redirect("/login") unless user` above other statements. */
export function checkResponses(checked: Checked): void {
  const responses = new Responses(checked);
  walkNodes(checked.module.tree, ['Def', 'Lambda', 'Method', 'Call'], (node) => {
    const body = node.type === 'Def' || node.type === 'Lambda' ? node.body : (node.block?.body ?? null);
    if (body !== null) responses.body(body, true);
  });
}

class Responses {
  constructor(private readonly checked: Checked) {}

  /** `isValue`: whether the last statement is the value of the function. */
  body({ stmts, rescues, else: otherwise, ensure }: Ast.Body, isValue: boolean): void {
    this.list(stmts, isValue && otherwise === null);
    for (const rescue of rescues) this.list(rescue.body, isValue);
    this.list(otherwise, isValue);
    this.list(ensure, false);
  }

  private list(stmts: readonly Ast.Expr[] | null, isValue: boolean): void {
    stmts?.forEach((stmt, i) => this.statement(stmt, isValue && i === stmts.length - 1));
  }

  private statement(node: Ast.Expr, isValue: boolean): void {
    switch (node.type) {
      case 'If':
      case 'CaseIn':
        for (const { body } of node.clauses) this.list(body, isValue);
        this.list(node.else, isValue);
        break;
      case 'Case':
        for (const { body } of node.whens) this.list(body, isValue);
        this.list(node.else, isValue);
        break;
      case 'Begin':
        this.body(node.body, isValue);
        break;
      case 'While':
      case 'For':
        this.list(node.body, false);
        break;
      case 'Call':
        if (!isValue && this.makes(node, MAX_CALLS)) this.report(node);
    }
  }

  private report(node: Ast.Call): void {
    this.checked.report(
      'warning',
      'unused-response',
      node,
      'this response is not sent: the statements after it run',
      'return it, or end the request with `halt`',
    );
  }

  /** Whether a call makes a response: of the library, or of a function that ends with such a call. */
  private makes({ callee }: Ast.Call, calls: number): boolean {
    const symbol = callee.type === 'Ident' ? this.checked.resolution.symbols.get(callee) : undefined;
    if (symbol?.kind === 'native') return this.checked.env.signatures.get(symbol.name)?.result === 'SvcResponse';
    if (symbol?.kind !== 'def' || symbol.node.type !== 'Def' || calls === 0) return false;
    const last = symbol.node.body.stmts.at(-1);
    return last?.type === 'Call' && this.makes(last, calls - 1);
  }
}
