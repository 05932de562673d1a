import type * as Ast from '../ast.js';
import { hasBreak } from '../resolve/blockexits.js';
import { typeSymbol } from '../resolve/outernames.js';
import type { DefSymbol, ModuleScope, TypeSymbol, Variable } from '../symbols.js';
import {
  allowsNil,
  alternatives,
  annotationOf,
  argumentsOf,
  fits,
  functionOf,
  isConcrete,
  single,
  withoutNil,
  type Known,
} from '../annotationtypes.js';
import { partOf, PARTS } from './declaredparts.js';
import { breaksConstraint } from './literals.js';
import { enumMembers } from './fitting.js';
import { otherArity } from './functiontypes.js';
import { importedDef, ofEnumMember, recordNamed, seenFrom } from './membertypes.js';
import type { Checked, NativeSignature } from './environment.js';
import { Narrowing, TESTS } from './narrowing.js';
import { PossibleTypes, unionText } from './possibletypes.js';
import { walkNodes } from './walk.js';

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
const DECIMALS = new Set(['Integer', 'Decimal']);
const SUMS = new Set(['+', '-']);
const COMPARISONS = new Set(['<', '<=', '>', '>=', '==', '!=', '!~']);

/** What the first parameter of a function is that is passed to a method of an application or a group. */
const HANDLERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['get', 'post', 'put', 'patch', 'delete'].flatMap((name) => [
      [name, 'SvcRequest'],
      [`${name}_async`, 'SvcRequest'],
    ]),
  ),
  before: 'SvcRequest',
  use: 'SvcRequest',
  not_found: 'SvcRequest',
  group: 'SvcGroup',
  websocket: 'SvcWebSocket',
};

/** Iterators whose block receives one element after another. */
export const OF_ELEMENTS = new Set(
  'each map select filter reject find detect any? all? none? flat_map each_with_index map_with_index sum count partition group_by sort_by min_by max_by filter_map'.split(
    ' ',
  ),
);

/** Methods of job queues whose block receives a job. */
const OF_JOBS = new Set(['handle', 'every']);

/** Methods of vectors whose results hold elements of their receiver. */
const SAME_ELEMENTS = new Set(
  'select filter reject sort sort_by reverse uniq compact take drop take_while drop_while first last shuffle rotate'.split(
    ' ',
  ),
);

/** Functions of the library, and methods of strings, that return vectors of texts. */
const TEXTS_OF_CALLS = new Set(['argv', 'file_lines', 'dir_list']);
const TEXTS_OF_STRINGS = new Set(['split', 'lines', 'chars']);

/** Types whose iterators return what the library declares. */
const COLLECTIONS = new Set(['Vector', 'Hash', 'Range', 'String', 'Integer', 'Float', 'Set', 'Bytes', 'Enum']);

/** A value that does not fit an annotation. */
export interface Mismatch {
  node: Ast.Expr;
  type: string;
  annotation: string;
  /** The value as messages show it, in place of its type. */
  shown?: string;
}

/** Infers the types of expressions from the text alone. Never guesses: a value that may have two types is unknown. */
export class Types {
  /** The value of each variable that has exactly one assignment. */
  private readonly values = new Map<Variable, Ast.Expr>();
  private readonly annotations = new Map<Variable, string>();
  /** Parameters of blocks, by their position: the call that the block belongs to. */
  private readonly ofBlocks = new Map<Variable, { call: Ast.Method; at: number }>();
  /** Variables of `for`, by their position: their loop. */
  private readonly ofLoops = new Map<Variable, { loop: Ast.For; at: number }>();
  private readonly narrowing = new Narrowing(this);
  private readonly union: PossibleTypes;
  /** Whether a record of the program defines `!`. */
  private readonly hasOwnNot: boolean;
  private depth = 0;

