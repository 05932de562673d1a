import type * as Ast from '../ast.js';
import { nameOfRecord, type DefSymbol, type ModuleScope, type Symbol, type Variable } from '../symbols.js';

export type TargetKind =
  | 'variable'
  | 'parameter'
  | 'constant'
  | 'function'
  | 'method'
  | 'field'
  | 'record'
  | 'interface'
  | 'enum'
  | 'member'
  | 'error'
  | 'namespace'
  | 'file'
  | 'native'
  | 'unknown';

/** What a name in a program stands for. Two names stand for the same if their targets are the same object. */
export interface Target {
  readonly kind: TargetKind;
  readonly name: string;
  /** The file that declares it; null for what belongs to the library, and for names that are unknown. */
  readonly module: ModuleScope | null;
  /** Offset of the name in its declaration; −1 if it has none. A variable's is known once its file has been read. */
  start: number;
  /** The type that has this member; empty for others. */
  readonly owner: string;
  readonly node:
    Ast.Def | Ast.RecordDecl | Ast.InterfaceDecl | Ast.EnumDecl | Ast.ErrorDecl | Ast.Param | Ast.Node | null;
  readonly variable: Variable | null;
  /** Declared in a method or function: the name of a parameter, which calls may use. */
  readonly param: Ast.Param | null;
}

const DECLARED: Partial<Record<string, TargetKind>> = {
  Def: 'function',
  RecordDecl: 'record',
  InterfaceDecl: 'interface',
  EnumDecl: 'enum',
  ErrorDecl: 'error',
};

/** The targets of a program. */
export class Targets {
  private readonly byPlace = new Map<string, Target>();
  private readonly byVariable = new Map<Variable, Target>();
  private readonly byName = new Map<string, Target>();
  /** Fields of records by the variables of their constructors. */
  private readonly fields = new Map<Variable, Target>();

  private declared(
    kind: TargetKind,
    name: string,
    module: ModuleScope,
    start: number,
    node: Target['node'],
    owner = '',
    param: Ast.Param | null = null,
  ): Target {
    const key = `${kind} ${start} ${module.path}`;
    const known = this.byPlace.get(key);
    if (known !== undefined) return known;
    const target: Target = { kind, name, module, start, owner, node, variable: null, param };
    this.byPlace.set(key, target);
    return target;
  }

  /** A function, type, or constructor of a record. */
  declaration(
    node: Ast.Def | Ast.RecordDecl | Ast.InterfaceDecl | Ast.EnumDecl | Ast.ErrorDecl,
    module: ModuleScope,
  ): Target {
    const name = node.type === 'RecordDecl' ? nameOfRecord(node) : node.name.name;
    const dot = name.indexOf('.');
    return this.declared(
      dot < 0 ? (DECLARED[node.type] as TargetKind) : 'member',
      name.slice(dot + 1),
      module,
      node.name.start,
      node,
      name.slice(0, Math.max(0, dot)),
    );
  }

  method(node: Ast.Def, module: ModuleScope, owner: string): Target {
    return this.declared('method', node.name.name, module, node.name.start, node, owner);
  }

  field(param: Ast.Param, module: ModuleScope, owner: string, variable: Variable | null): Target {
    const target = this.declared('field', param.name, module, nameStart(param), param, owner, param);
    if (variable !== null) this.fields.set(variable, target);
    return target;
  }

  /** What an interface needs. */
  need(name: Ast.Name, module: ModuleScope, owner: string): Target {
    return this.declared('method', name.name, module, name.start, name, owner);
  }

  member(name: Ast.Name, module: ModuleScope, owner: string): Target {
    return this.declared('member', name.name, module, name.start, name, owner);
  }

  file(module: ModuleScope): Target {
    return this.declared('file', module.path, module, 0, module.tree);
  }

  /** The name of a file in the file that imports it. */
  namespace(alias: Ast.Name, module: ModuleScope): Target {
    return this.declared('namespace', alias.name, module, alias.start, alias);
  }

  native(name: string, owner = ''): Target {
    return this.nowhere('native', name, owner);
  }

  unknown(name: string): Target {
    return this.nowhere('unknown', name, '');
  }

  private nowhere(kind: TargetKind, name: string, owner: string): Target {
    const key = `${kind} ${owner}.${name}`;
    const known = this.byName.get(key);
    if (known !== undefined) return known;
    const target: Target = { kind, name, module: null, start: -1, owner, node: null, variable: null, param: null };
    this.byName.set(key, target);
    return target;
  }

  variable(given: Variable, param: Ast.Param | null = null): Target {
    let variable = given;
    while (variable.copyOf !== null) variable = variable.copyOf;
    const known = this.fields.get(variable) ?? this.byVariable.get(variable);
    if (known !== undefined) return known;
    const kind =
      param !== null ? 'parameter' : variable.isConstant || isConstantName(variable) ? 'constant' : 'variable';
    const { module } = variable.scope.fn;
    const start = param === null ? -1 : nameStart(param);
    const target: Target = { kind, name: variable.name, module, start, owner: '', node: param, variable, param };
    this.byVariable.set(variable, target);
    return target;
  }

  ofDef({ node, module }: DefSymbol): Target {
    return this.declaration(node, module);
  }

  /** What a resolved name stands for; null for a name of the library that programs cannot write. */
  ofSymbol(symbol: Symbol, name: string): Target | null {
    switch (symbol.kind) {
      case 'variable':
        return this.variable(symbol.variable);
      case 'def':
        return symbol.module.isPrelude ? this.native(symbol.name) : this.ofDef(symbol);
      case 'type':
        return this.declaration(symbol.node, symbol.module);
      case 'native':
        return symbol.name.startsWith('%') ? null : this.native(symbol.name);
      case 'namespace':
        return this.file(symbol.module);
      default:
        return this.unknown(name);
    }
  }
}

function isConstantName({ name, scope }: Variable): boolean {
  return scope.isModuleRoot && /^[A-Z][A-Z0-9_]*$/.test(name);
}

/** Where the name of a parameter starts: after `*` or `**`. */
export function nameStart({ kind, start }: Ast.Param): number {
  return start + (kind === 'rest' ? 1 : kind === 'options' ? 2 : 0);
}
