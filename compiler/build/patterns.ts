import type {
  CaseIn,
  Expr,
  FieldMatch,
  HashLit,
  HashMatch,
  Ident,
  InClause,
  MatchPattern,
  NamedArg,
  NamedMatch,
  NameMatch,
  RecordMatch,
  RestMatch,
  Splat,
  ValueMatch,
  Vector,
  VectorMatch,
} from '../ast.js';
import type { Token } from '../layout/token.js';
import { eachPart } from '../matchparts.js';
import { invalid, type InvalidNode } from './invalid.js';
import { type List, type MaybeList, toArray } from './list.js';
import { namedToHash } from './literals.js';

/**
 * Patterns are parsed as expressions, because their syntax is that of the values that they describe; the functions here
 * turn the expressions into patterns. `a => b` and `^a` stand in the tree as these nodes until then.
 */
interface Cover {
  type: 'Error';
  start: number;
  end: number;
  as: NamedMatch | ValueMatch;
}

function covered(as: NamedMatch | ValueMatch): Expr {
  const cover: Cover = { type: 'Error', start: as.start, end: as.end, as };
  return cover;
}

/** `pattern => name` */
export function namedPattern(left: Expr, right: Expr): Expr {
  const { start } = left;
  const { end } = right;
  const name = right.type === 'Ident' && isVariable(right.name) ? nameMatch(right) : null;
  if (name === null) return notAPattern(right, 'the name of a variable must follow `=>`', 'write `pattern => name`');
  return covered({ type: 'NamedMatch', start, end, pattern: matchPattern(left), name });
}

/** `^value`: the value of an expression, not a variable to assign. */
export function pinned({ start }: Token, value: Expr): Expr {
  return covered({ type: 'ValueMatch', start, end: value.end, value });
}

/** The items of a clause as one pattern: several are the elements of a vector, names with `:` are keys. */
function clausePattern(list: List<Expr | Splat | NamedArg>): MatchPattern {
  const items = toArray(list);
  const [first] = items;
  const { start } = first;
  const end = items[items.length - 1].end;
  const isHash = items.every(({ type }, i) => type === 'NamedArg' || (i > 0 && type === 'Splat'));
  const merged = namedToHash(items);
  if (isHash || (merged.length === 1 && first.type === 'NamedArg')) {
    const rest = items.filter((item): item is Splat => item.type === 'Splat');
    const named = namedToHash(items.filter(({ type }) => type === 'NamedArg'))[0] as HashLit;
    return hashMatch({ ...named, entries: [...named.entries, ...rest], start, end });
  }
  if (merged.length === 1 && merged[0].type !== 'Splat') return matchPattern(merged[0]);
  return vectorMatch({ type: 'Vector', start, end, items: merged });
}

export function inClause(
  word: Token,
  list: List<Expr | Splat | NamedArg>,
  then: Token,
  stmts: MaybeList<Expr>,
): InClause {
  const body = toArray(stmts);
  const end = body.at(-1)?.end ?? then.start;
  return { start: word.start, end, pattern: clausePattern(list), guard: null, body };
}

export function guardedClause(
  word: Token,
  list: List<Expr | Splat | NamedArg>,
  guardWord: Token,
  guard: Expr,
  stmts: MaybeList<Expr>,
): InClause {
  const body = toArray(stmts);
  const { start, end } = guard;
  const condition: Expr =
    guardWord.text === 'unless' ? { type: 'Unary', start, end, op: 'not', operand: guard } : guard;
  return { start: word.start, end: body.at(-1)?.end ?? end, pattern: clausePattern(list), guard: condition, body };
}

export function caseIn(
  word: Token,
  subject: Expr,
  list: List<InClause>,
  otherwise: Expr[] | null,
  close: Token,
): CaseIn {
  return { type: 'CaseIn', start: word.start, end: close.end, subject, clauses: toArray(list), else: otherwise };
}

