import type * as Ast from '../ast.js';
import { withoutNil } from '../annotationtypes.js';
import type { Types } from '../check/types.js';
import { typeNamed, moduleSymbol, variantOf } from '../resolve/outernames.js';
import { nameOfRecord, type DefSymbol, type ModuleScope, type Resolution } from '../symbols.js';
import { type KeyOwner, ownerOfKeys, PatternKeys, type Parts } from './patternkeys.js';
import type { ProgramAnalysis } from './program.js';
import { nameStart, type Target, type Targets } from './targets.js';

/** A name in the text of a file. */
export interface Occurrence {
  start: number;
  end: number;
  target: Target;
  role: 'declaration' | 'write' | 'read';
  /**
   * For a name that stands for two things at once: `label` in `f(a:)` and `{a}`, where a key is followed by the variable of
   * the same name.
   */
  short: 'key' | 'value' | null;
}

/** The name of an argument, in the order of the tree. */
export interface ArgumentName {
  start: number;
  end: number;
  name: string;
  /** The parameter or field that it names; null if it is unknown, or if it is an entry of the hash of options. */
  target: Target | null;
  short: 'key' | null;
  /**
   * The method of a value of unknown type, or an empty text for a function that is a value; null if it is known what is
   * called.
   */
  unknown: string | null;
}

type AnyNode =
  | Ast.Expr
  | Ast.Arg
  | Ast.Pattern
  | Ast.MatchPattern
  | Ast.SplatTarget
  | Ast.GroupTarget
  | Ast.Pair
  | Ast.RestMatch
  | Ast.FieldMatch;

const WORD = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/g;

/** The type of a value on which a member is called; of one that may be nil, that of the others. */
export function receiverType(types: Types, node: Ast.Expr): string | null {
  const type = types.of(node);
  if (type !== null) return type;
  const annotation = types.annotation(node);
  return annotation === null ? null : withoutNil(annotation);
}

/** What a short form such as `{a:}` has as its value: in the methods of a record it may be a member of `self`. */
type ShortValue = Ast.Ident | Ast.Member;

/** Whether a value is that of a short form, so that it stands at the place of its key. */
function isShortValue(value: Ast.Expr, keyStart: number): value is ShortValue {
  return (
    value.start === keyStart && (value.type === 'Ident' || (value.type === 'Member' && value.nameStart === keyStart))
  );
}

/** Finds the names in a file and what they stand for. */
class Finder {
  readonly found: Occurrence[] = [];
  readonly argumentNames: ArgumentName[] = [];
  private readonly resolution: Resolution;
  private readonly types: Types;
  private readonly written = new Set<Ast.Node>();
  /** Values in short forms, and fields after names that have been noted already. */
  private readonly short = new Set<Ast.Node>();
  private readonly owners = new Map<Ast.Def, string>();
  private readonly keys: PatternKeys;
  private stack: unknown[] = [];

  constructor(
    private readonly program: ProgramAnalysis,
    private readonly targets: Targets,
    private readonly module: ModuleScope,
  ) {
    this.resolution = program.resolution;
    this.types = program.types(module);
    this.keys = new PatternKeys(
      this.types,
      program.env.methods,
      (node) => this.recordNamed(node),
      (entry, owner) => this.shortMatch(entry, owner),
    );
  }

  run(): void {
    this.stack = [this.module.tree.stmts];
    while (this.stack.length > 0) {
      const item = this.stack.pop();
      if (item === null || typeof item !== 'object') continue;
      if ('type' in item) this.visit(item as AnyNode);
      else if ('types' in item && 'body' in item) this.rescue(item as Ast.Rescue);
      else if (!('type' in item) && 'params' in item && 'body' in item) this.params((item as Ast.Block).params ?? []);
      const values = Object.values(item);
      for (let i = values.length - 1; i >= 0; i--)
        if (values[i] !== null && typeof values[i] === 'object') this.stack.push(values[i]);
    }
  }

  private add(
    start: number,
    name: string,
    target: Target | null,
    role: Occurrence['role'] = 'read',
    short: Occurrence['short'] = null,
  ): void {
    // Nodes that stand for no text, such as the `self` before a field, are left out.
    if (target === null || name === '' || !this.module.text.startsWith(name, start)) return;
    this.found.push({ start, end: start + name.length, target, role, short });
  }

  /** The variable that a node declares or assigns. */
  private assigned(node: Ast.Node, name: string, start = node.start, short: Occurrence['short'] = null): void {
    const symbol = this.resolution.symbols.get(node);
    if (symbol?.kind === 'variable') this.add(start, name, this.targets.variable(symbol.variable), 'write', short);
  }

