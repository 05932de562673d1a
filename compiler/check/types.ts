import type * as Ast from '../ast.js';
import type { Variable } from '../symbols.js';
import type { Checked } from './environment.js';
import { walk } from './walk.js';

/** A type that is certain: the name of a built-in type or of a record, or `Nil`. null: unknown, or one of several. */
export type Known = string | null;

/** Maximum depth to which a value is followed through variables and operators. */
const MAX_DEPTH = 40;

const LITERALS: Partial<Record<Ast.Expr['type'], string>> = {
  Nil: 'Nil',
  Bool: 'Boolean',
  Int: 'Integer',
  Float: 'Float',
  Decimal: 'Decimal',
  Str: 'String',
  Interp: 'String',
  Regex: 'Regex',
  Vector: 'Vector',
  Hash: 'Hash',
  Range: 'Range',
  Lambda: 'Function',
};

const NUMBERS = new Set(['Integer', 'Float']);
const COMPARISONS = new Set(['<', '<=', '>', '>=', '==', '!=', '!~']);

/** Infers the types of expressions from the text alone. Never guesses: a value that may have two types is unknown. */
export class Types {
  /** The value of each variable that has exactly one assignment. */
  private readonly values = new Map<Variable, Ast.Expr>();
  private readonly annotations = new Map<Variable, string>();
  private depth = 0;

  constructor(private readonly checked: Checked) {
    const { resolution, module } = checked;
    walk(module.tree, (node) => {
      const target = node.type === 'Assign' ? node.target : node.type === 'ConstDecl' ? node.name : null;
      const symbol = target === null ? undefined : resolution.symbols.get(target);
      if (symbol?.kind === 'variable') this.values.set(symbol.variable, (node as Ast.Assign).value);
    });
    for (const [node, symbol] of resolution.symbols) {
      const annotation = 'annotation' in node ? (node as Ast.Param).annotation : null;
      if (symbol.kind === 'variable' && annotation !== null) this.annotations.set(symbol.variable, annotation);
    }
  }

  of(node: Ast.Expr): Known {
    const literal = LITERALS[node.type];
    if (literal !== undefined) return literal;
    if (this.depth > MAX_DEPTH) return null;
    this.depth++;
    const type = this.compound(node);
    this.depth--;
    return type;
  }

  private compound(node: Ast.Expr): Known {
    switch (node.type) {
      case 'Ident':
        return this.variable(node);
      case 'Unary':
        return node.op === 'not' ? 'Boolean' : this.number(node.operand);
      case 'Binary':
        return this.binary(node);
      case 'Call':
        return node.callee.type === 'Ident' ? this.call(node.callee) : null;
      case 'Assign':
        return this.of(node.value);
      default:
        return null;
    }
  }

  private number(node: Ast.Expr): Known {
    const type = this.of(node);
    return type !== null && NUMBERS.has(type) ? type : null;
  }

  private variable(node: Ast.Ident): Known {
    const symbol = this.checked.resolution.symbols.get(node);
    if (symbol?.kind !== 'variable') return null;
    const variable = symbol.variable.copyOf ?? symbol.variable;
    // Unknown if there are several assignments, or the only one may not have run yet.
    if (variable.assignments !== 1 || variable.conditional) return null;
    const annotation = this.annotations.get(variable);
    if (annotation !== undefined) return single(annotation);
    const value = this.values.get(variable);
    return value === undefined ? null : this.of(value);
  }

  private binary({ op, left, right }: Ast.Binary): Known {
    if (COMPARISONS.has(op)) return 'Boolean';
    const [a, b] = [this.of(left), this.of(right)];
    if (a === 'String' && ((op === '+' && b === 'String') || op === '*' || op === '%')) return 'String';
    if (a === null || b === null || !NUMBERS.has(a) || !NUMBERS.has(b)) return null;
    if (op === '/') return 'Float';
    if (a === 'Float' || b === 'Float') return ['<<', '>>', '|', '&', '^', '<=>'].includes(op) ? null : 'Float';
    return op === '+' || op === '-' || op === '*' || op === '//' || op === '%' ? 'Integer' : null;
  }

  private call(callee: Ast.Ident): Known {
    const symbol = this.checked.resolution.symbols.get(callee);
    if (symbol?.kind === 'native') return single(this.checked.env.signatures.get(symbol.name)?.result ?? 'Any');
    if (symbol?.kind !== 'def') return null;
    if (symbol.node.type === 'RecordDecl') return symbol.name;
    return symbol.node.returns === null ? null : single(symbol.node.returns);
  }
}

/** Names for built-in types that annotations may use in addition to the types' own. */
const ALIASES: Record<string, string> = {
  Int: 'Integer',
  Str: 'String',
  Bool: 'Boolean',
  Array: 'Vector',
  List: 'Vector',
  Map: 'Hash',
  Dict: 'Hash',
  Proc: 'Function',
  Lambda: 'Function',
  Fn: 'Function',
  nil: 'Nil',
};
/** Names that stand for several types. */
const GROUPS: Record<string, readonly string[]> = {
  Number: ['Integer', 'Float'],
  Num: ['Integer', 'Float'],
  Numeric: ['Integer', 'Float'],
};
const ANYTHING = new Set(['Any', 'Object', 'Value']);

/** The names in an annotation such as `Vector[Int] | nil` or `Float?`, without type arguments in brackets. */
export function alternatives(annotation: string): string[] {
  let flat = '';
  let depth = 0;
  for (const c of annotation) {
    if (c === '[') depth++;
    if (depth === 0) flat += c;
    if (c === ']') depth--;
  }
  return flat
    .split('|')
    .map((part) => part.trim())
    .flatMap((part) => (part.endsWith('?') ? [part.slice(0, -1), 'Nil'] : [part]))
    .filter((part) => part !== '')
    .flatMap((name) => GROUPS[name] ?? [ALIASES[name] ?? name]);
}

function single(annotation: string): Known {
  const names = alternatives(annotation);
  return names.length === 1 && !ANYTHING.has(names[0]) ? names[0] : null;
}

/** Types without subtypes or other names for their handles: a value of such a type has no other type. */
const CONCRETE = new Set([
  'Nil',
  'Boolean',
  'Integer',
  'Float',
  'Decimal',
  'String',
  'Vector',
  'Hash',
  'Range',
  'Function',
  'Regex',
  'Bytes',
  'Date',
  'Duration',
]);

/** Whether a value of type `type` fits an annotation. An Integer fits Float. */
export function fits(type: string, annotation: string): boolean {
  const names = alternatives(annotation);
  if (names.some((name) => name === type || ANYTHING.has(name))) return true;
  if (type === 'Integer' && names.includes('Float')) return true;
  // A record may be passed where a Hash is expected: it supports access by key.
  return !names.every((name) => CONCRETE.has(name) && (CONCRETE.has(type) || name !== 'Hash'));
}

/** Names that annotations know without a declaration. */
export function isKnownType(name: string): boolean {
  return CONCRETE.has(name) || ANYTHING.has(name);
}