/** The pattern that an expression describes; an invalid node if it describes none. */
function matchPattern(node: Expr): MatchPattern {
  const { start, end } = node;
  switch (node.type) {
    case 'Error':
      return 'as' in node ? (node as unknown as Cover).as : node;
    case 'Ident':
      return isVariable(node.name) ? nameMatch(node) : value(node);
    case 'Vector':
      return vectorMatch(node);
    case 'Hash':
      return hashMatch(node);
    case 'Call':
      return node.block === null && isTypeName(node.callee)
        ? recordMatch(node.callee, node.args, node)
        : notAValue(node);
    case 'Method':
      return node.block === null && !node.safe && isTypeName(member(node))
        ? recordMatch(member(node), node.args, node)
        : notAValue(node);
    case 'Binary':
      if (node.op !== '|') return notAValue(node);
      return {
        type: 'AnyMatch',
        start,
        end,
        options: withSameNames([...optionsOf(node.left), matchPattern(node.right)]),
      };
    case 'Range':
      return isConstant(node.lo) && (node.hi === null || isConstant(node.hi)) ? value(node) : notAValue(node);
    default:
      return isConstant(node) ? value(node) : notAValue(node);
  }
}

/** The pattern of `x in pattern`. A name alone fits everything, so it was meant for a collection or a value. */
export function questionPattern(node: Expr): MatchPattern {
  const pattern = matchPattern(node);
  if (pattern.type !== 'NameMatch') return pattern;
  const name = pattern.name ?? '_';
  return notAPattern(
    node,
    `every value fits \`${name}\`, which \`in\` would assign`,
    name === '_'
      ? 'leave the question out'
      : `for an element of a collection write \`${name}.include?(…)\`, for an equal value \`==\` or \`in ^${name}\``,
  );
}

/** Alternatives in order; left-deep chains iteratively. */
function optionsOf(left: Expr): MatchPattern[] {
  const rest: MatchPattern[] = [];
  let node = left;
  for (; node.type === 'Binary' && node.op === '|'; node = node.left) rest.unshift(matchPattern(node.right));
  return [matchPattern(node), ...rest];
}

/** Alternatives must assign the same variables: another one would have no value. */
function withSameNames(options: MatchPattern[]): MatchPattern[] {
  const names = options.map(namesIn);
  const all = new Map(names.flatMap((found) => [...found]));
  let isReported = false;
  return options.map((option, i) => {
    const missing = [...all.values()].find(({ name }) => name !== null && !names[i].has(name));
    if (missing === undefined || option.type === 'Error' || isReported) return option;
    isReported = true;
    return invalid(
      'pattern-alternative',
      `this alternative gives '${missing.name}' no value`,
      option.start,
      option.end,
      'let each alternative assign the same variables, name the whole, `(a | b) => name`, or write a clause for each',
    );
  });
}

/** The variables that a pattern assigns, by name. */
function namesIn(pattern: MatchPattern): Map<string, NameMatch> {
  const names = new Map<string, NameMatch>();
  eachPart(
    pattern,
    () => {},
    (found) => names.set(found.name as string, found),
  );
  return names;
}

/** Names of types and constants begin with a capital; other names are variables. */
function isVariable(name: string): boolean {
  return name.startsWith('_') || name[0] !== name[0].toUpperCase();
}

function nameMatch({ start, end, name }: Ident): NameMatch {
  return { type: 'NameMatch', start, end, name: name === '_' ? null : name };
}

function value(node: Expr): ValueMatch {
  return { type: 'ValueMatch', start: node.start, end: node.end, value: node };
}

/** `Type` or `module.Type`. */
function isTypeName(node: Expr): boolean {
  if (node.type === 'Member') return !node.safe && isCapital(node.name) && isPath(node.recv);
  return node.type === 'Ident' && isCapital(node.name);
}

function isPath(node: Expr): boolean {
  return node.type === 'Ident' || (node.type === 'Member' && !node.safe && isPath(node.recv));
}

function isCapital(name: string): boolean {
  return !isVariable(name);
}

/** The callee of `a.b(…)` as a member. */
function member({ start, recv, name, nameStart, safe }: Extract<Expr, { type: 'Method' }>): Expr {
  return { type: 'Member', start, end: nameStart + name.length, recv, name, nameStart, safe };
}