  private visit(node: AnyNode): void {
    switch (node.type) {
      case 'Ident':
        this.name(node);
        break;
      case 'Assign':
      case 'OpAssign':
        this.written.add(node.target);
        break;
      case 'MultiAssign':
        this.writes(node.targets);
        break;
      case 'HashDestructure':
        this.destructure(node);
        break;
      case 'ConstDecl':
        this.assigned(node.name, node.name.name);
        break;
      case 'NamePattern':
        this.assigned(node, node.name);
        break;
      case 'RestPattern':
        if (node.name !== null) this.assigned(node, node.name, node.end - node.name.length);
        break;
      case 'NameMatch':
        if (node.name !== null && !this.short.has(node)) this.assigned(node, node.name, node.end - node.name.length);
        break;
      case 'Match':
        this.keys.in(node.pattern, this.partsOf(node.subject));
        break;
      case 'CaseIn':
        for (const { pattern } of node.clauses) this.keys.in(pattern, this.partsOf(node.subject));
        break;
      case 'Index':
        this.index(node);
        break;
      case 'Lambda':
        this.params(node.params);
        break;
      case 'Pair':
        if (isShortValue(node.value, node.key.start)) this.shortValue(node.value);
        break;
      case 'Member':
        if (!this.short.has(node)) this.member(node);
        break;
      case 'Method':
        this.member(node);
        this.named(node.args, this.methodOf(node), this.unknownMethod(node));
        break;
      case 'Call':
        this.named(node.args, this.calledBy(node), this.isKnown(node.callee) ? null : '');
        break;
      default:
        this.declares(node);
    }
  }

  private declares(node: AnyNode): void {
    switch (node.type) {
      case 'Def':
        this.def(node);
        break;
      case 'RecordDecl':
        this.record(node);
        break;
      case 'InterfaceDecl':
        this.interfaceOf(node);
        break;
      case 'EnumDecl':
        this.add(node.name.start, node.name.name, this.targets.declaration(node, this.module), 'declaration');
        if (node.variants === null)
          for (const member of node.members)
            this.add(
              member.start,
              member.name,
              this.targets.member(member, this.module, node.name.name),
              'declaration',
            );
        break;
      case 'ErrorDecl':
        this.add(node.name.start, node.name.name, this.targets.declaration(node, this.module), 'declaration');
        if (node.parent !== null) this.add(node.parent.start, node.parent.name, this.typeNamed(node.parent.name));
        break;
      case 'ExportNames':
        for (const { name, start } of node.names) this.add(start, name, this.ofModule(name, this.module));
        break;
      case 'UseModule':
        this.useModule(node);
        break;
      default:
        break;
    }
  }

  private name(node: Ast.Ident): void {
    if (this.short.has(node)) return;
    const symbol = this.resolution.symbols.get(node);
    if (symbol === undefined) return;
    this.add(node.start, node.name, this.ofName(node), this.written.has(node) ? 'write' : 'read');
  }

  private ofName(node: Ast.Ident): Target | null {
    const symbol = this.resolution.symbols.get(node);
    if (symbol === undefined) return null;
    if (symbol.kind !== 'namespace') return this.targets.ofSymbol(symbol, node.name);
    const use = this.module.tree.stmts.find(
      (stmt): stmt is Ast.UseModule => stmt.type === 'UseModule' && stmt.alias?.name === node.name,
    );
    return use?.alias == null ? this.targets.file(symbol.module) : this.targets.namespace(use.alias, this.module);
  }

  private writes(targets: readonly (Ast.Target | Ast.SplatTarget | Ast.GroupTarget)[]): void {
    for (const target of targets) {
      if (target.type === 'GroupTarget') this.writes(target.targets);
      else if (target.type === 'SplatTarget') {
        if (target.target !== null) this.written.add(target.target);
      } else this.written.add(target);
    }
  }

  private rescue({ name }: Ast.Rescue): void {
    if (name !== null) this.assigned(name, name.name);
  }

  private shortValue(value: ShortValue): void {
    this.short.add(value);
    if (value.type === 'Member') this.member(value, 'value');
    else this.add(value.start, value.name, this.ofName(value), 'read', 'value');
  }

  // ---- declarations

  private params(params: readonly Ast.Param[]): void {
    for (const param of params) {
      const symbol = this.resolution.symbols.get(param);
      if (symbol?.kind === 'variable' && param.pattern === null && param.name !== 'self')
        this.add(nameStart(param), param.name, this.targets.variable(symbol.variable, param), 'declaration');
      if (param.annotation !== null) this.annotation(param.annotation, nameStart(param) + param.name.length);
    }
  }

