import { argumentsOf, withoutNil } from '../annotationtypes.js';
import type * as Ast from '../ast.js';
import type { Types } from '../check/types.js';
import type { DefSymbol } from '../symbols.js';

/** What is known of a value that is taken apart: its type, and the annotation of its elements. */
export interface Parts {
  readonly type: string | null;
  readonly element: string | null;
}

/** The parts of a value with an annotation. */
function annotated(annotation: string | null): Parts {
  const type = annotation === null ? null : withoutNil(annotation);
  return { type, element: type === 'Vector' ? (argumentsOf(annotation as string)[0] ?? null) : null };
}

/** The record that has the keys of values of a type as fields; null if it is none, `unknown` if they may be of one. */
export function ownerOfKeys(type: string | null, types: Types, builtIn: ReadonlyMap<string, unknown>): KeyOwner {
  if (type === null) return 'unknown';
  return types.record(type) ?? (builtIn.has(type) ? null : 'unknown');
}

export type KeyOwner = DefSymbol | 'unknown' | null;

/** Calls `found` for each key in a pattern. */
export class PatternKeys {
  constructor(
    private readonly types: Types,
    private readonly builtIn: ReadonlyMap<string, unknown>,
    /** The record that a pattern names. */
    private readonly recordOf: (node: Ast.Expr) => DefSymbol | null,
    private readonly found: (entry: Ast.FieldMatch, owner: KeyOwner) => void,
  ) {}

  /** @param parts what is known of the value that the pattern takes apart */
  in(pattern: Ast.MatchPattern | Ast.RestMatch, parts: Parts): void {
    switch (pattern.type) {
      case 'NamedMatch':
        return this.in(pattern.pattern, parts);
      case 'AnyMatch':
        for (const option of pattern.options) this.in(option, parts);
        return;
      case 'VectorMatch':
        for (const item of pattern.items) this.in(item, annotated(parts.element));
        return;
      case 'HashMatch':
        return this.fields(pattern.entries, ownerOfKeys(parts.type, this.types, this.builtIn), parts.type);
      case 'RecordMatch':
        return this.record(pattern);
      default:
    }
  }

  private record({ record, positional, fields }: Ast.RecordMatch): void {
    const owner = this.recordOf(record);
    const type = owner === null ? null : this.types.typeNamed(record);
    const declared = owner === null ? [] : (owner.node as Ast.RecordDecl).fields;
    positional.forEach((item, at) => this.in(item, this.field(type, declared[at]?.name)));
    this.fields(fields, owner, type);
  }

  private fields(entries: readonly Ast.FieldMatch[], owner: KeyOwner, type: string | null): void {
    for (const entry of entries) {
      this.found(entry, owner);
      this.in(entry.pattern, this.field(type, entry.key));
    }
  }

  private field(type: string | null, name: string | undefined): Parts {
    return annotated(type === null || name === undefined ? null : this.types.ofField(type, name));
  }
}
