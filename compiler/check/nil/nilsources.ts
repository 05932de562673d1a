import type * as Ast from '../../ast.js';
import { lineStarts, positionAt } from '../../../vm/bytecode/position.js';
import type { DefSymbol } from '../../symbols.js';
import { allowsNil, alternatives, annotationOf } from '../../annotationtypes.js';
import type { Checked } from '../environment.js';
import { Constants } from '../constants.js';
import { importedDef } from '../membertypes.js';
import type { Types } from '../types.js';
import { returnedBy } from './tails.js';
import { walk } from '../walk.js';
import type { Cause } from './nilstate.js';
import type { Relations } from './relations.js';

/** Iterators that return nil if no element fits. */
const FINDING = new Set(['find', 'detect', 'find_index', 'rindex']);
/** Maximum number of functions, and of variables, that are followed from one call. */
const MAX_DEPTH = 8;

/** Finds out which expressions may be nil, and why. */
export class NilSources {
  private readonly ofDefs = new Map<Ast.Def, string | null>();
  private readonly constants: Constants;
  private starts: number[] | null = null;
  private depth = 0;

  constructor(
    private readonly checked: Checked,
    private readonly types: Types,
    private readonly relations: Relations,
  ) {
    this.constants = new Constants(checked, types);
  }

  /** Why the value of a call or a field may be nil; null if that is not certain. */
  of(node: Ast.Expr): Cause | null {
    const reason = this.reason(node);
    if (reason === null) return null;
    const on = new Set(this.relations.direct(node));
    this.addValues(node, on);
    // What another field says may decide whether this one is nil.
    const owner = node.type === 'Member' ? this.relations.pathOf(node.recv) : null;
    if (owner !== null) on.add(owner);
    return { reason, on, path: this.relations.pathOf(node) };
  }

  /** Of a variable to which nil is assigned. */
  ofNil(node: Ast.Nil): Cause {
    return { reason: `line ${this.lineOf(node)} sets it to nil`, on: new Set(), path: null, isSet: true };
  }

  /** Why a parameter may be nil. */
  ofParameter(param: Ast.Param): Cause | null {
    if (param.pattern !== null || param.kind === 'rest' || param.kind === 'options') return null;
    const { annotation: written } = param;
    const annotation = written !== null && allowsNil(written) ? written : annotationOf(param);
    const isNil = param.default?.type === 'Nil';
    if (!isNil && (param.default !== null || annotation === null || !allowsNil(annotation))) return null;
    const reason = annotation === null ? 'its default is nil' : `its type is ${annotation}`;
    return { reason, on: new Set(), path: null };
  }

  /** Adds what the only values of the variables in an expression read. */
  private addValues(node: Ast.Expr, on: Set<string>): void {
    walk(node, (part) => {
      const variable = part.type === 'Ident' ? this.types.fixed(part) : null;
      const value = variable === null ? null : this.types.valueOf(variable);
      if (value !== null) for (const path of this.relations.direct(value)) on.add(path);
    });
  }

  private reason(node: Ast.Expr): string | null {
    if (node.type !== 'Call' && node.type !== 'Method' && node.type !== 'Member') return null;
    if (node.type !== 'Call' && node.safe) return null;
    const declared = this.types.nilable(node);
    if (declared === null) return this.inferred(node);
    // A call for its effect, such as `halt(404)`, has no value.
    if (declared.type === null && alternatives(this.types.annotation(node) ?? '').every((name) => name === 'Nil'))
      return null;
    if (this.constants.are(node)) return null;
    if (node.type === 'Call') return `${(node.callee as Ast.Ident).name}() returns ${this.types.declared(node)}`;
    if (node.type === 'Method' && node.block !== null) return this.search(node);
    return `${node.name} returns ${this.types.declared(node)}`;
  }

  private search(node: Ast.Method): string | null {
    return FINDING.has(node.name) &&
      this.types.of(node.recv) !== null &&
      this.checked.resolution.templates.has(node) &&
      !this.constants.are(node)
      ? `${node.name} returns nil if no element fits`
      : null;
  }

  // ---- functions without an annotated result

  private inferred(node: Ast.Call | Ast.Method | Ast.Member): string | null {
    if (node.type === 'Method' && node.block !== null && FINDING.has(node.name)) return this.search(node);
    const def = this.called(node);
    if (def === null || def.node.type !== 'Def' || def.node.returns !== null || def.module.isPrelude) return null;
    const reason = this.ofDef(def);
    if (reason === null) return null;
    // The author of a call with constants can see what it returns.
    const args = node.type === 'Member' ? [] : node.args;
    if (args.length > 0 && args.every((arg) => this.constants.are(arg))) return null;
    return reason;
  }

  private called(node: Ast.Call | Ast.Method | Ast.Member): DefSymbol | null {
    const { resolution } = this.checked;
    if (node.type === 'Call') {
      const symbol = resolution.symbols.get(node.callee);
      return symbol?.kind === 'def' ? symbol : null;
    }
    const imported = importedDef(node, this.checked);
    if (imported !== null) return node.type === 'Method' ? imported : null;
    const type = this.types.of(node.recv);
    const record = type === null ? null : this.types.record(type);
    if (record === null) return null;
    const all = resolution.methods.get(record.node as Ast.RecordDecl) ?? [];
    return all.find(({ name }) => name === `${record.name}.${node.name}`) ?? null;
  }

  private ofDef(def: DefSymbol): string | null {
    const node = def.node as Ast.Def;
    const known = this.ofDefs.get(node);
    if (known !== undefined || this.depth >= MAX_DEPTH) return known ?? null;
    // A function that calls itself returns nothing more.
    this.ofDefs.set(node, null);
    this.depth++;
    const found = def.module === this.checked.module ? this.ofBody(node) : null;
    this.depth--;
    this.ofDefs.set(node, found);
    return found;
  }

  private ofBody(def: Ast.Def): string | null {
    const { nils, values } = returnedBy(def);
    if (nils.length > 0) return this.returnsNil(def, nils[0]);
    for (const value of values) {
      const reason = this.reason(value);
      if (reason !== null) return `${def.name.name}() may return nil: ${reason}`;
    }
    return null;
  }

  private returnsNil(def: Ast.Def, node: Ast.Node): string {
    return `${def.name.name}() may return nil, in line ${this.lineOf(node)}`;
  }

  private lineOf({ start }: Ast.Node): number {
    this.starts ??= lineStarts(this.checked.module.text);
    return positionAt(this.starts, start).line;
  }
}