  /** The types in an annotation that follows `from`. */
  private annotation(annotation: string, from: number): void {
    const at = this.module.text.indexOf(annotation, from);
    if (at < 0 || !/^[\s:(>*-]*$/.test(this.module.text.slice(from, at).replace(/\)/g, ''))) return;
    for (const { 0: word, index } of annotation.matchAll(WORD)) this.add(at + index, word, this.typeNamed(word));
  }

  /** A type of the program, or of the library. */
  private typeNamed(name: string): Target | null {
    const symbol = moduleSymbol(name, this.module, new Set());
    if (symbol !== null && (symbol.kind === 'def' || symbol.kind === 'type'))
      return this.targets.ofSymbol(symbol, name);
    return this.program.env.natives.has(name) ? this.targets.native(name) : null;
  }

  private def(node: Ast.Def): void {
    const owner = this.owners.get(node);
    const target =
      owner === undefined ? this.targets.declaration(node, this.module) : this.targets.method(node, this.module, owner);
    this.add(node.name.start, node.name.name, target, 'declaration');
    this.params(node.params);
    const last = node.params.at(-1);
    if (node.returns !== null) {
      const arrow = this.module.text.indexOf('->', last?.end ?? node.name.end);
      if (arrow >= 0) this.annotation(node.returns, arrow + 2);
    }
  }

  private record(node: Ast.RecordDecl): void {
    const name = nameOfRecord(node);
    if (!node.isLiteral) {
      const target = this.targets.declaration(node, this.module);
      this.add(node.name.start, target.name, target, 'declaration');
    }
    for (const field of node.fields) {
      const symbol = this.resolution.symbols.get(field);
      const variable = symbol?.kind === 'variable' ? symbol.variable : null;
      this.add(nameStart(field), field.name, this.targets.field(field, this.module, name, variable), 'declaration');
      if (field.annotation !== null) this.annotation(field.annotation, nameStart(field) + field.name.length);
    }
    for (const type of node.interfaces)
      if (type.type === 'Ident') this.add(type.start, type.name, this.typeNamed(type.name));
    for (const method of node.methods) this.owners.set(method, name);
  }

  /** The methods of an interface are resolved in the copies that records have of them. */
  private interfaceOf(node: Ast.InterfaceDecl): void {
    this.add(node.name.start, node.name.name, this.targets.declaration(node, this.module), 'declaration');
    for (const need of node.needs)
      this.add(need.start, need.name, this.targets.need(need, this.module, node.name.name), 'declaration');
    const [record] = this.resolution.implementers.get(node) ?? [];
    const copies = record === undefined ? [] : (this.resolution.methods.get(record.node as Ast.RecordDecl) ?? []);
    for (const method of node.methods) {
      this.owners.set(method, node.name.name);
      const copy = copies.find(
        ({ node: other, module }) => module === this.module && other.name.name === method.name.name,
      );
      if (copy === undefined || copy.node === method) continue;
      const { params, body } = copy.node as Ast.Def;
      this.params(params);
      this.stack.push(params, body);
    }
  }

  private useModule(node: Ast.UseModule): void {
    const target = this.resolution.modules.get(node);
    const at = this.module.text.indexOf(node.path, node.start);
    if (target === undefined || at < 0 || at > node.end) return;
    this.add(at, node.path, this.targets.file(target));
    if (node.alias !== null)
      this.add(node.alias.start, node.alias.name, this.targets.namespace(node.alias, this.module), 'declaration');
  }

  // ---- members and arguments

  /** The function or method whose parameters the arguments of a call name. */
  private calledBy({ callee }: Ast.Call): DefSymbol | null {
    const symbol = callee.type === 'Ident' ? this.resolution.symbols.get(callee) : undefined;
    return symbol?.kind === 'def' && !symbol.module.isPrelude ? symbol : null;
  }

  private methodOf(node: Ast.Method): DefSymbol | null {
    const symbol = node.recv.type === 'Ident' ? this.resolution.symbols.get(node.recv) : undefined;
    if (symbol?.kind === 'namespace') {
      const member = moduleSymbol(node.name, symbol.module, new Set());
      return member?.kind === 'def' ? member : null;
    }
    const variant = variantOf(this.resolution, node);
    if (variant !== null) return variant;
    const record = this.recordOf(node.recv);
    if (record === null) return null;
    const methods = this.resolution.methods.get(record.node as Ast.RecordDecl) ?? [];
    const own = methods.find(({ node: method }) => method.name.name === node.name);
    return own ?? (node.name === 'with' || node.name === 'copy' ? record : null);
  }