  /** @param known types of variables that nothing in the text declares */
  constructor(
    private readonly checked: Checked,
    known: ReadonlyMap<Variable, string> = new Map(),
  ) {
    const { resolution, module } = checked;
    this.union = new PossibleTypes(checked, this);
    this.hasOwnNot = [...resolution.methods.values()].some((all) => all.some(({ name }) => name.endsWith('.!')));
    for (const [variable, type] of known) this.annotations.set(variable, type);
    walkNodes(module.tree, ['Assign', 'ConstDecl'], (node) => {
      const symbol = resolution.symbols.get(node.type === 'Assign' ? node.target : node.name);
      if (symbol?.kind === 'variable') this.values.set(symbol.variable, node.value);
    });
    walkNodes(module.tree, TESTS, (node) => this.narrowing.note(node));
    walkNodes(module.tree, ['Method'], (node) => this.enter(node));
    walkNodes(module.tree, ['For'], (node) => this.enterLoop(node));
    for (const [node, symbol] of resolution.symbols) {
      const annotation = 'annotation' in node ? annotationOf(node as Ast.Param) : null;
      if (symbol.kind === 'variable' && annotation !== null) this.annotations.set(symbol.variable, annotation);
    }
    walkNodes(module.tree, ['RecordDecl'], (node) => {
      for (const { params } of node.methods) {
        const self = resolution.symbols.get(params[0]);
        if (self?.kind === 'variable') this.annotations.set(self.variable, node.name.name);
      }
    });
  }

  /** Notes the parameters of a block, or of a function written as an argument. */
  private enter(call: Ast.Method): void {
    const { resolution } = this.checked;
    const fn = call.block ?? call.args.find((arg): arg is Ast.Lambda => arg.type === 'Lambda');
    if (fn === undefined) return;
    const implicit = fn.params === null ? resolution.implicit.get(fn) : undefined;
    if (implicit !== undefined) this.ofBlocks.set(implicit, { call, at: 0 });
    fn.params?.forEach((param, at) => {
      const symbol = resolution.symbols.get(param);
      const isPlain = param.kind === 'plain' && param.default === null && param.pattern === null;
      if (symbol?.kind === 'variable' && isPlain) this.ofBlocks.set(symbol.variable, { call, at });
    });
  }

  private enterLoop(loop: Ast.For): void {
    if (loop.targets.some(({ type }) => type !== 'NamePattern')) return;
    loop.targets.forEach((target, at) => {
      const own = this.checked.resolution.symbols.get(target);
      if (own?.kind === 'variable') this.ofLoops.set(own.variable, { loop, at });
    });
  }

  /** All types that a value may have; null if others are possible. */
  possible(node: Ast.Expr): ReadonlySet<string> | null {
    return this.deeper(() => this.union.of(node), null);
  }

  of(node: Ast.Expr): Known {
    const literal = LITERALS[node.type];
    if (literal !== undefined) return literal;
    return this.deeper(() => this.compound(node), null);
  }

  private deeper<T>(compute: () => T, otherwise: T): T {
    if (this.depth > MAX_DEPTH) return otherwise;
    this.depth++;
    const result = compute();
    this.depth--;
    return result;
  }

  private compound(node: Ast.Expr): Known {
    switch (node.type) {
      case 'Ident':
        return this.variable(node);
      case 'Unary':
        if (node.op !== 'not') return this.number(node.operand);
        return this.hasOwnNot ? null : 'Boolean';
      case 'Binary':
        return this.binary(node);
      case 'Assign':
        return this.of(node.value);
      case 'Call':
      case 'Method':
      case 'Member': {
        const declared = this.declared(node);
        return declared === null ? null : single(declared);
      }
      default:
        return null;
    }
  }

  private number(node: Ast.Expr): Known {
    const type = this.of(node);
    return type !== null && (NUMBERS.has(type) || type === 'Decimal') ? type : null;
  }

  /** The variable that a name stands for if it has one value from the start to the end. */
  fixed(node: Ast.Expr): Variable | null {
    const symbol = node.type === 'Ident' ? this.checked.resolution.symbols.get(node) : undefined;
    if (symbol?.kind !== 'variable') return null;
    const variable = symbol.variable.copyOf ?? symbol.variable;
    // Unknown if there are several assignments, or the only one may not have run yet.
    return variable.assignments === 1 && !variable.conditional ? variable : null;
  }

  /** The only value of a variable, if it is known. */
  valueOf(variable: Variable): Ast.Expr | null {
    return this.values.get(variable) ?? null;
  }

  private variable(node: Ast.Ident): Known {
    const variable = this.fixed(node);
    if (variable === null) return this.ofLoop(node);
    return this.narrowing.of(variable, node) ?? this.ofVariable(variable);
  }

