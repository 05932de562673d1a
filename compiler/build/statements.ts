import type {
  Arg,
  ConstDecl,
  Def,
  EnumDecl,
  ErrorDecl,
  ErrorNode,
  ExportNames,
  Expr,
  GroupTarget,
  HashDestructure,
  Ident,
  InterfaceDecl,
  NamedArg,
  Name,
  Need,
  Param,
  RecordDecl,
  Splat,
  SplatTarget,
  Target,
} from '../ast.js';
import type { Token } from '../layout/token.js';
import { body, type Parts } from './bodies.js';
import { invalid } from './invalid.js';
import { type List, toArray } from './list.js';
import { namedToHash } from './literals.js';
import { asTarget } from './operators.js';
import { nameOf } from './parameters.js';

type MultiTarget = Target | SplatTarget | GroupTarget;

/** Replaces a statement that error recovery has removed. */
export function errorStatement({ start, end }: Token): ErrorNode {
  return { type: 'Error', start, end };
}

export function targetItem(node: Expr): Target {
  return asTarget(node);
}

export function splatTarget(star: Token, node?: Expr): SplatTarget {
  const target = node === undefined ? null : asTarget(node);
  return { type: 'SplatTarget', start: star.start, end: target?.end ?? star.end, target };
}

export function groupTarget(open: Token, list: List<MultiTarget>, close: Token): GroupTarget {
  return { type: 'GroupTarget', start: open.start, end: close.end, targets: toArray(list) };
}

/** The second splat target, if any: only one target can take the remaining values. */
function secondSplat(targets: MultiTarget[]): Expr | null {
  const second = targets.filter(({ type }) => type === 'SplatTarget')[1];
  return second === undefined
    ? null
    : invalid('invalid-target', 'only one of several targets can be a `*` target', second.start, second.end);
}

/** `a, *b = v`; several values on the right make a vector. */
export function multiAssign(list: List<MultiTarget>, values: List<Arg>): Expr {
  const targets = toArray(list);
  const mistake = secondSplat(targets);
  if (mistake !== null) return mistake;
  const items = namedToHash(toArray(values));
  const [only] = items as [Expr | Splat];
  const { end } = items.at(-1) as Expr | Splat;
  const value: Expr =
    items.length === 1 && only.type !== 'Splat' ? only : { type: 'Vector', start: only.start, end, items };
  return { type: 'MultiAssign', start: targets[0].start, end, targets, value };
}

/** `a = 1, 2` and `a = *list`: the values become a vector. */
export function valuesAssign(target: Expr, list: List<Expr | Splat | NamedArg>): Expr {
  const items = namedToHash(toArray(list));
  const { start } = items[0];
  const { end } = items[items.length - 1];
  return {
    type: 'Assign',
    start: target.start,
    end,
    target: asTarget(target),
    value: { type: 'Vector', start, end, items },
  };
}

type Entry = HashDestructure['entries'][number];

export function destructureName(name: Token): Entry {
  return { key: name.text, start: name.start, name: nameOf(name) };
}

export function destructureRenamed(key: Token, name: Token): Entry {
  return { key: key.text, start: key.start, name: nameOf(name) };
}

export function destructure(open: Token, list: List<Entry>, value: Expr): HashDestructure {
  return { type: 'HashDestructure', start: open.start, end: value.end, entries: toArray(list), value };
}

export function def(word: Token, name: Token, then: Token, parts: Parts, close: Token): Def {
  return defParams(word, name, [], then, parts, close);
}

export function defParams(word: Token, name: Token, params: Param[], then: Token, parts: Parts, close: Token): Def {
  return {
    type: 'Def',
    start: word.start,
    end: close.end,
    name: nameOf(name),
    params,
    body: body(then, parts, close),
    doc: word.extra,
    returns: then.extra === '' ? null : then.extra,
    isPrivate: word.text !== 'def',
  };
}

export function record(word: Token, name: Token, fields: Param[]): RecordDecl {
  return {
    type: 'RecordDecl',
    isLiteral: false,
    start: word.start,
    end: fields.at(-1)?.end ?? name.end,
    name: nameOf(name),
    fields,
    methods: [],
    interfaces: [],
    doc: word.extra,
  };
}

/** `record Point(x, y) is Shape` */
export function recordOf(word: Token, name: Token, fields: Param[], types: List<Expr>): RecordDecl {
  const interfaces = toArray(types);
  return { ...record(word, name, fields), interfaces, end: interfaces[interfaces.length - 1].end };
}

export function recordOfWithMethods(
  word: Token,
  name: Token,
  fields: Param[],
  types: List<Expr>,
  list: List<Expr>,
  close: Token,
): RecordDecl | Expr {
  const declared = recordWithMethods(word, name, fields, list, close);
  return declared.type === 'RecordDecl' ? { ...declared, interfaces: toArray(types) } : declared;
}

