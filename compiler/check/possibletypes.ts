/** All types that a value may have, where more than one is possible: `list.first`, `env("PORT") or 3000`. */
import type * as Ast from '../ast.js';
import { alternatives, argumentsOf, isConcrete, type Known } from '../annotationtypes.js';
import { typeSymbol } from '../resolve/outernames.js';
import type { Variable } from '../symbols.js';
import type { Checked, NativeSignature } from './environment.js';

/** Maximum number of values that are followed from one. */
const MAX_DEPTH = 40;
/** Methods of vectors that return one element, or nil. */
const ONE_ELEMENT = new Set(['first', 'last', 'min', 'max', 'pop', 'shift', 'sample']);
/** Types whose values have further types. */
const ABSTRACT = new Set(['Any', 'Record', 'Error', 'Type', 'Enum']);
const LEAVING = new Set<Ast.Expr['type']>(['Return', 'Raise', 'Break', 'Next', 'Retry']);

/** What single types of values are known from. */
interface Types {
  of(node: Ast.Expr): Known;
  annotation(node: Ast.Expr): string | null;
  elementOf(node: Ast.Expr): string | null;
  fixed(node: Ast.Expr): Variable | null;
  valueOf(variable: Variable): Ast.Expr | null;
  record(name: string): object | null;
  method(type: string, name: string): NativeSignature | null;
}

/** Types without an order, and without duplicates. */
type Union = ReadonlySet<string>;

export class PossibleTypes {
  private readonly found = new Map<Ast.Expr, Union | null>();
  private depth = 0;

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
  ) {}

  /** null if a value may have other types. */
  of(node: Ast.Expr): Union | null {
    const found = this.found.get(node);
    if (found !== undefined) return found;
    if (this.depth >= MAX_DEPTH) return null;
    // Until it is known: a variable whose value reads the variable itself.
    this.found.set(node, null);
    this.depth++;
    const union = this.infer(node);
    this.depth--;
    this.found.set(node, union);
    return union;
  }

  private infer(node: Ast.Expr): Union | null {
    const known = this.types.of(node);
    if (known !== null) return this.closed([known]);
    const annotation = this.types.annotation(node);
    return (annotation === null ? null : this.closed(alternatives(annotation))) ?? this.compound(node);
  }

  /** The types, if all are known to the last detail. The values of an enum without fields are texts. */
  private closed(names: readonly string[]): Union | null {
    const all = names.map((name) => (this.isPlainEnum(name) ? 'String' : name));
    return all.every((name) => this.isClosed(name)) ? new Set(all) : null;
  }

  private isPlainEnum(name: string): boolean {
    const symbol = typeSymbol(name, this.checked.module);
    return symbol?.kind === 'type' && symbol.node.type === 'EnumDecl' && symbol.node.variants === null;
  }

  private isClosed(name: string): boolean {
    const isLibrary = this.checked.env.methods.has(name) && !ABSTRACT.has(name);
    return isConcrete(name) || isLibrary || this.types.record(name) !== null;
  }

  private compound(node: Ast.Expr): Union | null {
    switch (node.type) {
      case 'Ident': {
        const variable = this.types.fixed(node);
        const value = variable === null ? null : this.types.valueOf(variable);
        return value === null ? null : this.of(value);
      }
      case 'Index':
        return this.ofIndex(node);
      case 'Member':
        return this.ofElement(node) ?? this.ofResult(node);
      case 'Method':
        if (node.block !== null) return null;
        return (node.args.length === 0 ? this.ofElement(node) : null) ?? this.ofResult(node);
      case 'Binary':
        return this.ofDifference(node);
      case 'Logical':
        return this.ofLogical(node);
      case 'If':
        return this.ofBranches(
          node.clauses.map(({ body }) => body),
          node.else,
        );
      case 'Case':
        return this.ofBranches(
          node.whens.map(({ body }) => body),
          node.else,
        );
      default:
        return null;
    }
  }

  /** `list[0]`, `prices["tea"]`, `text[0]`: nil where nothing is. */
  private ofIndex({ recv, args, safe }: Ast.Index): Union | null {
    if (safe || args.length !== 1) return null;
    const type = this.types.of(recv);
    const isNumber = this.types.of(args[0]) === 'Integer';
    if (type === 'String') return isNumber ? new Set(['String', 'Nil']) : null;
    const inner = argumentsOf(this.types.annotation(recv) ?? '');
    const element = type === 'Vector' && isNumber ? inner[0] : type === 'Hash' ? inner[1] : undefined;
    return element === undefined ? null : this.closed([...alternatives(element), 'Nil']);
  }

  private ofElement({ recv, name, safe }: Ast.Member | Ast.Method): Union | null {
    if (safe || !ONE_ELEMENT.has(name) || this.types.of(recv) !== 'Vector') return null;
    const element = this.types.elementOf(recv);
    return element === null ? null : this.closed([...alternatives(element), 'Nil']);
  }

  /** What a method of the library returns for a value that may also be nil: `list.first.upcase`. */
  private ofResult({ recv, name, safe }: Ast.Member | Ast.Method): Union | null {
    const all = safe || this.types.of(recv) !== null ? null : this.of(recv);
    const [type, ...others] = [...(all ?? [])].filter((one) => one !== 'Nil');
    if (type === undefined || others.length > 0 || this.types.record(type) !== null) return null;
    if (this.checked.iterators.has(name) || this.types.method('Nil', name) !== null) return null;
    const result = this.types.method(type, name)?.result;
    return result === undefined ? null : this.closed(alternatives(result === 'self' ? type : result));
  }

  /** The difference of two dates is a number of days. */
  private ofDifference({ op, left, right }: Ast.Binary): Union | null {
    const areDates = op === '-' && this.types.of(left) === 'Date' && this.types.of(right) === 'Date';
    return areDates ? new Set(['Integer', 'Float']) : null;
  }

  private ofLogical({ op, left, right }: Ast.Logical): Union | null {
    const [a, b] = [this.of(left), this.of(right)];
    if (a === null || b === null) return null;
    // `or` returns its left side unless it is nil or false, `and` only then.
    const first = [...a].filter((type) => (op === 'or' ? type !== 'Nil' : type === 'Nil' || type === 'Boolean'));
    return new Set([...first, ...b]);
  }

  private ofBranches(bodies: readonly Ast.Expr[][], otherwise: readonly Ast.Expr[] | null): Union | null {
    const all = new Set<string>();
    for (const body of [...bodies, otherwise ?? []]) {
      const last = body.at(-1);
      if (last !== undefined && LEAVING.has(last.type)) continue;
      const types = last === undefined ? ['Nil'] : this.of(last);
      if (types === null) return null;
      for (const type of types) all.add(type);
    }
    return all.size === 0 ? null : all;
  }
}

/** Types as messages name them: `String`, `Integer or Float`. nil is left out beside others. */
export function unionText(types: Union): string {
  const names = types.size === 1 ? [...types] : [...types].filter((type) => type !== 'Nil');
  return names.map((name) => (name === 'Nil' ? 'nil' : name)).join(' or ');
}