  /** The type that an expression names, if its values have no other type: of the library, or a record. */
  typeNamed(node: Ast.Expr): string | null {
    if (node.type === 'Member' && node.recv.type === 'Ident' && recordNamed(node, this.checked) !== null) {
      const name = `${node.recv.name}.${node.name}`;
      return this.record(name) === null ? null : name;
    }
    const symbol = node.type === 'Ident' ? this.checked.resolution.symbols.get(node) : undefined;
    if (symbol?.kind === 'native') return isConcrete(symbol.name) ? symbol.name : null;
    return symbol?.kind === 'def' && this.record(symbol.name) === symbol ? symbol.name : null;
  }

  /** The built-in type that a name stands for; null for all others. */
  builtInNamed(node: Ast.Expr): string | null {
    const symbol = node.type === 'Ident' ? this.checked.resolution.symbols.get(node) : undefined;
    return symbol?.kind === 'native' && this.checked.env.statics.has(symbol.name) ? symbol.name : null;
  }

  /** The type of a variable that has one value from the start to the end. */
  ofVariable(variable: Variable): Known {
    const annotation = this.annotations.get(variable);
    if (annotation !== undefined) return single(annotation);
    const value = this.values.get(variable);
    if (value !== undefined) return this.of(value);
    const of = this.ofBlocks.get(variable);
    const parameter = of === undefined ? null : this.parameter(of.call, of.at);
    return parameter === null ? null : single(parameter);
  }

  /** The type of the variable of a `for`, inside the loop. */
  private ofLoop(node: Ast.Ident): Known {
    const annotation = this.loopAnnotation(node);
    return annotation === null ? null : single(annotation);
  }

  private loopAnnotation(node: Ast.Ident): string | null {
    const symbol = this.checked.resolution.symbols.get(node);
    const of = symbol?.kind === 'variable' ? this.ofLoops.get(symbol.variable) : undefined;
    if (symbol?.kind !== 'variable' || of === undefined || symbol.variable.assignments > 1) return null;
    const { loop, at } = of;
    if (node.start <= loop.iter.end || node.end > loop.end) return null;
    if (this.of(loop.iter) === 'Hash') return this.pairOf(loop.iter)[at] ?? null;
    return loop.targets.length === 1 ? this.elementOf(loop.iter) : null;
  }

  /** The collection whose elements a variable of a `for`, or of a block of an iterator, holds; null for others. */
  elementsOf(variable: Variable): Ast.Expr | null {
    const of = this.ofBlocks.get(variable);
    if (of !== undefined) return of.at === 0 && OF_ELEMENTS.has(of.call.name) ? of.call.recv : null;
    const loop = variable.assignments > 1 ? undefined : this.ofLoops.get(variable);
    return loop?.loop.targets.length === 1 ? loop.loop.iter : null;
  }

  /** The type of a parameter of the block of a call, as an annotation. */
  private parameter(call: Ast.Method, at: number): string | null {
    const recv = this.of(call.recv);
    if (recv === 'SvcApp' || recv === 'SvcGroup') return at === 0 ? (HANDLERS[call.name] ?? null) : null;
    if (recv === 'JobQueue') return at === 0 && OF_JOBS.has(call.name) ? 'Job' : null;
    if (recv === 'Integer' && call.name === 'times') return 'Integer';
    if (recv === 'SvcRequest' && call.name === 'each_chunk') return 'Bytes';
    if (!OF_ELEMENTS.has(call.name) || !this.checked.resolution.templates.has(call)) return null;
    const count = call.block?.params?.length ?? 1;
    if (call.name.endsWith('_index')) return at === 1 ? 'Integer' : at === 0 ? this.elementOf(call.recv) : null;
    if (recv === 'Hash') return this.ofPair(call, count, at);
    // A block with several parameters takes vectors apart.
    return count === 1 ? this.elementOf(call.recv) : null;
  }

  /** Blocks of hashes receive key and value; one parameter of `each` receives the key. */
  private ofPair({ name, recv }: Ast.Method, count: number, at: number): string | null {
    const receivesKey = count === 1 && name === 'each';
    return count === 2 || receivesKey ? (this.pairOf(recv)[at] ?? null) : null;
  }