  private recordOf(node: Ast.Expr): DefSymbol | null {
    const type = receiverType(this.types, node);
    return type === null ? null : this.types.record(type);
  }

  /** Whether the function that a call names is known: one of the program, or of the library. */
  private isKnown(callee: Ast.Expr): boolean {
    if (callee.type !== 'Ident') return false;
    const kind = this.resolution.symbols.get(callee)?.kind;
    return kind === 'def' || kind === 'type' || kind === 'native';
  }

  /** The name of a method if it is unknown what that is; empty if the receiver may be a function that it calls. */
  private unknownMethod(node: Ast.Method): string | null {
    const symbol = node.recv.type === 'Ident' ? this.resolution.symbols.get(node.recv) : undefined;
    if (symbol?.kind === 'namespace') return moduleSymbol(node.name, symbol.module, new Set()) === null ? '' : null;
    if (symbol?.kind === 'type' || variantOf(this.resolution, node) !== null) return null;
    const type = receiverType(this.types, node.recv);
    if (type === null || type === 'Function') return node.name === 'call' ? '' : type === null ? node.name : null;
    // Interfaces and enums have records of several types.
    return this.types.record(type) === null && !this.program.env.methods.has(type) ? node.name : null;
  }

  /**
   * Names of arguments, which are those of parameters or fields.
   * @param unknown as in `ArgumentName`
   */
  private named(args: readonly Ast.Arg[], def: DefSymbol | null, unknown: string | null): void {
    for (const arg of args) {
      if (arg.type !== 'NamedArg') continue;
      const isShort = isShortValue(arg.value, arg.start);
      if (isShort) this.shortValue(arg.value as ShortValue);
      const params = def?.node.type === 'RecordDecl' ? def.node.fields : def?.params;
      const param = params?.find(({ name, kind }) => name === arg.name && kind !== 'rest' && kind !== 'options');
      const target = def === null || param === undefined ? null : this.ofParam(param, def);
      const short = isShort ? 'key' : null;
      const { start, name } = arg;
      if (this.module.text.startsWith(name, start))
        this.argumentNames.push({
          start,
          end: start + name.length,
          name,
          target,
          short,
          unknown: def === null ? unknown : null,
        });
      this.add(start, name, target, 'read', short);
    }
  }

  private ofParam(param: Ast.Param, { node, module }: DefSymbol): Target | null {
    const symbol = this.resolution.symbols.get(param);
    const variable = symbol?.kind === 'variable' ? symbol.variable : null;
    if (node.type === 'RecordDecl') return this.targets.field(param, module, nameOfRecord(node), variable);
    return variable === null ? null : this.targets.variable(variable, param);
  }