/** Whether an expression stands for itself in a pattern. */
function isConstant(node: Expr): boolean {
  switch (node.type) {
    case 'Nil':
    case 'Bool':
    case 'Int':
    case 'Float':
    case 'Decimal':
    case 'Str':
    case 'Interp':
    case 'Regex':
      return true;
    case 'Unary':
      return node.op !== 'not' && isConstant(node.operand);
    case 'Ident':
    case 'Member':
      return isTypeName(node) || (node.type === 'Member' && isTypeName(node.recv));
    default:
      return false;
  }
}

function vectorMatch({ start, end, items }: Vector): MatchPattern {
  const parts = items.map((item) => (item.type === 'Splat' ? restMatch(item) : matchPattern(item)));
  const [, second, third] = parts.filter(({ type }) => type === 'RestMatch');
  const finds = parts.length > 2 && parts[0].type === 'RestMatch' && second === parts.at(-1) && third === undefined;
  if (second !== undefined && !finds)
    return invalid(
      'pattern',
      'a vector pattern can have only one `*`, or one at each end',
      second.start,
      second.end,
      'remove one of them; `[*, pattern, *]` finds an element',
    );
  const match: VectorMatch = { type: 'VectorMatch', start, end, items: parts };
  return match;
}

function restMatch({ start, end, value: rest, double }: Splat): RestMatch | InvalidNode {
  if (double || rest.type !== 'Ident' || !isVariable(rest.name))
    return notAPattern(
      rest,
      `the name of a variable must follow \`${double ? '**' : '*'}\``,
      'write `*rest`, or `*` alone',
    );
  return { type: 'RestMatch', start, end, name: nameMatch(rest) };
}

function hashMatch({ start, end, entries }: HashLit): MatchPattern {
  const fields: FieldMatch[] = [];
  let rest: HashMatch['rest'] = null;
  for (const entry of entries) {
    if (entry.type === 'Splat') {
      const { value: name } = entry;
      if (entry !== entries[entries.length - 1])
        return notAPattern(entry, '`**` comes last in a hash pattern', 'move it to the end');
      if (name.type === 'Nil') rest = 'none';
      else if (name.type === 'Ident' && isVariable(name.name)) rest = nameMatch(name);
      else
        return notAPattern(
          name,
          'the name of a variable must follow `**`',
          'write `**rest`, or `**nil` for no other keys',
        );
    } else if (entry.key.type === 'Str') fields.push(fieldMatch(entry.key.value, entry.value, entry.start, entry.end));
    else
      return notAPattern(
        entry.key,
        'keys of a hash pattern are texts',
        'write `{name: pattern}` or `{"name": pattern}`',
      );
  }
  return twice(fields) ?? { type: 'HashMatch', start, end, entries: fields, rest };
}

function fieldMatch(key: string, pattern: Expr, start: number, end: number): FieldMatch {
  return { type: 'FieldMatch', start, end, key, pattern: matchPattern(pattern) };
}

function recordMatch(record: Expr, args: readonly (Expr | Splat | NamedArg)[], { start, end }: Expr): MatchPattern {
  const positional: MatchPattern[] = [];
  const fields: FieldMatch[] = [];
  for (const arg of args) {
    if (arg.type === 'Splat')
      return notAPattern(arg, '`*` cannot stand among the fields of a record', 'name only the fields that matter');
    if (arg.type === 'NamedArg') fields.push(fieldMatch(arg.name, arg.value, arg.start, arg.end));
    else positional.push(matchPattern(arg));
  }
  const match: RecordMatch = { type: 'RecordMatch', start, end, record, positional, fields };
  return twice(fields) ?? match;
}

function twice(fields: readonly FieldMatch[]): InvalidNode | null {
  const seen = new Set<string>();
  for (const { key, start, end } of fields) {
    if (seen.has(key))
      return invalid('pattern', `'${key}' stands twice in this pattern`, start, end, 'remove one of them');
    seen.add(key);
  }
  return null;
}

function notAPattern({ start, end }: { start: number; end: number }, message: string, hint: string): InvalidNode {
  return invalid('pattern', message, start, end, hint);
}

function notAValue(node: Expr): InvalidNode {
  return notAPattern(
    node,
    'this expression cannot stand in a pattern',
    'to compare with its value, write `^( … )` around it',
  );
}