  /** The types of the keys and the values of a hash, if they are annotated. */
  private pairOf(node: Ast.Expr): string[] {
    const pair = argumentsOf(this.annotation(node) ?? '');
    return pair.length === 2 ? pair : [];
  }

  /** The type of the elements of a value that is iterated over, as an annotation. */
  elementOf(node: Ast.Expr): string | null {
    return this.deeper(() => this.element(node), null);
  }

  private element(node: Ast.Expr): string | null {
    if (node.type === 'Range') return this.of(node.lo) === 'Integer' ? 'Integer' : null;
    if (node.type === 'Vector') {
      const types = new Set(node.items.map((item) => (item.type === 'Splat' ? null : this.of(item))));
      return types.size === 1 ? [...types][0] : null;
    }
    const annotation = this.annotation(node);
    const isVector = annotation !== null && withoutNil(annotation) === 'Vector';
    const element = isVector ? argumentsOf(annotation)[0] : undefined;
    if (element !== undefined) return element;
    if (this.holdsTexts(node)) return 'String';
    const isPart = (node.type === 'Method' || node.type === 'Member') && !node.safe && SAME_ELEMENTS.has(node.name);
    return isPart && this.of(node) === 'Vector' && this.of(node.recv) === 'Vector' ? this.elementOf(node.recv) : null;
  }

  /** Whether a library function returns a vector of texts: `text.split(",")`, `argv()`. */
  private holdsTexts(node: Ast.Expr): boolean {
    const variable = this.fixed(node);
    const value = variable === null ? node : this.values.get(variable);
    if (value === undefined || this.of(value) !== 'Vector') return false;
    if (value.type === 'Call') {
      const symbol = this.checked.resolution.symbols.get(value.callee);
      return symbol?.kind === 'native' && TEXTS_OF_CALLS.has(symbol.name);
    }
    if ((value.type !== 'Method' && value.type !== 'Member') || value.safe) return false;
    return TEXTS_OF_STRINGS.has(value.name) && this.of(value.recv) === 'String';
  }

  /** The annotation of a value: of a parameter, a record's field or a function's result. */
  annotation(node: Ast.Expr): string | null {
    return this.deeper(() => {
      if (node.type !== 'Ident') return this.declared(node);
      const variable = this.fixed(node);
      if (variable === null) return this.loopAnnotation(node);
      const value = this.values.get(variable);
      const of = this.ofBlocks.get(variable);
      return (
        this.annotations.get(variable) ??
        (value !== undefined ? this.annotation(value) : of === undefined ? null : this.parameter(of.call, of.at))
      );
    }, null);
  }

  private binary({ op, left, right }: Ast.Binary): Known {
    if (COMPARISONS.has(op)) return this.ownOperator(left) ? null : 'Boolean';
    const [a, b] = [this.of(left), this.of(right)];
    if (a === 'String' && ((op === '+' && b === 'String') || op === '*' || op === '%')) return 'String';
    if (DECIMALS.has(a ?? '') && DECIMALS.has(b ?? '') && (a === 'Decimal' || b === 'Decimal'))
      return SUMS.has(op) || op === '*' || op === '/' ? 'Decimal' : null;
    if (a === 'Duration' && b === 'Duration') return SUMS.has(op) ? 'Duration' : null;
    if (a === null || b === null || !NUMBERS.has(a) || !NUMBERS.has(b)) return null;
    if (op === '/') return 'Float';
    if (a === 'Float' || b === 'Float') return ['<<', '>>', '|', '&', '^', '<=>'].includes(op) ? null : 'Float';
    return op === '+' || op === '-' || op === '*' || op === '//' || op === '%' ? 'Integer' : null;
  }

  /** Whether a value is a record, whose operators may be its own. */
  private ownOperator(node: Ast.Expr): boolean {
    const type = this.of(node);
    return type !== null && this.record(type) !== null;
  }

