/** Values that depend on literals alone. */
import type * as Ast from '../ast.js';
import type { Checked } from './environment.js';
import type { Types } from './types.js';
import { walk } from './walk.js';

/** Maximum number of variables that are followed from one value. */
const MAX_DEPTH = 8;

export class Constants {
  private readonly known = new Map<Ast.Arg, boolean>();
  private depth = 0;

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
  ) {}

  /** Whether a value depends on nothing but literals: the program's author can see that it is found. */
  are(node: Ast.Arg): boolean {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    if (this.depth >= MAX_DEPTH) return false;
    // Until it is known: a variable whose value reads the variable itself.
    this.known.set(node, false);
    this.depth++;
    const isConstant = this.readsConstants(node);
    this.depth--;
    this.known.set(node, isConstant);
    return isConstant;
  }

  private readsConstants(node: Ast.Arg): boolean {
    let constant = true;
    const inner = new Set<string>();
    walk(node, (part) => {
      if (part.type !== undefined && 'params' in part) for (const { name } of part.params) inner.add(name);
      if ('block' in part && part.block !== null) for (const { name } of part.block.params ?? []) inner.add(name);
    });
    walk(node, (part) => {
      if (part.type !== 'Ident' || inner.has(part.name) || part.name === 'it' || !constant) return;
      // A call of a library function, or of a record's constructor, depends on its arguments.
      const symbol = this.checked.resolution.symbols.get(part);
      if (symbol?.kind === 'native' || (symbol?.kind === 'def' && symbol.node.type === 'RecordDecl')) return;
      const variable = this.types.fixed(part);
      const value = variable === null ? null : this.types.valueOf(variable);
      if (value === null || !this.are(value)) constant = false;
    });
    return constant;
  }
}