  private member(node: Ast.Member | Ast.Method, short: Occurrence['short'] = null): void {
    const symbol = node.recv.type === 'Ident' ? this.resolution.symbols.get(node.recv) : undefined;
    const role = this.written.has(node) ? 'write' : 'read';
    const target =
      symbol?.kind === 'namespace'
        ? this.ofModule(node.name, symbol.module)
        : (this.ofType(node) ?? this.ofReceiver(node));
    // In `map(&:name)`, `map(&.name)` and `map(&"name")` the node starts before the name.
    const { text } = this.module;
    const start = /[:."']/.test(text[node.nameStart]) ? node.nameStart + 1 : node.nameStart;
    this.add(start, node.name, target, role, short);
  }

  /** `Enum.Member` */
  private ofType(node: Ast.Member | Ast.Method): Target | null {
    const variant = variantOf(this.resolution, node);
    if (variant !== null) return this.targets.ofDef(variant);
    const type = typeNamed(this.resolution, node.recv);
    if (type?.kind !== 'type' || type.node.type !== 'EnumDecl') return null;
    const member = type.node.members.find(({ name }) => name === node.name);
    return member === undefined ? null : this.targets.member(member, type.module, type.name);
  }

  private ofReceiver(node: Ast.Member | Ast.Method): Target | null {
    const type = receiverType(this.types, node.recv);
    if (type === null) return this.targets.unknown(node.name);
    const record = this.types.record(type);
    if (record !== null) {
      const declared = record.node as Ast.RecordDecl;
      const methods = this.resolution.methods.get(declared) ?? [];
      const own = methods.find(({ node: method }) => method.name.name === node.name);
      if (own !== undefined) return this.targets.method(own.node as Ast.Def, own.module, nameOfRecord(declared));
      const field = declared.fields.find(({ name }) => name === node.name);
      if (field !== undefined) return this.ofParam(field, record);
      return this.targets.native(node.name, 'Record');
    }
    const { methods } = this.program.env;
    const owner =
      methods.get(type)?.has(node.name) === true ? type : methods.get('Any')?.has(node.name) === true ? 'Any' : type;
    return this.targets.native(node.name, owner);
  }

  /** A name that a file offers to others. */
  private ofModule(name: string, module: ModuleScope): Target | null {
    const variable = module.main.root.names.get(name);
    if (variable !== undefined) return this.targets.variable(variable);
    const symbol = moduleSymbol(name, module, new Set());
    return symbol === null ? this.targets.unknown(name) : this.targets.ofSymbol(symbol, name);
  }

  // ---- patterns and keys

  private partsOf(node: Ast.Expr): Parts {
    return { type: receiverType(this.types, node), element: this.types.elementOf(node) };
  }

  private recordNamed(node: Ast.Expr): DefSymbol | null {
    const symbol = variantOf(this.resolution, node) ?? typeNamed(this.resolution, node);
    return symbol?.kind === 'def' && symbol.node.type === 'RecordDecl' ? symbol : null;
  }

  /** A key, which is a field if the value that has it is a record. */
  private key(start: number, name: string, owner: KeyOwner, short: Occurrence['short'], role?: 'write'): void {
    if (owner === null) return;
    const field =
      owner === 'unknown' ? undefined : (owner.node as Ast.RecordDecl).fields.find((one) => one.name === name);
    if (owner !== 'unknown' && field === undefined) return;
    const target = owner === 'unknown' ? this.targets.unknown(name) : this.ofParam(field as Ast.Param, owner);
    // `"name"` and `:name`
    const isText = /["':]/.test(this.module.text[start]);
    this.add(isText ? start + 1 : start, name, target, role, short);
  }

  /** `name:` and `name: pattern` in a pattern. */
  private shortMatch(entry: Ast.FieldMatch, owner: KeyOwner): void {
    const { pattern } = entry;
    const isShort = pattern.type === 'NameMatch' && pattern.start === entry.start;
    this.key(entry.start, entry.key, owner, isShort ? 'key' : null);
    if (!isShort || pattern.name === null) return;
    this.short.add(pattern);
    this.assigned(pattern, pattern.name, pattern.start, 'value');
  }

  /** `{a, b: c} = value` */
  private destructure({ entries, value }: Ast.HashDestructure): void {
    const owner = this.ownerOf(value);
    for (const { key, start, name } of entries) {
      const isShort = start === name.start;
      this.key(start, key, owner, isShort ? 'key' : null);
      this.assigned(name, name.name, name.start, isShort ? 'value' : null);
    }
  }

  /** `record["field"]`, where the value is certainly a record: texts in indexes are mostly keys of hashes. */
  private index(node: Ast.Index): void {
    const [key] = node.args;
    if (node.args.length !== 1 || key.type !== 'Str') return;
    const owner = this.ownerOf(node.recv);
    if (owner !== 'unknown') this.key(key.start, key.value, owner, null, this.written.has(node) ? 'write' : undefined);
  }

  private ownerOf(node: Ast.Expr): KeyOwner {
    return ownerOfKeys(receiverType(this.types, node), this.types, this.program.env.methods);
  }
}

/** The names in a file in the order of their offsets, each once; and the names of arguments. */
export function occurrencesIn(
  program: ProgramAnalysis,
  targets: Targets,
  module: ModuleScope,
): { occurrences: Occurrence[]; argumentNames: ArgumentName[] } {
  const finder = new Finder(program, targets, module);
  finder.run();
  const { found, argumentNames } = finder;
  found.sort((a, b) => a.start - b.start || a.end - b.end);
  const out: Occurrence[] = [];
  for (const occurrence of found) {
    const last = out.at(-1);
    const isNew = last?.start !== occurrence.start;
    // The two names of a short form stand at the same place. If they mean the same, it stays short when renamed.
    if (isNew || (last.target !== occurrence.target && last.short !== occurrence.short)) out.push(occurrence);
    else if (last.short !== occurrence.short) last.short = null;
  }
  for (const occurrence of out) {
    const { target, role } = occurrence;
    if (role !== 'write' || target.module !== module || target.start >= 0) continue;
    target.start = occurrence.start;
    occurrence.role = 'declaration';
  }
  return { occurrences: out, argumentNames };
}