  /** The type that a call or a field has by its declaration, as text; null if that is unknown. */
  declared(node: Ast.Expr): string | null {
    if ((node.type === 'Call' || node.type === 'Method') && node.block !== null && hasBreak(node.block)) return null;
    if (node.type === 'Call') return node.callee.type === 'Ident' ? this.call(node.callee) : null;
    if ((node.type !== 'Method' && node.type !== 'Member') || node.safe) return null;
    const symbol = node.recv.type === 'Ident' ? this.checked.resolution.symbols.get(node.recv) : undefined;
    if (symbol?.kind === 'namespace') return this.ofImported(node, symbol.module);
    const member = ofEnumMember(node, this.checked);
    if (member !== null) return member;
    const builtIn = this.builtInNamed(node.recv);
    if (builtIn !== null) return this.checked.env.statics.get(builtIn)?.get(node.name)?.result ?? null;
    // `Money.from_json(…)`
    if (symbol?.kind === 'def' && symbol.node.type === 'RecordDecl' && node.name === 'from_json') return symbol.name;
    const type = this.of(node.recv);
    if (type === 'SvcRequest' && PARTS.has(node.name)) {
      const handler = this.handlerOf(node.recv);
      return handler === null ? null : partOf(handler, node.name, this.checked);
    }
    return type === null ? null : this.ofMember(node, type);
  }

  /** The type of `file.name(…)` or `file.name`. */
  private ofImported(node: Ast.Method | Ast.Member, module: ModuleScope): string | null {
    const def = importedDef(node, this.checked);
    if (def === null) return null;
    if (node.type === 'Member') return def.node.type === 'Def' ? 'Function' : null;
    const prefix = `${(node.recv as Ast.Ident).name}.`;
    return def.node.type === 'RecordDecl'
      ? `${prefix}${node.name}`
      : seenFrom(resultOf(def), prefix, module, this.checked.module);
  }

  /** The call with whose block a request is passed to its handler; null if that is not known. */
  handlerOf(request: Ast.Expr): Ast.Method | null {
    const variable = this.fixed(request);
    const of = variable === null ? undefined : this.ofBlocks.get(variable);
    if (of?.at !== 0 || HANDLERS[of.call.name] !== 'SvcRequest') return null;
    const recv = this.of(of.call.recv);
    return recv === 'SvcApp' || recv === 'SvcGroup' ? of.call : null;
  }

  private ofMember(node: Ast.Method | Ast.Member, type: string): string | null {
    const record = this.record(type);
    if (record !== null) return this.ofRecord(node, record, type);
    const template = node.type === 'Method' ? this.checked.resolution.templates.get(node) : undefined;
    if (template !== undefined) {
      // Iterators of lazy sequences return sequences.
      if (!COLLECTIONS.has(type)) return type === 'Lazy' ? (this.method(type, node.name)?.result ?? null) : null;
      const result = /^\|.*?\| -> ([\w|?]+):/.exec((template.node as Ast.Def).doc)?.[1] ?? null;
      if (result === 'Vector|Hash' && (type === 'Vector' || type === 'Hash')) return type;
      return result === 'self' ? type : result;
    }
    const signature = this.method(type, node.name);
    // A block may change the result, as of `fetch`.
    if (signature === null || (node.type === 'Method' && node.block !== null)) return null;
    return signature.result === 'self' ? type : signature.result;
  }

  private ofRecord(node: Ast.Method | Ast.Member, record: DefSymbol, type: string): string | null {
    const declared = record.node as Ast.RecordDecl;
    const own = this.checked.resolution.methods
      .get(declared)
      ?.find(({ name }) => name === `${record.name}.${node.name}`);
    if (own === undefined && node.type === 'Method') return node.name === 'copy' || node.name === 'with' ? type : null;
    return own === undefined ? this.ofField(type, node.name) : this.seenAs(resultOf(own), record, type);
  }

  /** The annotation of a field of a record with this type; null if there is none. */
  ofField(type: string, name: string): string | null {
    const record = this.record(type);
    const field = (record?.node as Ast.RecordDecl | undefined)?.fields.find((other) => other.name === name);
    return record === null || field === undefined ? null : this.seenAs(annotationOf(field), record, type);
  }

  /** An annotation in the declaration of a record as it is written in this file, which calls the record `type`. */
  private seenAs(annotation: string | null, record: DefSymbol, type: string): string | null {
    const prefix = type.endsWith(`.${record.name}`) ? type.slice(0, -record.name.length) : '';
    return seenFrom(annotation, prefix, record.module, this.checked.module);
  }