/** `interface Name … end`: holds `needs name, other` and methods. */
export function interfaceDecl(word: Token, name: Token, list: List<Expr>, close: Token): InterfaceDecl | Expr {
  const needs: Need[] = [];
  const methods: Def[] = [];
  for (const node of toArray(list)) {
    const needed = neededNames(node);
    if (node.type === 'Def') methods.push(withSelf(node));
    else if (needed !== null) needs.push(...needed);
    else if (node.type !== 'Error')
      return invalid(
        'record-body',
        `interface ${name.text} holds only \`needs\` and methods`,
        node.start,
        node.end,
        'write `needs name` for a field or method that records must have, and `def name(…) … end` for a method',
      );
  }
  return {
    type: 'InterfaceDecl',
    start: word.start,
    end: close.end,
    name: nameOf(name),
    needs,
    methods,
    doc: word.extra,
  };
}

/** The names of `needs name, other(by)`; null for other statements. */
function neededNames(node: Expr): Need[] | null {
  if (node.type !== 'Call' || node.callee.type !== 'Ident' || node.callee.name !== 'needs' || node.block !== null)
    return null;
  const needs: Need[] = [];
  for (const arg of node.args) {
    const name = arg.type === 'Call' ? arg.callee : arg;
    if (name.type !== 'Ident') return null;
    needs.push({ ...name, takes: arg.type === 'Call' ? takenBy(arg.args) : null });
  }
  return needs;
}

/** The names of arguments, `by:` for named ones; null if other expressions are among them. */
function takenBy(args: readonly Arg[]): string[] | null {
  const names = args.map((arg) => {
    if (arg.type === 'NamedArg') return `${arg.name}:`;
    return arg.type === 'Ident' ? arg.name : null;
  });
  return names.every((name) => name !== null) ? names : null;
}

/** `record Point(x, y) do … end`; the body holds only methods. */
export function recordWithMethods(
  word: Token,
  name: Token,
  fields: Param[],
  list: List<Expr>,
  close: Token,
): RecordDecl | Expr {
  const methods: Def[] = [];
  for (const node of toArray(list)) {
    if (node.type === 'Def' && !node.isPrivate) methods.push(withSelf(node));
    else if (node.type !== 'Error')
      return invalid(
        'record-body',
        node.type === 'Def'
          ? 'methods of a record are not private'
          : `the body of record ${name.text} holds only methods`,
        node.start,
        node.end,
        node.type === 'Def'
          ? 'leave `private` out'
          : 'write `def name(…) … end`; fields stand in the parentheses behind the name',
      );
  }
  return { ...record(word, name, fields), end: close.end, methods };
}

/** A method: a function whose first parameter is the record. */
function withSelf(node: Def): Def {
  const { start } = node.name;
  const self: Param = {
    name: 'self',
    kind: 'plain',
    default: null,
    pattern: null,
    annotation: null,
    start,
    end: start,
  };
  return { ...node, params: [self, ...node.params] };
}

/** A member of an enum; `fields` is null if it was written without parentheses. */
interface Variant {
  name: Name;
  end: number;
  fields: Param[] | null;
}

export function plainVariant(name: Token): Variant {
  return { name: nameOf(name), end: name.end, fields: null };
}

export function variantWithFields(name: Token, fields: Param[]): Variant {
  return { name: nameOf(name), end: fields.at(-1)?.end ?? name.end, fields };
}

export function enumeration(word: Token, name: Token, list: List<Variant>, close: Token): EnumDecl {
  const variants = toArray(list);
  const isSum = variants.some(({ fields }) => fields !== null);
  return {
    type: 'EnumDecl',
    start: word.start,
    end: close.end,
    name: nameOf(name),
    members: variants.map((variant) => variant.name),
    variants: isSum ? variants.map((variant) => variantType(name.text, variant)) : null,
  };
}

function variantType(owner: string, { name, end, fields }: Variant): RecordDecl {
  const { start } = name;
  return {
    type: 'RecordDecl',
    isLiteral: false,
    start,
    end,
    name: { ...name, name: `${owner}.${name.name}` },
    fields: fields ?? [],
    methods: [],
    interfaces: [],
    doc: '',
  };
}

function dotted(type: Expr): string {
  return type.type === 'Member' ? `${dotted(type.recv)}.${type.name}` : (type as Ident).name;
}

/** `parent` is a name, perhaps one of an imported file. */
export function errorDecl(word: Token, name: Token, parent?: Expr): ErrorDecl {
  const base = parent === undefined ? null : { start: parent.start, end: parent.end, name: dotted(parent) };
  return { type: 'ErrorDecl', start: word.start, end: (parent ?? name).end, name: nameOf(name), parent: base };
}

export function constant(word: Token, name: Token, value: Expr): ConstDecl {
  return { type: 'ConstDecl', start: word.start, end: value.end, name: nameOf(name), value };
}

/** `export a, b` */
export function exportNames(word: Token, list: List<Token>): ExportNames {
  const names = toArray(list).map(nameOf);
  return { type: 'ExportNames', start: word.start, end: names[names.length - 1].end, names };
}