  /** The declaration of a method that values of a built-in type have. */
  method(type: string, name: string): NativeSignature | null {
    const { methods } = this.checked.env;
    return methods.get(type)?.get(name) ?? methods.get('Any')?.get(name) ?? null;
  }

  private call(callee: Ast.Ident): string | null {
    const symbol = this.checked.resolution.symbols.get(callee);
    if (symbol?.kind === 'native') return this.checked.env.signatures.get(symbol.name)?.result ?? null;
    if (symbol?.kind === 'variable') return functionOf(this.annotation(callee) ?? '')?.result ?? null;
    if (symbol?.kind !== 'def') return null;
    return symbol.module.isPrelude ? null : resultOf(symbol);
  }

  /** Whether a record defines a method or an operator; `-@` is that of `-x`. */
  hasMethod(record: DefSymbol, name: string): boolean {
    const all = this.checked.resolution.methods.get(record.node as Ast.RecordDecl) ?? [];
    return all.some((method) => method.name === `${record.name}.${name}`);
  }

  /** The record that a type's name stands for, also `shop.Money` of an imported file. */
  record(name: string): DefSymbol | null {
    const symbol = typeSymbol(name, this.checked.module);
    return symbol?.kind === 'def' && symbol.node.type === 'RecordDecl' ? symbol : null;
  }

  /** The interface that a type's name stands for. */
  interface(name: string): (TypeSymbol & { node: Ast.InterfaceDecl }) | null {
    const symbol = typeSymbol(name, this.checked.module);
    return symbol?.kind === 'type' && symbol.node.type === 'InterfaceDecl' ? { ...symbol, node: symbol.node } : null;
  }

  /** The type of a value that may be nil, when it is not; null if it is not known that it may be nil. */
  nilable(node: Ast.Expr): { type: Known } | null {
    const annotation = this.annotation(node);
    if (annotation === null || !allowsNil(annotation)) return null;
    return { type: withoutNil(annotation) };
  }

  private fits(type: string, annotation: string): boolean {
    if (!fits(type, annotation)) return false;
    const names = alternatives(annotation);
    const hasRecord = names.some((name) => this.record(name) !== null);
    // A hash may stand for a record: both have fields.
    if (!hasRecord || !isConcrete(type) || type === 'Hash' || names.includes(type)) return true;
    return !names.every((name) => isConcrete(name) || this.record(name) !== null);
  }

  /** Whether a text is a member of none of the enums that an annotation names, and nothing else in it allows a text. */
  private isNoMember(text: string, annotation: string): boolean {
    const names = alternatives(annotation).filter((name) => !isConcrete(name));
    if (names.length === 0 || alternatives(annotation).includes('String')) return false;
    return names.every((name) => enumMembers(name, this.checked)?.members.includes(text) === false);
  }

  /** The part of a value that certainly does not fit an annotation; elements of literals are compared as well. */
  mismatch(value: Ast.Expr, annotation: string): Mismatch | null {
    const type = this.of(value);
    if (type !== null && (!this.fits(type, annotation) || breaksConstraint(value, annotation)))
      return { node: value, type, annotation };
    if (value.type === 'Str' && this.isNoMember(value.value, annotation))
      return { node: value, type: 'String', annotation, shown: JSON.stringify(value.value) };
    const shown = otherArity(value, annotation, this.checked);
    if (shown !== null) return { node: value, type: 'Function', annotation, shown };
    const all = type === null ? this.possible(value) : null;
    if (all !== null && [...all].every((one) => !this.fits(one, annotation)))
      return { node: value, type: unionText(all), annotation };
    const inner = argumentsOf(annotation);
    if (value.type === 'Vector' && inner.length === 1) {
      for (const item of value.items) {
        const found = item.type === 'Splat' ? null : this.mismatch(item, inner[0]);
        if (found !== null) return found;
      }
    } else if (value.type === 'Hash' && inner.length === 2) {
      for (const entry of value.entries) {
        if (entry.type === 'Splat') continue;
        const found = this.mismatch(entry.key, inner[0]) ?? this.mismatch(entry.value, inner[1]);
        if (found !== null) return found;
      }
    }
    return null;
  }
}

/** The annotated result of a function; a record for its constructor. */
function resultOf({ name, node }: DefSymbol): string | null {
  return node.type === 'RecordDecl' ? name : node.returns;
}
